/* topo.h: what the files of the calls on topologies share. */
#ifndef KNELL_MPI_TOPO_TOPO_H
#define KNELL_MPI_TOPO_TOPO_H

#include "mpi/comm/comm.h"

/* A communicator with a topology, by agreement (create/make.h): the same code at all members. `member`: its processes, in its order;
 * size 0: this process is in none, but agrees all the same. `topology`: this process's, which is released; NULL for size 0. `code`: what this
 * member knows to be wrong, with its arguments too: it comes all the same, so that nobody waits for it. Raised. */
int topo_make(struct comm *parent, struct topology *topology, const int *member, int size, int code, MPI_Comm *newcomm);

/* An intercommunicator has none. Raised. */
int topo_refuse(struct comm *comm, MPI_Comm *newcomm);

/* A communicator of the program's with a topology of this kind. NULL: the handle has none, and *code says so: raised. */
struct comm *topo_of(MPI_Comm handle, enum topology_kind kind, int *code);

/* The first of a list, as many as there is room for. */
void topo_copy(int *into, int room, const int *from, int count);

/* ---- grids: the last dimension counts fastest ---------------------------------------------------------------------------------- */

int cart_coordinate(const struct topology *cart, int rank, int direction);
/* The rank that far away in that direction; MPI_PROC_NULL: beyond a border. */
int cart_shifted(const struct topology *cart, int rank, int direction, long long far);

/* ---- graphs by their edges: each member has those that begin or end at it ----------------------------------------------------- */

/* The edges that all members give, as this one's topology: in the order of the givers, at both ends of an edge. An edge of three integers:
 * source, destination, weight. Not raised. */
struct edges {
    const int *edge;
    int count;
    bool weighted;
};
int dist_graph_exchange(struct comm *comm, const struct edges *given, struct topology **topology);

#endif
