/* broadcast: one reliable broadcast over real nodes, some of which are dead without its source knowing. */
#ifndef KNELL_SIM_BROADCAST_H
#define KNELL_SIM_BROADCAST_H

#include "sim/world.h"

struct knell_broadcast_plan {
    uint32_t nodes;
    uint32_t dead;
    enum knell_overlay overlay;
    enum knell_network network;
};

struct knell_broadcast_result {
    double messages;       /* sent, also to the dead */
    double max_hops;       /* the most hops of any node's first copy */
    double informed_tau;   /* until the last living node is informed */
    double all_copies_tau; /* until the last copy is in */
    uint32_t missed;       /* living nodes never informed */
    bool no_memory;
};

struct knell_broadcast_run; /* scratch of one thread */
struct knell_broadcast_run *knell_broadcast_run_new(const struct knell_broadcast_plan *plan);
void knell_broadcast_run_free(struct knell_broadcast_run *run);
void knell_broadcast_run_one(struct knell_broadcast_run *run, uint64_t key, struct knell_broadcast_result *result);

#endif
