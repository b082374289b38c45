/* kept.c: see kept.h. */
#include "mpi/request/kept.h"
#include "mpi/base/gen/own.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/native/native.h"

#include <stdlib.h>

struct kept {
    MPI_Op *ops;
    MPI_Datatype *types;
    size_t op_count, type_count;
};

/* LOCK_KEPT. */
static struct {
    int active; /* nonblocking collectives */
    struct kept kept;
    _Atomic bool some; /* is there anything in it? */
} keeping;

/* Without memory it is kept for ever. */
#define KEEP(list, count, handle)                                        \
    do {                                                                 \
        void *larger_ = realloc((list), ((count) + 1) * sizeof *(list)); \
        if (larger_) {                                                   \
            (list) = larger_;                                            \
            (list)[(count)++] = (handle);                                \
            keeping.some = true;                                         \
        }                                                                \
    } while (0)

int mpi_op_free(MPI_Op *op)
{
    lock_take(LOCK_KEPT);
    bool later = keeping.active > 0 && *op != MPI_OP_NULL;
    if (later)
        KEEP(keeping.kept.ops, keeping.kept.op_count, *op);
    lock_give(LOCK_KEPT);
    if (!later)
        return native.op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

/* The MPI's own are not the program's to free: the MPI below says so. */
bool kept_can_be_freed(MPI_Datatype type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (type != MPI_DATATYPE_NULL)
        native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner != MPI_COMBINER_NAMED;
}

int mpi_type_free(MPI_Datatype *type)
{
    lock_take(LOCK_KEPT);
    bool later = keeping.active > 0 && kept_can_be_freed(*type);
    if (later)
        KEEP(keeping.kept.types, keeping.kept.type_count, *type);
    lock_give(LOCK_KEPT);
    if (!later)
        return native.type_free(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

void kept_begin(void)
{
    lock_take(LOCK_KEPT);
    keeping.active++;
    lock_give(LOCK_KEPT);
}

void kept_end(void)
{
    lock_take(LOCK_KEPT);
    keeping.active--;
    lock_give(LOCK_KEPT);
}

static struct kept take_all(void)
{
    struct kept taken = {0};
    lock_take(LOCK_KEPT);
    if (keeping.active == 0) {
        taken = keeping.kept;
        keeping.kept = (struct kept){0};
        keeping.some = false;
    }
    lock_give(LOCK_KEPT);
    return taken;
}

void kept_free(void)
{
    if (LIKELY(!atomic_load_explicit(&keeping.some, memory_order_relaxed)))
        return;
    struct kept mine = take_all();
    while (mine.op_count > 0)
        native.op_free(&mine.ops[--mine.op_count]);
    while (mine.type_count > 0)
        native.type_free(&mine.types[--mine.type_count]);
    free(mine.ops);
    free(mine.types);
}
