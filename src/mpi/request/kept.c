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
    struct kept_user *users;
    struct kept kept;
    _Atomic bool some; /* is there anything in it that may not be in use? */
} keeping;

static bool type_is_used(MPI_Datatype type)
{
    bool used = false;
    for (const struct kept_user *user = keeping.users; user && !used; user = user->next)
        used = user->uses_type(user, type);
    return used;
}

static bool op_is_used(MPI_Op op)
{
    bool used = false;
    for (const struct kept_user *user = keeping.users; user && !used; user = user->next)
        used = user->uses_op(user, op);
    return used;
}

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
    bool later = *op != MPI_OP_NULL && (keeping.active > 0 || op_is_used(*op));
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
    bool later = (keeping.active > 0 || type_is_used(*type)) && kept_can_be_freed(*type);
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

void kept_use(struct kept_user *user)
{
    lock_take(LOCK_KEPT);
    user->next = keeping.users;
    keeping.users = user;
    lock_give(LOCK_KEPT);
}

void kept_use_no_more(struct kept_user *user)
{
    lock_take(LOCK_KEPT);
    struct kept_user **at = &keeping.users;
    while (*at != user)
        at = &(*at)->next;
    *at = user->next;
    keeping.some = keeping.kept.op_count + keeping.kept.type_count > 0;
    lock_give(LOCK_KEPT);
}

/* One that nobody uses, off the list; the newest are looked at first. */
#define TAKE(list, count, is_used, taken)                      \
    do {                                                       \
        lock_take(LOCK_KEPT);                                  \
        size_t at_ = keeping.active == 0 ? (count) : 0;        \
        if (keeping.active > 0 && (count) > 0)                 \
            keeping.some = true; /* one has begun meanwhile */ \
        while (at_ > 0 && is_used((list)[at_ - 1]))            \
            at_--;                                             \
        if (at_ > 0) {                                         \
            *(taken) = (list)[at_ - 1];                        \
            (list)[at_ - 1] = (list)[--(count)];               \
        }                                                      \
        lock_give(LOCK_KEPT);                                  \
        return at_ > 0;                                        \
    } while (0)

static bool take_op(MPI_Op *op)
{
    TAKE(keeping.kept.ops, keeping.kept.op_count, op_is_used, op);
}

static bool take_type(MPI_Datatype *type)
{
    TAKE(keeping.kept.types, keeping.kept.type_count, type_is_used, type);
}

/* True: the lists are to be looked through. From now on they hold nothing of interest, unless it comes meanwhile. */
static bool begin_look(void)
{
    lock_take(LOCK_KEPT);
    bool look = keeping.active == 0;
    if (look)
        keeping.some = false;
    lock_give(LOCK_KEPT);
    return look;
}

void kept_free(void)
{
    MPI_Op op;
    MPI_Datatype type;
    if (LIKELY(!atomic_load_explicit(&keeping.some, memory_order_relaxed)) || !begin_look())
        return;
    while (take_op(&op))
        native.op_free(&op);
    while (take_type(&type))
        native.type_free(&type);
}
