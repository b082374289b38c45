/* directory.h: who and where the processes of the job are, as one host sees it, and their order on the ring.
 *
 * It does not change once all have met, and is the same for all processes of a host: it lies on the board, once per host. */
#ifndef KNELL_RUNTIME_DIRECTORY_H
#define KNELL_RUNTIME_DIRECTORY_H

#include "runtime/address.h"
#include "runtime/rendezvous.h"
#include "runtime/watch.h"

#include <stdbool.h>

struct knell__directory_entry {
    struct knell__address address; /* for control messages, */
    in_port_t beats;               /* and the port for heartbeats */
    bool local;                    /* on this host */
    struct knell__process process; /* when local */
};

/* Views of one block of memory. */
struct knell__directory {
    struct knell__directory_entry *member; /* by rank */
    knell_rank *order;                     /* as in struct knell_config */
    uint32_t *position;
    uint32_t ranks;
};

size_t knell__directory_size(uint32_t ranks);
struct knell__directory knell__directory_at(void *memory, uint32_t ranks);

/* From what all said of themselves, as rank `self` sees it. KNELL_EPEER: `*wrong` has an address of no known form. */
int knell__directory_fill(struct knell__directory *directory, const struct knell__rendezvous_point *table,
                          knell_rank self, knell_rank *wrong);

bool knell__directory_has_several_hosts(const struct knell__directory *directory);

#endif
