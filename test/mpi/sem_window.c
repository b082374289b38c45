/* sem_window: windows in shared memory: what MPI says of them without failures, and what a death, or a revoke, does to each call. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

enum { CELLS = 8, TURNS = 50 };

static MPI_Win window_of(MPI_Comm comm, MPI_Aint cells, int **base)
{
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Win_allocate_shared(cells * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, comm, base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static int *part_of(MPI_Win win, int rank)
{
    MPI_Aint size;
    int unit, *base;
    OK(MPI_Win_shared_query(win, rank, &size, &unit, &base));
    return base;
}

/* ---- without failures ---------------------------------------------------------------------------------------------------------- */

static void queries(MPI_Comm comm)
{
    int *base, *first, *size_of, unit, flag, *flavor, rank, size;
    MPI_Aint bytes, *attribute;
    MPI_Group group;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    MPI_Win win = window_of(comm, rank == 0 ? 0 : CELLS + rank, &base);
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first));
    CHECK(bytes == (MPI_Aint)(CELLS + 1) * (MPI_Aint)sizeof(int) && unit == sizeof(int) && first == part_of(win, 1));
    for (int r = 2; r < size; r++) /* in a row */
        CHECK(part_of(win, r) == part_of(win, r - 1) + CELLS + r - 1);
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &size_of, &flag));
    CHECK(flag && size_of == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &attribute, &flag));
    CHECK(flag && *attribute == (rank == 0 ? 0 : CELLS + rank) * (MPI_Aint)sizeof(int));
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &size_of, &flag));
    CHECK(flag && *size_of == sizeof(int));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_SHARED);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_UNIFIED);
    OK(MPI_Win_get_group(win, &group));
    CHECK(group_size(group) == size);
    OK(MPI_Group_free(&group));
    CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
}

static int deleted;
static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static int heard;
static void on_error(MPI_Win *win, int *code, ...)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    OK(MPI_Win_get_name(*win, name, &length));
    CHECK(strcmp(name, "mine") == 0);
    heard = *code;
}

static void own_attributes(MPI_Comm comm)
{
    int *base, keyval, seven = 7, flag, *got;
    MPI_Errhandler handler;
    MPI_Win win = window_of(comm, 1, &base);
    OK(MPI_Win_set_name(win, "mine"));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keyval, NULL));
    OK(MPI_Win_set_attr(win, keyval, &seven));
    OK(MPI_Win_get_attr(win, keyval, &got, &flag));
    CHECK(flag && got == &seven);
    OK(MPI_Win_create_errhandler(on_error, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Errhandler_free(&handler));
    FAILS(MPI_Put(&seven, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC); /* no epoch */
    CHECK(heard == MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    FAILS(MPI_Put(&seven, 1, MPI_INT, 0, 1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(&seven, 1, MPI_INT, all, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    FAILS(MPI_Put(&seven, -1, MPI_INT, 0, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    OK(MPI_Put(&seven, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(0, win));
    OK(MPI_Win_free(&win));
    CHECK(deleted == 7);
    OK(MPI_Win_free_keyval(&keyval));
    win = MPI_WIN_NULL;
    FAILS(MPI_Win_allocate_shared(all == me + 1 ? -1 : 8, 1, MPI_INFO_NULL, comm, &base, &win), MPI_ERR_SIZE);
    CHECK(win == MPI_WIN_NULL);
}

static void apart(MPI_Comm comm)
{
    int *base;
    MPI_Win win;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Win_allocate_shared(3, 1, info, comm, &base, &win));
    CHECK((uintptr_t)base % 4096 == 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Info_free(&info));
}

/* As GROMACS and CP2K do it. */
static void lock_all_and_sync(MPI_Comm comm)
{
    int *base;
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int turn = 1; turn <= TURNS; turn++) {
        base[0] = turn * 100 + me;
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(comm));
        OK(MPI_Win_sync(win));
        CHECK(part_of(win, (me + 1) % all)[0] == turn * 100 + (me + 1) % all);
        OK(MPI_Barrier(comm));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

static void fences(MPI_Comm comm)
{
    int *base, next = (me + 1) % all;
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int turn = 1; turn <= TURNS; turn++) {
        int value = turn * 100 + me, got = -1;
        OK(MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win));
        OK(MPI_Win_fence(0, win));
        CHECK(base[2] == turn * 100 + (me + all - 1) % all);
        OK(MPI_Get(&got, 1, MPI_INT, next, 2, 1, MPI_INT, win));
        OK(MPI_Win_fence(0, win));
        CHECK(got == value);
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
}

/* Everybody counts up under a lock of rank 0, without one by fetch and op, and by accumulate; at last by compare and swap. */
static void counters(MPI_Comm comm)
{
    int *base, one = 1, got;
    MPI_Request request;
    MPI_Win win = window_of(comm, CELLS, &base);
    memset(base, 0, CELLS * sizeof *base);
    OK(MPI_Win_fence(0, win));
    int *first = part_of(win, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        int value = first[0];
        first[1] = value; /* time for others to do the same */
        first[0] = value + 1;
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 2, MPI_SUM, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Raccumulate(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int seen = -1; seen != got;) {
            int want;
            OK(MPI_Rget(&got, 1, MPI_INT, 0, 4, 1, MPI_INT, win, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            want = got + 1;
            OK(MPI_Compare_and_swap(&want, &got, &seen, MPI_INT, 0, 4, win));
        }
        OK(MPI_Win_flush(0, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Win_fence(0, win));
    CHECK(first[0] == all * TURNS && first[2] == all * TURNS && first[3] == 2 * all * TURNS && first[4] == all * TURNS);
    OK(MPI_Win_free(&win));
}

/* Everybody's neighbour before it puts into it. */
static void post_and_start(MPI_Comm comm)
{
    int *base, before = (me + all - 1) % all, after = (me + 1) % all, flag;
    MPI_Group group, origin, target;
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_incl(group, 1, &before, &origin));
    OK(MPI_Group_incl(group, 1, &after, &target));
    for (int turn = 1; turn <= TURNS; turn++) {
        int value = turn * 100 + me;
        OK(MPI_Win_post(origin, 0, win));
        OK(MPI_Win_start(target, 0, win));
        OK(MPI_Put(&value, 1, MPI_INT, after, 5, 1, MPI_INT, win));
        OK(MPI_Win_complete(win));
        if (turn % 2)
            OK(MPI_Win_wait(win));
        for (flag = turn % 2; !flag;)
            OK(MPI_Win_test(win, &flag));
        CHECK(base[5] == turn * 100 + before);
    }
    OK(MPI_Group_free(&origin));
    OK(MPI_Group_free(&target));
    OK(MPI_Group_free(&group));
    OK(MPI_Win_free(&win));
}

static void allocated(MPI_Comm comm)
{
    int *base, *flavor, flag, got = -1;
    MPI_Win win;
    OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, comm, &base, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
    *base = me;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&got, 1, MPI_INT, (me + 1) % all, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK(got == (me + 1) % all);
    OK(MPI_Win_free(&win));
}

/* ---- with a death --------------------------------------------------------------------------------------------------------------- */

/* Rank 0 of the communicator dies with the lock that all others want; with a shared one; with those of all. */
static MPI_Comm holder_dies(MPI_Comm comm, int how)
{
    int *base, rank, size, sum = 0, one = 1, flag = -1;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    MPI_Win win = window_of(comm, CELLS, &base);
    int *second = part_of(win, 1);
    if (rank == 1)
        *second = 0;
    if (rank == 0)
        OK(how == 2 ? MPI_Win_lock_all(0, win)
                    : MPI_Win_lock(how == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, win));
    meet(comm);
    die_if(rank == 0);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    sum = *second + 1;
    *second = sum;
    OK(MPI_Win_unlock(1, win));
    learn_death(comm, 0);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Win_lock_all(0, win), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Win_fence(0, win), MPIX_ERR_PROC_FAILED);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, win));
    FAILS(MPI_Get(&sum, 1, MPI_INT, 0, 1, 1, MPI_INT, win), MPIX_ERR_PROC_FAILED);
    OK(MPI_Win_unlock(1, win));
    CHECK(part_of(win, 0) != NULL);
    MPI_Comm rest = shrunk(comm);
    meet(rest);
    CHECK(*second == size - 1);
    OK(MPIX_Win_is_revoked(win, &flag));
    CHECK(flag == 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&comm));
    return rest;
}

/* It dies while the others are in a fence, wait for its post, or free the window. */
static MPI_Comm fence_fails(MPI_Comm comm)
{
    int *base, rank, first = 0;
    MPI_Group group, dead;
    OK(MPI_Comm_rank(comm, &rank));
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_incl(group, 1, &first, &dead));
    OK(MPI_Win_fence(0, win));
    meet(comm);
    die_if(rank == 0);
    int code = rank % 2 ? CODE(MPI_Win_fence(0, win)) : CODE(MPI_Win_start(dead, 0, win));
    CHECK(code == MPIX_ERR_PROC_FAILED);
    OK(MPI_Group_free(&dead));
    OK(MPI_Group_free(&group));
    OK(MPI_Win_free(&win));
    MPI_Comm rest = shrunk(comm);
    OK(MPI_Comm_free(&comm));
    return rest;
}

/* A revoke releases whoever waits for a lock that is never given back, and for a post that never comes. */
static void revoked(MPI_Comm comm)
{
    int *base, rank, size, first = 0, flag = 0;
    MPI_Group group, target;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_incl(group, 1, &first, &target));
    if (rank == 0)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    meet(comm);
    if (rank == 0)
        OK(MPIX_Win_revoke(win));
    else if (rank == 1)
        FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPIX_ERR_REVOKED);
    else
        FAILS(MPI_Win_start(target, 0, win), MPIX_ERR_REVOKED);
    FAILS(MPI_Win_fence(0, win), MPIX_ERR_REVOKED);
    OK(MPI_Win_is_revoked(win, &flag));
    CHECK(flag);
    OK(MPI_Barrier(
        comm)); /* which is not revoked; rank 1 may have the lock of a window whose revoke it has not heard of */
    if (rank == 0)
        FAILS(MPI_Win_unlock(0, win), MPIX_ERR_REVOKED);
    OK(MPI_Group_free(&target));
    OK(MPI_Group_free(&group));
    OK(MPI_Win_free(&win));
}

/* Some come to the creation when it is dead already, or dies in it: all or none. */
static MPI_Comm creation_fails(MPI_Comm comm)
{
    int *base, rank;
    MPI_Win win = MPI_WIN_NULL;
    OK(MPI_Comm_rank(comm, &rank));
    meet(comm);
    die_if(rank == 0);
    FAILS(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, comm, &base, &win), MPIX_ERR_PROC_FAILED);
    CHECK(win == MPI_WIN_NULL);
    MPI_Comm rest = shrunk(comm);
    OK(MPI_Comm_free(&comm));
    return rest;
}

static MPI_Comm free_with_a_death(MPI_Comm comm)
{
    int *base, rank;
    OK(MPI_Comm_rank(comm, &rank));
    MPI_Win win = window_of(comm, CELLS, &base);
    OK(MPI_Win_lock_all(0, win));
    meet(comm);
    die_if(rank == 0);
    learn_death(comm, 0);
    OK(MPI_Win_free(&win)); /* with its locks */
    MPI_Comm rest = shrunk(comm);
    OK(MPI_Comm_free(&comm));
    return rest;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    begin(&argc, &argv, 40);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    queries(comm);
    own_attributes(comm);
    apart(comm);
    lock_all_and_sync(comm);
    fences(comm);
    counters(comm);
    post_and_start(comm);
    allocated(comm);
    revoked(comm);
    for (int how = 0; how < 3; how++)
        comm = holder_dies(comm, how);
    comm = fence_fails(comm);
    comm = creation_fails(comm);
    comm = free_with_a_death(comm);
    OK(MPI_Comm_free(&comm));
    return end();
}
