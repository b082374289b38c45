/* agree: one agreement of all nodes, some of which crash while it runs. */
#ifndef KNELL_SIM_AGREE_H
#define KNELL_SIM_AGREE_H

#include "sim/world.h"

struct knell_agree_plan {
    uint32_t nodes;
    uint32_t crashes;
};

struct knell_agree_result {
    double latency_tau;  /* from the proposals until the last living node has returned */
    double messages;     /* of the agreement itself */
    uint32_t violations; /* two living nodes returned different values, a value nobody could have brought about, or a
                            living node that never returned */
    bool no_memory;
};

struct knell_agree_run; /* scratch of one thread */
struct knell_agree_run *knell_agree_run_new(const struct knell_agree_plan *plan);
void knell_agree_run_free(struct knell_agree_run *run);
void knell_agree_run_one(struct knell_agree_run *run, uint64_t key, struct knell_agree_result *result);

#endif
