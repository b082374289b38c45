/* data.c: what a collective does with data on its own: folding, copying, packing, scratch. */
#include "mpi/coll/coll.h"
#include "mpi/request/copy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks -------------------------------------------------------------------------------------------------------------------- */

/* A type each; one type, with counts and places; all alike, in a row. */
static struct coll_block block_of(const void *buffer, int rank, int count, const int *counts, const int *displs,
                                  const MPI_Aint *bytes, MPI_Datatype type, const MPI_Datatype *types)
{
    if (types)
        return (struct coll_block){coll_at(buffer, bytes ? bytes[rank] : displs[rank], 1), counts[rank], types[rank]};
    MPI_Aint extent = coll_extent_of(type);
    if (counts)
        return (struct coll_block){coll_at(buffer, displs[rank], extent), counts[rank], type};
    return (struct coll_block){coll_at(buffer, (MPI_Aint)rank * count, extent), count, type};
}

struct coll_block coll_send_block(const struct coll_args *a, int rank)
{
    const struct coll_arrays *by_rank = a->by_rank;
    return block_of(a->send, rank, a->send_count, by_rank->send_counts, by_rank->send_displs, by_rank->send_bytes,
                    a->send_type, by_rank->send_types);
}

struct coll_block coll_recv_block(const struct coll_args *a, int rank)
{
    const struct coll_arrays *by_rank = a->by_rank;
    return block_of(a->recv, rank, a->recv_count, by_rank->recv_counts, by_rank->recv_displs, by_rank->recv_bytes,
                    a->recv_type, by_rank->recv_types);
}

/* ---- folding and copying ------------------------------------------------------------------------------------------------------ */

/* Nothing is done to data any more: see coll_tell. */
static inline bool only_tells(const struct coll *coll)
{
    return RARELY(coll->mode == COLL_TELLING);
}

static void note(struct coll *coll, int code)
{
    if (RARELY(code != MPI_SUCCESS) && coll->code == MPI_SUCCESS)
        coll->code = code;
}

/* The operation may be the program's, and call MPI: the guard is down here, as in all steps. */
void coll_fold(struct coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op)
{
    if (count > 0 && !only_tells(coll))
        note(coll, native.reduce_local(from, into, count, type, op));
}

bool coll_op_commutes(MPI_Op op)
{
    int commutes = 0;
    native.op_commutative(op, &commutes);
    return commutes;
}

/* In place both are the same data. Equal addresses alone do not say so: MPI_BOTTOM with two datatypes is two places. */
void coll_copy(struct coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
               MPI_Datatype into_type)
{
    if (only_tells(coll))
        return;
    if (RARELY(from_count < 0 || into_count < 0)) {
        note(coll, MPI_ERR_COUNT);
        return;
    }
    if (RARELY(from_type == MPI_DATATYPE_NULL || into_type == MPI_DATATYPE_NULL)) {
        note(coll, MPI_ERR_TYPE);
        return;
    }
    struct coll_layout a = coll_layout_of(from_type), b = from_type == into_type ? a : coll_layout_of(into_type);
    size_t bytes = a.size * (size_t)from_count;
    if (bytes == 0 || (from == into && from_type == into_type))
        return;
    if (RARELY(bytes > b.size * (size_t)into_count))
        note(coll, MPI_ERR_TRUNCATE); /* Open MPI would say nothing */
    else if (LIKELY(coll_is_dense(from_type, &a) && (from_type == into_type || coll_is_dense(into_type, &b))))
        memcpy(into, from, bytes);
    else
        note(coll, copy_data(from, from_count, from_type, into, into_count, into_type));
}

void coll_pack(struct coll *coll, const void *from, int count, MPI_Datatype type, void *bytes)
{
    struct coll_layout layout = coll_layout_of(type);
    size_t size = layout.size * (size_t)count;
    int used;
    if (size == 0 || only_tells(coll))
        return;
    if (LIKELY(coll_is_dense(type, &layout)))
        memcpy(bytes, from, size);
    else
        note(coll, copy_pack(from, count, type, bytes, size < INT_MAX ? (int)size : INT_MAX, &used));
}

void coll_unpack(struct coll *coll, const void *bytes, void *into, int count, MPI_Datatype type)
{
    struct coll_layout layout = coll_layout_of(type);
    size_t size = layout.size * (size_t)count;
    if (size == 0 || only_tells(coll))
        return;
    if (LIKELY(coll_is_dense(type, &layout)))
        memcpy(into, bytes, size);
    else
        note(coll, copy_unpack(bytes, size < INT_MAX ? (int)size : INT_MAX, into, count, type));
}

/* ---- scratch ------------------------------------------------------------------------------------------------------------------- */

void *coll_scratch(struct coll *coll, size_t count, MPI_Datatype type)
{
    struct coll_layout layout = coll_layout_of(type);
    MPI_Aint rest = count > 0 ? (MPI_Aint)(count - 1) * layout.extent : 0; /* extents may be negative */
    size_t bytes = count > 0 ? (size_t)(layout.true_extent + (rest < 0 ? -rest : rest)) : 0;
    if (RARELY(bytes > sizeof coll->inline_scratch) && !only_tells(coll))
        coll->scratch = malloc(bytes);
    if (RARELY(!coll->scratch)) {
        note(coll, MPI_ERR_NO_MEM);
        return NULL;
    }
    return coll_at(coll->scratch, 1, (rest < 0 ? -rest : 0) - layout.true_low);
}
