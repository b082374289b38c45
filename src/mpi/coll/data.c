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
    struct knell__layout layout;
} last __attribute__((tls_model("initial-exec")));

KNELL__RARE static struct knell__layout layout_natively(MPI_Datatype type)
{
    struct knell__layout layout = {0};
    MPI_Aint low = 0;
    int size = 0;
    if (type == MPI_DATATYPE_NULL) /* whoever sends or copies it says so */
        return layout;
    knell__native.type_size(type, &size);
    knell__native.type_get_extent(type, &low, &layout.extent);
    knell__native.type_get_true_extent(type, &layout.true_low, &layout.true_extent);
    layout.size = (size_t)size;
    layout.dense = low == 0 && layout.true_low == 0 && size == layout.extent && size == layout.true_extent;
    return layout;
}

KNELL__RARE static bool predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_UNDEFINED;
    knell__native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

struct knell__layout knell__layout_of(MPI_Datatype type)
{
    if (KNELL__LIKELY(last.filled && last.type == type))
        return last.layout;
    struct knell__layout layout = layout_natively(type);
    if (type != MPI_DATATYPE_NULL && predefined(type)) {
        last.type = type;
        last.layout = layout;
        last.filled = true;
    }
    return layout;
}

/* ---- blocks -------------------------------------------------------------------------------------------------------------------- */

/* A type each; one type, with counts and places; all alike, in a row. */
static struct knell__block block_of(const void *buffer, int rank, int count, const int *counts, const int *displs,
                                    MPI_Datatype type, const MPI_Datatype *types)
{
    if (types)
        return (struct knell__block){knell__at(buffer, displs[rank], 1), counts[rank], types[rank]};
    MPI_Aint extent = knell__layout_of(type).extent;
    if (counts)
        return (struct knell__block){knell__at(buffer, displs[rank], extent), counts[rank], type};
    return (struct knell__block){knell__at(buffer, (MPI_Aint)rank * count, extent), count, type};
}

struct knell__block knell__send_block(const struct knell__coll_args *a, int rank)
{
    const struct knell__coll_arrays *by_rank = a->by_rank;
    return block_of(a->send, rank, a->send_count, by_rank->send_counts, by_rank->send_displs, a->send_type,
                    by_rank->send_types);
}

struct knell__block knell__recv_block(const struct knell__coll_args *a, int rank)
{
    const struct knell__coll_arrays *by_rank = a->by_rank;
    return block_of(a->recv, rank, a->recv_count, by_rank->recv_counts, by_rank->recv_displs, a->recv_type,
                    by_rank->recv_types);
}

/* ---- folding and copying ------------------------------------------------------------------------------------------------------ */

/* Nothing is done to data any more: see knell__coll_tell. */
static inline bool only_tells(const struct knell__coll *coll)
{
    return KNELL__RARELY(coll->mode == KNELL__COLL_TELLING);
}

static void note(struct knell__coll *coll, int code)
{
    if (KNELL__RARELY(code != MPI_SUCCESS) && coll->code == MPI_SUCCESS)
        coll->code = code;
}

/* The operation may be the program's, and call MPI: the guard is down here, as in all steps. */
void knell__coll_fold(struct knell__coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op)
{
    if (count > 0 && !only_tells(coll))
        note(coll, knell__native.reduce_local(from, into, count, type, op));
}

bool knell__op_commutes(MPI_Op op)
{
    int commutes = 0;
    knell__native.op_commutative(op, &commutes);
    return commutes;
}

/* In place both are the same data. Equal addresses alone do not say so: MPI_BOTTOM with two datatypes is two places. */
void knell__coll_copy(struct knell__coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into,
                      int into_count, MPI_Datatype into_type)
{
    if (only_tells(coll))
        return;
    if (KNELL__RARELY(from_count < 0 || into_count < 0)) {
        note(coll, MPI_ERR_COUNT);
        return;
    }
    if (KNELL__RARELY(from_type == MPI_DATATYPE_NULL || into_type == MPI_DATATYPE_NULL)) {
        note(coll, MPI_ERR_TYPE);
        return;
    }
    struct knell__layout a = knell__layout_of(from_type), b = from_type == into_type ? a : knell__layout_of(into_type);
    size_t bytes = a.size * (size_t)from_count;
    if (bytes == 0 || (from == into && from_type == into_type))
        return;
    if (KNELL__RARELY(bytes > b.size * (size_t)into_count))
        note(coll, MPI_ERR_TRUNCATE); /* Open MPI would say nothing */
    else if (KNELL__LIKELY(a.dense && b.dense))
        memcpy(into, from, bytes);
    else
        note(coll, knell__copy(from, from_count, from_type, into, into_count, into_type));
}

void knell__coll_pack(struct knell__coll *coll, const void *from, int count, MPI_Datatype type, void *bytes)
{
    struct knell__layout layout = knell__layout_of(type);
    size_t size = layout.size * (size_t)count;
    int used;
    if (size == 0 || only_tells(coll))
        return;
    if (KNELL__LIKELY(layout.dense))
        memcpy(bytes, from, size);
    else
        note(coll, knell__pack(from, count, type, bytes, size < INT_MAX ? (int)size : INT_MAX, &used));
}

void knell__coll_unpack(struct knell__coll *coll, const void *bytes, void *into, int count, MPI_Datatype type)
{
    struct knell__layout layout = knell__layout_of(type);
    size_t size = layout.size * (size_t)count;
    if (size == 0 || only_tells(coll))
        return;
    if (KNELL__LIKELY(layout.dense))
        memcpy(into, bytes, size);
    else
        note(coll, knell__unpack(bytes, size < INT_MAX ? (int)size : INT_MAX, into, count, type));
}

/* ---- scratch ------------------------------------------------------------------------------------------------------------------- */

void *knell__coll_scratch(struct knell__coll *coll, size_t count, MPI_Datatype type)
{
    struct knell__layout layout = knell__layout_of(type);
    MPI_Aint rest = count > 0 ? (MPI_Aint)(count - 1) * layout.extent : 0; /* extents may be negative */
    size_t bytes = count > 0 ? (size_t)(layout.true_extent + (rest < 0 ? -rest : rest)) : 0;
    if (KNELL__RARELY(bytes > sizeof coll->inline_scratch) && !only_tells(coll))
        coll->scratch = malloc(bytes);
    if (KNELL__RARELY(!coll->scratch)) {
        note(coll, MPI_ERR_NO_MEM);
        return NULL;
    }
    return knell__at(coll->scratch, 1, (rest < 0 ? -rest : 0) - layout.true_low);
}
