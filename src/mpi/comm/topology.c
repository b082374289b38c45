/* topology.c: see topology.h. */
#include "mpi/comm/topology.h"
#include "mpi/base/layer.h"

#include <stdlib.h>
#include <string.h>

struct topology *topology_new(enum topology_kind kind, size_t integers)
{
    struct topology *topology = calloc(1, sizeof *topology + integers * sizeof *topology->room);
    if (!topology)
        layer_die("out of memory");
    atomic_store(&topology->references, 1);
    topology->kind = kind;
    topology->next = topology->room;
    return topology;
}

int *topology_take(struct topology *topology, const int *from, int count)
{
    int *taken = topology->next;
    topology->next += count;
    if (from && count > 0)
        memcpy(taken, from, (size_t)count * sizeof *taken);
    return taken;
}

struct topology *topology_hold(struct topology *topology)
{
    if (topology)
        atomic_fetch_add_explicit(&topology->references, 1, memory_order_relaxed);
    return topology;
}

void topology_release(struct topology *topology)
{
    if (topology && atomic_fetch_sub(&topology->references, 1) == 1)
        free(topology);
}
