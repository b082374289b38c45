/* data.c: what a collective does with data on its own: layouts of datatypes, folding, copying, packing, scratch. */
#include "mpi/coll/coll.h"
#include "mpi/request/copy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- layouts ------------------------------------------------------------------------------------------------------------------ */

/* The last predefined datatype seen: those are never freed, so what is known of them stays true. */
static _Thread_local struct {
    MPI_Datatype type;
    bool filled;
    struct coll_layout layout;
} last __attribute__((tls_model("initial-exec")));

RARE static bool predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_UNDEFINED;
    native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* Are its elements in memory in the order in which they travel? Of datatypes that are all bytes in a row, some are not so. */
static bool is_in_order(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_UNDEFINED, count;
    MPI_Aint none;
    MPI_Datatype inner;
    native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP)
        return combiner == MPI_COMBINER_NAMED;
    native.type_get_contents(type, integers, 0, 1, &count, &none, &inner);
    bool in_order = is_in_order(inner);
    if (!predefined(inner))
        native.type_free(&inner);
    return in_order;
}

RARE static struct coll_layout layout_natively(MPI_Datatype type)
{
    struct coll_layout layout = {0};
    MPI_Aint low = 0;
    int size = 0;
    if (type == MPI_DATATYPE_NULL) /* whoever sends or copies it says so */
        return layout;
    native.type_size(type, &size);
    native.type_get_extent(type, &low, &layout.extent);
    native.type_get_true_extent(type, &layout.true_low, &layout.true_extent);
    layout.size = (size_t)size;
    layout.dense =
        low == 0 && layout.true_low == 0 && size == layout.extent && size == layout.true_extent && is_in_order(type);
    return layout;
}

struct coll_layout coll_layout_of(MPI_Datatype type)
{
    if (LIKELY(last.filled && last.type == type))
        return last.layout;
    struct coll_layout layout = layout_natively(type);
    if (type != MPI_DATATYPE_NULL && predefined(type)) {
        last.type = type;
        last.layout = layout;
        last.filled = true;
    }
    return layout;
}

/* ---- blocks -------------------------------------------------------------------------------------------------------------------- */

/* A type each; one type, with counts and places; all alike, in a row. */
static struct coll_block block_of(const void *buffer, int rank, int count, const int *counts, const int *displs,
                                  const MPI_Aint *bytes, MPI_Datatype type, const MPI_Datatype *types)
{
    if (types)
        return (struct coll_block){coll_at(buffer, bytes ? bytes[rank] : displs[rank], 1), counts[rank], types[rank]};
    MPI_Aint extent = coll_layout_of(type).extent;
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
    else if (LIKELY(a.dense && b.dense))
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
    if (LIKELY(layout.dense))
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
    if (LIKELY(layout.dense))
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
