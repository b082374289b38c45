/* bcast.c: MPI_Bcast and MPI_Ibcast.
 *
 * Down a binomial tree; very much data to several members in segments down a chain, every member passing one on while the next
 * comes in. Segments are cut from bytes in a row, since members may describe the same data by different datatypes. They are more than
 * goes eagerly: a root could run ahead of the others by one broadcast after the other, all of which they would have to keep. On one
 * host the tree is a little quicker, up to 8 MiB. Between hosts its root has to send everything log n times. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

#include <limits.h>

enum { SEGMENT = 512 << 10, CHAIN_BYTES = 2 << 20 };

static int label_of(const struct coll *coll)
{
    return (coll->comm->rank - coll->args->root + coll->comm->size) % coll->comm->size;
}

static int rank_of(const struct coll *coll, int label)
{
    return (label + coll->args->root) % coll->comm->size;
}

/* Round 0 receives, round 1 sends to all children. */
static bool tree_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int size = coll->comm->size, label = label_of(coll), low = label ? label & -label : 1 << 30;
    if (label == 0 && coll->round == 0)
        coll->round = 1;
    if (coll->round == 0)
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, rank_of(coll, label ^ low));
    if (coll->round == 1)
        for (int far = 1; far < low && label + far < size; far <<= 1)
            coll_send(coll, a->recv, a->recv_count, a->recv_type, rank_of(coll, label + far));
    return coll->round < 2;
}

/* ---- the chain ------------------------------------------------------------------------------------------------------------------ */

static size_t bytes_of(const struct coll *coll)
{
    return coll_size_of(coll->args->recv_type) * (size_t)coll->args->recv_count;
}

static bool is_dense(const struct coll_args *a)
{
    struct coll_layout layout = coll_layout_of(a->recv_type);
    return coll_is_dense(a->recv_type, &layout);
}

static void chain_begin(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    coll->mine = a->recv;
    if (is_dense(a))
        return;
    coll->mine = coll_scratch(coll, bytes_of(coll), MPI_BYTE);
    if (coll->mine && label_of(coll) == 0)
        coll_pack(coll, a->recv, a->recv_count, a->recv_type, coll->mine);
}

static void pass(struct coll *coll, size_t segment, bool onwards)
{
    size_t at = segment * SEGMENT, all = bytes_of(coll), count = all - at < SEGMENT ? all - at : SEGMENT;
    int label = label_of(coll);
    if (onwards && label + 1 < coll->comm->size)
        coll_send(coll, (char *)coll->mine + at, (int)count, MPI_PACKED, rank_of(coll, label + 1));
    if (!onwards && label > 0)
        coll_recv(coll, (char *)coll->mine + at, (int)count, MPI_PACKED, rank_of(coll, label - 1));
}

/* Round i receives segment i and sends the one before. */
static bool chain_step(struct coll *coll)
{
    size_t segments = (bytes_of(coll) + SEGMENT - 1) / SEGMENT;
    if (coll->round == 0)
        chain_begin(coll);
    if (coll->code != MPI_SUCCESS)
        return false;
    if (coll->round < segments)
        pass(coll, coll->round, false);
    if (coll->round > 0 && coll->round <= segments)
        pass(coll, coll->round - 1, true);
    if (coll->round <= segments)
        return true;
    if (label_of(coll) > 0 && !is_dense(coll->args))
        coll_unpack(coll, coll->mine, coll->args->recv, coll->args->recv_count, coll->args->recv_type);
    return false;
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------------- */

static bool bcast_step(struct coll *coll)
{
    if (coll_wrong(coll))
        return false;
    size_t bytes = coll->comm->size > 2 ? bytes_of(coll) : 0;
    coll->step = bytes >= CHAIN_BYTES && bytes <= INT_MAX ? chain_step : tree_step;
    return coll->step(coll);
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    struct coll_args args = {.recv = buffer,
                             .recv_count = count,
                             .recv_type = type,
                             .root = root,
                             .gives = COLL_GIVES_MESSAGE,
                             .inter = coll_inter_bcast};
    return coll_call(comm, bcast_step, &args, request);
}

int mpi_bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return bcast(buffer, count, datatype, root, comm, NULL);
}

int mpi_ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request)
{
    return bcast(buffer, count, datatype, root, comm, request);
}
