/* passive.c: synchronisation that names no other member but the target: locks, flushes, sync. Every access is done when its call returns, so
 * a flush has nothing to wait for. */
#include "mpi/base/gen/own.h"
#include "mpi/window/window.h"

static bool is_rank(const struct window *window, int rank)
{
    return rank >= 0 && rank < window->comm->size;
}

/* ---- locks --------------------------------------------------------------------------------------------------------------------- */

static int lock(struct window *window, int type, int rank)
{
    if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        return MPI_ERR_LOCKTYPE;
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!is_rank(window, rank))
        return MPI_ERR_RANK;
    if (window->locked_all || window->locked[rank])
        return MPI_ERR_RMA_SYNC;
    int code = turn_take(window, rank, type == MPI_LOCK_EXCLUSIVE);
    window->locked[rank] = code == MPI_SUCCESS;
    return code;
}

int mpi_win_lock(int lock_type, int rank, int assert, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, lock(window, lock_type, rank))
                  : native.win_lock(lock_type, rank, assert, handle);
}

/* The lock is given back though the window may be revoked. */
static int unlock(struct window *window, int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!is_rank(window, rank))
        return MPI_ERR_RANK;
    if (!window->locked[rank])
        return MPI_ERR_RMA_SYNC;
    window->locked[rank] = false;
    turn_give(window, rank);
    return window_revoked(window) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

int mpi_win_unlock(int rank, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, unlock(window, rank)) : native.win_unlock(rank, handle);
}

static void give_first(struct window *window, int count)
{
    for (int i = 0; i < count; i++)
        turn_give(window, i);
}

/* In the order of ranks, as everybody does. */
static int lock_all(struct window *window)
{
    int code = op_check(window->comm, PEER_ALL);
    for (int i = 0; i < window->comm->size; i++)
        if (window->locked_all || window->locked[i])
            return MPI_ERR_RMA_SYNC;
    for (int i = 0; i < window->comm->size && code == MPI_SUCCESS; i++) {
        code = turn_take(window, i, false);
        if (code != MPI_SUCCESS)
            give_first(window, i);
    }
    window->locked_all = code == MPI_SUCCESS;
    return code;
}

int mpi_win_lock_all(int assert, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, lock_all(window)) : native.win_lock_all(assert, handle);
}

static int unlock_all(struct window *window)
{
    if (!window->locked_all)
        return MPI_ERR_RMA_SYNC;
    window->locked_all = false;
    give_first(window, window->comm->size);
    return window_revoked(window) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

int mpi_win_unlock_all(MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, unlock_all(window)) : native.win_unlock_all(handle);
}

/* ---- flush and sync ------------------------------------------------------------------------------------------------------------ */

static int flush_all(struct window *window)
{
    bool locked = window->locked_all;
    for (int i = 0; i < window->comm->size; i++)
        locked = locked || window->locked[i];
    if (!locked)
        return MPI_ERR_RMA_SYNC;
    atomic_thread_fence(memory_order_seq_cst);
    return window_revoked(window) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

static int flush(struct window *window, int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!is_rank(window, rank))
        return MPI_ERR_RANK;
    return window->locked_all || window->locked[rank] ? flush_all(window) : MPI_ERR_RMA_SYNC;
}

int mpi_win_flush(int rank, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, flush(window, rank)) : native.win_flush(rank, handle);
}

int mpi_win_flush_local(int rank, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, flush(window, rank)) : native.win_flush_local(rank, handle);
}

int mpi_win_flush_all(MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, flush_all(window)) : native.win_flush_all(handle);
}

int mpi_win_flush_local_all(MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, flush_all(window)) : native.win_flush_local_all(handle);
}

/* Local: it says nothing of failures. */
int mpi_win_sync(MPI_Win handle)
{
    if (!window_of(handle))
        return native.win_sync(handle);
    atomic_thread_fence(memory_order_seq_cst);
    return MPI_SUCCESS;
}
