/* active.c: synchronisation in which the target takes part: MPI_Win_fence, and post, start, complete, wait.
 *
 * The latter count in the shared memory: a target counts its posts for each origin, an origin how often it was done with each target. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/native_group.h"
#include "mpi/window/window.h"

#include <stdlib.h>

/* ---- fence --------------------------------------------------------------------------------------------------------------------- */

static int fence(struct window *window, int assert)
{
    int code = coll_barrier(window->comm);
    atomic_thread_fence(memory_order_seq_cst);
    window->fenced = code == MPI_SUCCESS && !(assert &MPI_MODE_NOSUCCEED);
    return code;
}

int mpi_win_fence(int assert, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, fence(window, assert)) : native.win_fence(assert, handle);
}

/* ---- groups -------------------------------------------------------------------------------------------------------------------- */

/* The ranks of a group, in its order. */
static int read_group(const struct window *window, MPI_Group group, struct window_ranks *ranks)
{
    int size, code = native.group_size(group, &size);
    if (code != MPI_SUCCESS)
        return code;
    int *rank = malloc(((size_t)size + 1) * sizeof *rank);
    if (!rank)
        return MPI_ERR_NO_MEM;
    code = native_group_processes(group, size, rank);
    for (int i = 0; i < size && code == MPI_SUCCESS; i++) {
        rank[i] = rank[i] < 0 ? -1 : window->comm->rank_of[rank[i]];
        if (rank[i] < 0)
            code = MPI_ERR_GROUP;
    }
    if (code != MPI_SUCCESS) {
        free(rank);
        return code;
    }
    *ranks = (struct window_ranks){rank, size};
    return MPI_SUCCESS;
}

static void forget(struct window_ranks *ranks)
{
    free(ranks->rank);
    *ranks = (struct window_ranks){NULL, -1};
}

static _Atomic uint64_t *word_of(const struct window *window, _Atomic uint64_t *table, int writer, int reader)
{
    return &table[(size_t)writer * (size_t)window->comm->size + (size_t)reader];
}

/* Until the word is at least `wanted`. What its writer did before it died counts. */
static int await(struct window *window, _Atomic uint64_t *word, int writer, uint64_t wanted)
{
    struct op op = op_begin(window->comm, window->comm->process_of[writer], REQUEST_TASK);
    int code = MPI_SUCCESS;
    for (unsigned turns = 0; atomic_load(word) < wanted && code == MPI_SUCCESS;)
        code = turn_idle(&op, &turns);
    return code != MPI_SUCCESS && atomic_load(word) >= wanted ? MPI_SUCCESS : code;
}

/* ---- the target ---------------------------------------------------------------------------------------------------------------- */

static int post(struct window *window, MPI_Group group)
{
    if (window->posted.count >= 0)
        return MPI_ERR_RMA_SYNC;
    if (window_revoked(window))
        return MPIX_ERR_REVOKED;
    int code = read_group(window, group, &window->posted), me = window->comm->rank;
    for (int i = 0; code == MPI_SUCCESS && i < window->posted.count; i++)
        atomic_fetch_add(word_of(window, window->control.posts, me, window->posted.rank[i]), 1);
    return code;
}

int mpi_win_post(MPI_Group group, int assert, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, post(window, group)) : native.win_post(group, assert, handle);
}

/* So many times has the target been posted for this origin: so many times it will be done. */
static uint64_t posted_for(const struct window *window, int origin)
{
    return atomic_load(word_of(window, window->control.posts, window->comm->rank, origin));
}

static int wait_for_origins(struct window *window)
{
    int code = MPI_SUCCESS, me = window->comm->rank;
    if (window->posted.count < 0)
        return MPI_ERR_RMA_SYNC;
    if (window_revoked(window))
        code = MPIX_ERR_REVOKED;
    for (int i = 0; code == MPI_SUCCESS && i < window->posted.count; i++) {
        int origin = window->posted.rank[i];
        code = await(window, word_of(window, window->control.complete, origin, me), origin, posted_for(window, origin));
    }
    forget(&window->posted);
    return code;
}

int mpi_win_wait(MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, wait_for_origins(window)) : native.win_wait(handle);
}

static bool all_are_done(const struct window *window)
{
    for (int i = 0; i < window->posted.count; i++) {
        int origin = window->posted.rank[i];
        if (atomic_load(word_of(window, window->control.complete, origin, window->comm->rank)) <
            posted_for(window, origin))
            return false;
    }
    return true;
}

/* Somebody who is dead and not done will never be. */
static bool any_is_lost(const struct window *window)
{
    for (int i = 0; i < window->posted.count; i++)
        if (side_is_dead(window->comm->process_of[window->posted.rank[i]]))
            return true;
    return window_revoked(window);
}

static int test(struct window *window, int *flag)
{
    unsigned turns = 0;
    if (window->posted.count < 0)
        return MPI_ERR_RMA_SYNC;
    bool lost = any_is_lost(window);
    *flag = all_are_done(window) && !window_revoked(window);
    if (*flag || lost) {
        int code = *flag ? MPI_SUCCESS : wait_for_origins(window);
        if (*flag)
            forget(&window->posted);
        return code;
    }
    struct op op = op_begin(window->comm, PEER_ANY, REQUEST_TASK);
    op.code = MPI_SUCCESS;
    turn_idle(&op, &turns);
    return MPI_SUCCESS;
}

int mpi_win_test(MPI_Win handle, int *flag)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, test(window, flag)) : native.win_test(handle, flag);
}

/* ---- the origin ---------------------------------------------------------------------------------------------------------------- */

static int start(struct window *window, MPI_Group group)
{
    if (window->started.count >= 0)
        return MPI_ERR_RMA_SYNC;
    if (window_revoked(window))
        return MPIX_ERR_REVOKED;
    int code = read_group(window, group, &window->started), me = window->comm->rank;
    for (int i = 0; code == MPI_SUCCESS && i < window->started.count; i++) {
        int target = window->started.rank[i];
        code = await(window, word_of(window, window->control.posts, target, me), target, window->starts[target] + 1);
        window->starts[target] += code == MPI_SUCCESS;
    }
    if (code != MPI_SUCCESS)
        forget(&window->started);
    return code;
}

int mpi_win_start(MPI_Group group, int assert, MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, start(window, group)) : native.win_start(group, assert, handle);
}

static int complete(struct window *window)
{
    if (window->started.count < 0)
        return MPI_ERR_RMA_SYNC;
    for (int i = 0; i < window->started.count; i++)
        atomic_fetch_add(word_of(window, window->control.complete, window->comm->rank, window->started.rank[i]), 1);
    forget(&window->started);
    return window_revoked(window) ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

int mpi_win_complete(MPI_Win handle)
{
    struct window *window = window_of(handle);
    return window ? window_raise(window, complete(window)) : native.win_complete(handle);
}
