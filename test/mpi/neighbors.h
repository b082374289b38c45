/* neighbors.h: neighbourhood collectives with blocks of many sizes, places and datatypes, and what must come of them by the standard. For
 * programs under the layer and for such that compare it with the MPI left alone: it needs nothing but MPI and malloc. */
#ifndef KNELL_TEST_MPI_NEIGHBORS_H
#define KNELL_TEST_MPI_NEIGHBORS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_ALLGATHER, NEAR_ALLGATHERV, NEAR_ALLTOALL, NEAR_ALLTOALLV, NEAR_ALLTOALLW, NEAR_KINDS };

/* The neighbours of this member, and which block of a source's comes as the block of that number here. */
struct near {
    MPI_Comm comm;
    int rank, size, in, out;
    int *from, *to, *match;
    bool cart;
    int longest;   /* the largest number of elements of a block */
    unsigned salt; /* sizes and places depend on it */
};

/* As a constant gcc takes it for an array without elements. */
static int *near_unweighted(void)
{
    int *volatile none = MPI_UNWEIGHTED;
    return none;
}

static inline int *near_no_weights(void)
{
    int *volatile none = MPI_WEIGHTS_EMPTY;
    return none;
}

static void *near_room(size_t bytes)
{
    void *made = calloc(1, bytes + 1);
    if (!made)
        abort();
    return made;
}

/* ---- who is near ------------------------------------------------------------------------------------------------------------------ */

static void near_ask_cart(struct near *near)
{
    int dims;
    MPI_Cartdim_get(near->comm, &dims);
    near->cart = true;
    near->in = near->out = 2 * dims;
    near->from = near_room(2 * (size_t)dims * sizeof(int));
    near->to = near_room(2 * (size_t)dims * sizeof(int));
    for (int i = 0; i < dims; i++)
        MPI_Cart_shift(near->comm, i, 1, &near->from[2 * i], &near->from[2 * i + 1]);
    memcpy(near->to, near->from, 2 * (size_t)dims * sizeof(int));
}

static void near_ask_graph(struct near *near)
{
    int count;
    MPI_Graph_neighbors_count(near->comm, near->rank, &count);
    near->in = near->out = count;
    near->from = near_room((size_t)count * sizeof(int));
    near->to = near_room((size_t)count * sizeof(int));
    MPI_Graph_neighbors(near->comm, near->rank, count, near->from);
    memcpy(near->to, near->from, (size_t)count * sizeof(int));
}

static void near_ask_dist_graph(struct near *near)
{
    int weighted;
    MPI_Dist_graph_neighbors_count(near->comm, &near->in, &near->out, &weighted);
    near->from = near_room((size_t)near->in * sizeof(int));
    near->to = near_room((size_t)near->out * sizeof(int));
    int *weights = near_room((size_t)(near->in + near->out) * sizeof(int));
    MPI_Dist_graph_neighbors(near->comm, near->in, near->from, weighted ? weights : near_unweighted(), near->out,
                             near->to, weighted ? weights + near->in : near_unweighted());
    free(weights);
}

/* The n-th edge from one member to another at its source is the n-th at its destination; in a grid what goes down comes from above. */
static void near_match(struct near *near)
{
    int *outs = near_room((size_t)near->size * sizeof(int)), *first = near_room((size_t)near->size * sizeof(int));
    int total = 0;
    MPI_Allgather(&near->out, 1, MPI_INT, outs, 1, MPI_INT, near->comm);
    for (int i = 0; i < near->size; i++)
        first[i] = total, total += outs[i];
    int *to = near_room((size_t)total * sizeof(int));
    MPI_Allgatherv(near->to, near->out, MPI_INT, to, outs, first, MPI_INT, near->comm);
    for (int t = 0; t < near->in; t++) {
        int source = near->from[t], before = 0, s = 0;
        near->match[t] = near->cart ? t ^ 1 : -1;
        if (source == MPI_PROC_NULL || near->cart)
            continue;
        for (int i = 0; i < t; i++)
            before += near->from[i] == source;
        while (s < outs[source] && (to[first[source] + s] != near->rank || before-- > 0))
            s++;
        near->match[t] = s;
    }
    free(outs);
    free(first);
    free(to);
}

static struct near near_of(MPI_Comm comm, int longest, unsigned salt)
{
    struct near near = {.comm = comm, .longest = longest, .salt = salt};
    int kind;
    MPI_Comm_rank(comm, &near.rank);
    MPI_Comm_size(comm, &near.size);
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        near_ask_cart(&near);
    else if (kind == MPI_GRAPH)
        near_ask_graph(&near);
    else
        near_ask_dist_graph(&near);
    near.match = near_room((size_t)near.in * sizeof(int));
    near_match(&near);
    return near;
}

static void near_free(struct near *near)
{
    free(near->from);
    free(near->to);
    free(near->match);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------------------ */

/* Block s of a member; of an allgather all are alike. */
static int near_count(const struct near *near, int kind, int rank, int s)
{
    bool one = kind == NEAR_ALLGATHER || kind == NEAR_ALLTOALL, same = one || kind == NEAR_ALLGATHERV;
    unsigned mixed = near->salt * 7u + (one ? 0u : (unsigned)rank * 5u) + (same ? 0u : (unsigned)s * 3u);
    return (int)(mixed % (unsigned)near->longest) + (one ? 1 : 0);
}

static int near_value(int kind, int rank, int s, int i)
{
    return 100003 * rank + 1009 * (kind < NEAR_ALLTOALL ? 0 : s) + i;
}

/* Blocks lie apart, in an order of their own; in a row where the call says so. Some are every other element (alltoallw). */
struct near_side {
    int blocks, step;
    int *counts, *displs, *data;
    MPI_Aint *bytes;
    MPI_Datatype *types;
};

static int near_place(const struct near *near, int kind, int block, int blocks)
{
    if (kind == NEAR_ALLGATHER || kind == NEAR_ALLTOALL)
        return block;
    return near->salt % 2 ? block : blocks - 1 - block;
}

static struct near_side near_side(const struct near *near, int kind, int blocks, bool recv)
{
    bool one = kind == NEAR_ALLGATHER || kind == NEAR_ALLTOALL;
    size_t n = (size_t)blocks;
    struct near_side side = {blocks, one ? near_count(near, kind, 0, 0) : 2 * near->longest + 2, 0, 0, 0, 0, 0};
    side.counts = near_room(n * sizeof(int));
    side.displs = near_room(n * sizeof(int));
    side.bytes = near_room(n * sizeof(MPI_Aint));
    side.types = near_room(n * sizeof(MPI_Datatype));
    side.data = near_room((n + 1) * (size_t)side.step * sizeof(int));
    for (int b = 0; b < blocks; b++) {
        int rank = recv ? near->from[b] : near->rank, s = recv ? near->match[b] : b;
        side.counts[b] = rank == MPI_PROC_NULL ? 1 : near_count(near, kind, rank, s);
        side.displs[b] = side.step * near_place(near, kind, b, blocks);
        side.bytes[b] = (MPI_Aint)side.displs[b] * (MPI_Aint)sizeof(int);
        side.types[b] = MPI_INT;
    }
    memset(side.data, -1, (n + 1) * (size_t)side.step * sizeof(int));
    return side;
}

/* Every other element, on one of the sides or on both: as one element of a datatype. */
static void near_stretch(const struct near *near, struct near_side *side, bool recv)
{
    for (int b = 0; b < side->blocks; b++)
        if ((near->salt + (unsigned)b + (recv ? 1u : 0u)) % 3 == 0) {
            MPI_Type_vector(side->counts[b], 1, 2, MPI_INT, &side->types[b]);
            MPI_Type_commit(&side->types[b]);
            side->counts[b] = 1;
        }
}

static void near_side_free(struct near_side *side)
{
    for (int b = 0; b < side->blocks; b++)
        if (side->types[b] != MPI_INT)
            MPI_Type_free(&side->types[b]);
    free(side->counts);
    free(side->displs);
    free(side->bytes);
    free(side->types);
    free(side->data);
}

static int *near_at(const struct near_side *side, int block, int i)
{
    return side->data + side->displs[block] + (side->types[block] == MPI_INT ? i : 2 * i);
}

static void near_fill(const struct near *near, int kind, const struct near_side *send)
{
    for (int b = 0; b < send->blocks; b++)
        for (int i = 0; i < near_count(near, kind, near->rank, b); i++)
            *near_at(send, b, i) = near_value(kind, near->rank, b, i);
}

/* As it must be: what is not received stays. */
static void near_want(const struct near *near, int kind, struct near_side *want)
{
    for (int b = 0; b < want->blocks; b++)
        for (int i = 0; near->from[b] != MPI_PROC_NULL && i < near_count(near, kind, near->from[b], near->match[b]);
             i++)
            *near_at(want, b, i) = near_value(kind, near->from[b], near->match[b], i);
}

/* ---- one of them -------------------------------------------------------------------------------------------------------------------- */

#define NEAR_BOTH(call, icall, ...) (request ? icall(__VA_ARGS__, request) : call(__VA_ARGS__))

static int near_call(const struct near *near, int kind, const struct near_side *s, struct near_side *r,
                     MPI_Request *request)
{
    int count = near_count(near, kind, near->rank, 0);
    switch (kind) {
    case NEAR_ALLGATHER:
        return NEAR_BOTH(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, s->data, count, MPI_INT, r->data, count,
                         MPI_INT, near->comm);
    case NEAR_ALLGATHERV:
        return NEAR_BOTH(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, s->data, count, MPI_INT, r->data, r->counts,
                         r->displs, MPI_INT, near->comm);
    case NEAR_ALLTOALL:
        return NEAR_BOTH(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, s->data, count, MPI_INT, r->data, count,
                         MPI_INT, near->comm);
    case NEAR_ALLTOALLV:
        return NEAR_BOTH(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, s->data, s->counts, s->displs, MPI_INT,
                         r->data, r->counts, r->displs, MPI_INT, near->comm);
    default:
        return NEAR_BOTH(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, s->data, s->counts, s->bytes, s->types,
                         r->data, r->counts, r->bytes, r->types, near->comm);
    }
}

/* One that is begun: blocking ones are over by then. */
struct near_op {
    const struct near *near;
    int kind;
    struct near_side send, recv, want;
    MPI_Request request;
};

static void near_prepare(const struct near *near, int kind, struct near_op *op)
{
    bool one = kind < NEAR_ALLTOALL; /* only one block goes out */
    *op = (struct near_op){.near = near, .kind = kind, .request = MPI_REQUEST_NULL};
    op->send = near_side(near, kind, one ? 1 : near->out, false);
    op->recv = near_side(near, kind, near->in, true);
    op->want = near_side(near, kind, near->in, true);
    if (kind == NEAR_ALLTOALLW) {
        near_stretch(near, &op->send, false);
        near_stretch(near, &op->recv, true);
        near_stretch(near, &op->want, true);
    }
    near_fill(near, kind, &op->send);
    near_want(near, kind, &op->want);
}

static int near_begin(const struct near *near, int kind, bool later, struct near_op *op)
{
    near_prepare(near, kind, op);
    return near_call(near, kind, &op->send, &op->recv, later ? &op->request : NULL);
}

/* The code of its completion. *wrong: so many integers of the receive buffer are not what they must be; *digest: mixed with all of them. */
static int near_end(struct near_op *op, int *wrong, unsigned long long *digest)
{
    int code = MPI_Wait(&op->request, MPI_STATUS_IGNORE);
    *wrong = 0;
    for (int i = 0; i < (op->recv.blocks + 1) * op->recv.step; i++) {
        *wrong += op->recv.data[i] != op->want.data[i];
        *digest = (*digest ^ (unsigned)op->recv.data[i]) * 1099511628211ull;
    }
    near_side_free(&op->send);
    near_side_free(&op->recv);
    near_side_free(&op->want);
    return code;
}

static inline int near_do(const struct near *near, int kind, bool later, int *wrong, unsigned long long *digest)
{
    struct near_op op;
    int code = near_begin(near, kind, later, &op), ended = near_end(&op, wrong, digest);
    return code != MPI_SUCCESS ? code : ended;
}

#endif
