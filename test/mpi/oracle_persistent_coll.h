/* oracle_persistent_coll.h: for oracle_persistent_coll.c: the plan of a seed, its data, and the calls that make its collectives. */
#ifndef KNELL_TEST_MPI_ORACLE_PERSISTENT_COLL_H
#define KNELL_TEST_MPI_ORACLE_PERSISTENT_COLL_H

#include "oracle.h"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdbool.h>
#include <stdint.h>

#if MPI_VERSION < 4
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif
/* Made, or begun where nonblocking ones stand for them. */
#define MAKE(name, nonblocking, ...)                          \
    (stands_in ? MPI_I##nonblocking(__VA_ARGS__, &request[i]) \
               : PERSISTENT(name##_init)(__VA_ARGS__, MPI_INFO_NULL, &request[i]))

enum { OPS = 7, ROUNDS = 4, COMMS = 4, RANKS = 8, MOST = 2000, TYPES = 4, AROUND = COMMS - 1 };
enum { INTS = RANKS * (2 * MOST + RANKS) + 64 }; /* of a buffer: blocks of all ranks, with gaps between and within */

enum kind {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER_BLOCK,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    NEIGHBOR_ALLGATHER,
    NEIGHBOR_ALLGATHERV,
    NEIGHBOR_ALLTOALL,
    NEIGHBOR_ALLTOALLV,
    KINDS
};

struct plan {
    enum kind kind;
    int comm, root, count, type, op;
    bool in_place;
    unsigned rounds; /* in which it is started, by bit */
};

static int me, ranks;
static MPI_Comm comms[COMMS];
static int rank_in[COMMS], size_of[COMMS];
static MPI_Datatype pair;
static MPI_Op compose;
static struct plan plan[OPS];
static MPI_Request request[OPS];
static int *out[OPS], *in[OPS];
static bool stands_in;
void knell_kill_me(void) __attribute__((weak)); /* of the layer, if it is loaded */

static void make_plan(int seed)
{
    static const int most[] = {0, 1, 3, 40, 500, MOST};
    draw_from(seed, me);
    for (int i = 0; i < OPS; i++) {
        enum kind kind = (enum kind)draw(&common, KINDS);
        int comm = kind >= NEIGHBOR_ALLGATHER ? AROUND : draw(&common, COMMS);
        plan[i] = (struct plan){.kind = kind,
                                .comm = comm,
                                .root = draw(&common, RANKS),
                                .count = most[draw(&common, 6)],
                                .type = draw(&common, TYPES),
                                .op = draw(&common, 4),
                                .in_place = draw(&common, 4) == 0,
                                .rounds = (unsigned)draw(&common, 1 << ROUNDS)};
        plan[i].root %= size_of[comm]; /* halves are of one size */
    }
}

/* ---- data ------------------------------------------------------------------------------------------------------------------------ */

/* (a, b) and (c, d) as functions x -> a x + b, one after the other: associative, not commutative. */
static void compose_pairs(void *first, void *second, int *length, MPI_Datatype *type)
{
    uint32_t *a = first, *b = second;
    (void)type;
    for (int i = 0; i < 2 * *length; i += 2) {
        b[i + 1] += b[i] * a[i + 1];
        b[i] *= a[i];
    }
}

static MPI_Datatype new_type(int which)
{
    MPI_Datatype type;
    if (which == 0)
        return MPI_INT;
    if (which == 1)
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    else if (which == 2)
        MPI_Type_contiguous(2, MPI_INT, &type);
    else
        MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* How many elements go from one to another in a call with a v-> */
static int part(const struct plan *p, int from, int to)
{
    return (int)(mix((uint64_t)p->count * 977 + (uint64_t)from * 31 + (uint64_t)to) % (uint64_t)(p->count + 1));
}

static void fill(int i, int round)
{
    const struct plan *p = &plan[i];
    for (int k = 0; k < INTS; k++) {
        out[i][k] =
            (int)(mix((uint64_t)me * 1000003 + (uint64_t)round * 10007 + (uint64_t)i * 101 + (uint64_t)k) & 0xffff);
        in[i][k] = p->in_place || p->kind == BCAST ? out[i][k] : -1;
    }
}

/* ---- making ---------------------------------------------------------------------------------------------------------------------- */

static struct arrays {
    int send_counts[RANKS], send_displs[RANKS], recv_counts[RANKS], recv_displs[RANKS];
    int send_bytes[RANKS], recv_bytes[RANKS];
    MPI_Datatype type, types[RANKS];
} arrays[OPS]; /* the MPI may read them at each start */

static void set_counts(int i, MPI_Datatype type, bool by_receiver)
{
    const struct plan *p = &plan[i];
    struct arrays *v = &arrays[i];
    int size = size_of[p->comm];
    int mine = rank_in[p->comm], extent = p->type == 0 ? 1 : 2, at[2] = {0, 0};
    for (int r = 0; r < RANKS; r++) {
        v->send_counts[r] = r < size ? part(p, by_receiver ? mine : 0, r) : 0;
        v->recv_counts[r] = r < size ? part(p, by_receiver ? r : 0, by_receiver ? mine : r) : 0;
        v->send_displs[r] = at[0], v->recv_displs[r] = at[1];
        v->send_bytes[r] = at[0] * extent * (int)sizeof(int), v->recv_bytes[r] = at[1] * extent * (int)sizeof(int);
        at[0] += v->send_counts[r] + 1, at[1] += v->recv_counts[r] + 1;
        v->types[r] = type;
    }
}

static void make_rooted(int i, MPI_Datatype type)
{
    const struct plan *p = &plan[i];
    struct arrays *v = &arrays[i];
    MPI_Comm comm = comms[p->comm];
    int mine = rank_in[p->comm], n = p->count;
    bool here = p->in_place && mine == p->root;
    void *from = here ? MPI_IN_PLACE : out[i], *into = here ? MPI_IN_PLACE : in[i];
    set_counts(i, type, false);
    if (p->kind == BCAST)
        MAKE(Bcast, bcast, in[i], n, type, p->root, comm);
    else if (p->kind == GATHER)
        MAKE(Gather, gather, from, n, type, in[i], n, type, p->root, comm);
    else if (p->kind == GATHERV)
        MAKE(Gatherv, gatherv, from, v->send_counts[mine], type, in[i], v->recv_counts, v->recv_displs, type, p->root,
             comm);
    else if (p->kind == SCATTER)
        MAKE(Scatter, scatter, out[i], n, type, into, n, type, p->root, comm);
    else
        MAKE(Scatterv, scatterv, out[i], v->send_counts, v->send_displs, type, into, v->recv_counts[mine], type,
             p->root, comm);
}

static void make_for_all(int i, MPI_Datatype type)
{
    const struct plan *p = &plan[i];
    struct arrays *v = &arrays[i];
    MPI_Comm comm = comms[p->comm];
    int mine = rank_in[p->comm], n = p->count;
    bool gathers = p->kind == ALLGATHER || p->kind == ALLGATHERV;
    void *from = p->in_place && gathers ? MPI_IN_PLACE : out[i];
    set_counts(i, type, !gathers);
    if (p->kind == BARRIER)
        MAKE(Barrier, barrier, comm);
    else if (p->kind == ALLGATHER)
        MAKE(Allgather, allgather, from, n, type, in[i], n, type, comm);
    else if (p->kind == ALLGATHERV)
        MAKE(Allgatherv, allgatherv, from, v->send_counts[mine], type, in[i], v->recv_counts, v->recv_displs, type,
             comm);
    else if (p->kind == ALLTOALL)
        MAKE(Alltoall, alltoall, from, n, type, in[i], n, type, comm);
    else if (p->kind == ALLTOALLV)
        MAKE(Alltoallv, alltoallv, from, v->send_counts, v->send_displs, type, in[i], v->recv_counts, v->recv_displs,
             type, comm);
    else
        MAKE(Alltoallw, alltoallw, from, v->send_counts, v->send_bytes, v->types, in[i], v->recv_counts, v->recv_bytes,
             v->types, comm);
}

static void make_reduction(int i)
{
    const struct plan *p = &plan[i];
    struct arrays *v = &arrays[i];
    MPI_Comm comm = comms[p->comm];
    MPI_Op op = p->op == 0 ? MPI_SUM : p->op == 1 ? MPI_MAX : p->op == 2 ? MPI_BXOR : compose;
    MPI_Datatype type = p->op == 3 ? pair : MPI_INT;
    int n = p->count / 2;
    bool here = p->in_place && (p->kind != REDUCE || rank_in[p->comm] == p->root);
    void *from = here ? MPI_IN_PLACE : out[i];
    set_counts(i, type, false);
    for (int r = 0; r < RANKS; r++)
        v->recv_counts[r] /= 2;
    if (p->kind == REDUCE)
        MAKE(Reduce, reduce, from, in[i], n, type, op, p->root, comm);
    else if (p->kind == ALLREDUCE)
        MAKE(Allreduce, allreduce, from, in[i], n, type, op, comm);
    else if (p->kind == REDUCE_SCATTER_BLOCK)
        MAKE(Reduce_scatter_block, reduce_scatter_block, from, in[i], n, type, op, comm);
    else if (p->kind == REDUCE_SCATTER)
        MAKE(Reduce_scatter, reduce_scatter, from, in[i], v->recv_counts, type, op, comm);
    else if (p->kind == SCAN)
        MAKE(Scan, scan, from, in[i], n, type, op, comm);
    else
        MAKE(Exscan, exscan, from, in[i], n, type, op, comm);
}

/* On a ring of more than two, each neighbour is another. */
static void make_neighbor(int i, MPI_Datatype type)
{
    const struct plan *p = &plan[i];
    MPI_Comm comm = comms[AROUND];
    int n = p->count, *counts = arrays[i].send_counts, *displs = arrays[i].send_displs;
    counts[0] = counts[1] = n / 2;
    displs[0] = n / 2 + 1, displs[1] = 0;
    if (p->kind == NEIGHBOR_ALLGATHER)
        MAKE(Neighbor_allgather, neighbor_allgather, out[i], n, type, in[i], n, type, comm);
    else if (p->kind == NEIGHBOR_ALLGATHERV)
        MAKE(Neighbor_allgatherv, neighbor_allgatherv, out[i], n / 2, type, in[i], counts, displs, type, comm);
    else if (p->kind == NEIGHBOR_ALLTOALL)
        MAKE(Neighbor_alltoall, neighbor_alltoall, out[i], n, type, in[i], n, type, comm);
    else
        MAKE(Neighbor_alltoallv, neighbor_alltoallv, out[i], counts, displs, type, in[i], counts, displs, type, comm);
}

static void make(int i)
{
    MPI_Datatype type = arrays[i].type;
    enum kind kind = plan[i].kind;
    if (kind >= NEIGHBOR_ALLGATHER)
        make_neighbor(i, type);
    else if (kind >= REDUCE)
        make_reduction(i);
    else if (kind == BARRIER || kind >= ALLGATHER)
        make_for_all(i, type);
    else
        make_rooted(i, type);
}

#endif
