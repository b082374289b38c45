/* topology.h: the process topology of a communicator: a grid, a graph, or the neighbours that each member gave for itself. It never
 * changes; a communicator and its duplicates share it. */
#ifndef KNELL_MPI_COMM_TOPOLOGY_H
#define KNELL_MPI_COMM_TOPOLOGY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum topology_kind { TOPOLOGY_CART, TOPOLOGY_GRAPH, TOPOLOGY_DIST_GRAPH };

struct topology {
    _Atomic int references;
    enum topology_kind kind;

    /* This member's neighbours, in the order of the blocks of neighbourhood collectives: ranks, or MPI_PROC_NULL beyond a border. */
    int indegree, outdegree;
    const int *sources, *destinations;

    int ndims; /* a grid */
    const int *dims, *periods;

    int nodes, edges; /* a graph: the neighbours of node i are those before index[i] and not before index[i - 1] */
    const int *index, *edge;

    bool weighted; /* neighbours that each member gave */
    const int *source_weights, *destination_weights;

    int *next; /* while it is made: the rest of the room */
    int room[];
};

/* With room for so many integers; one reference. */
struct topology *topology_new(enum topology_kind kind, size_t integers);
/* Takes a part of the room: a copy of `from` (NULL: zeros). */
int *topology_take(struct topology *topology, const int *from, int count);

/* NULL stays. */
struct topology *topology_hold(struct topology *topology);
void topology_release(struct topology *topology);

#endif
