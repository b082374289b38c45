/* points_window.h: for points.c: windows in shared memory, with fences, locks, and posts; each checks its result. */
#ifndef KNELL_TEST_MPI_POINTS_WINDOW_H
#define KNELL_TEST_MPI_POINTS_WINDOW_H

#include "points_coll.h"

static int *cells_of(MPI_Win win, int r)
{
    MPI_Aint bytes;
    int unit, *base;
    OK(MPI_Win_shared_query(win, r, &bytes, &unit, &base));
    return base;
}

/* Everybody's has four, all zero at all members when this succeeds. */
static int open_window(MPI_Win *win)
{
    int *base, code = CODE(MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, win));
    if (code != MPI_SUCCESS)
        return code;
    OK(MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN));
    memset(base, 0, 4 * sizeof *base);
    return CODE(MPI_Win_fence(0, *win));
}

/* Who fails releases those who wait for it. */
static int close_window(MPI_Win win, int code)
{
    if (code != MPI_SUCCESS)
        OK(MPIX_Win_revoke(win));
    OK(MPI_Win_free(&win));
    return code;
}

static int by_fences(void)
{
    MPI_Win win = MPI_WIN_NULL;
    int next = (rank + 1) % size, before = (rank + size - 1) % size, given = 50 + rank, got = -1;
    int code = open_window(&win);
    if (win == MPI_WIN_NULL)
        return code;
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Put(&given, 1, MPI_INT, next, 1, 1, MPI_INT, win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_fence(0, win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Get(&got, 1, MPI_INT, rank, 1, 1, MPI_INT, win));
    CHECK(code != MPI_SUCCESS || got == 50 + before);
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    return close_window(win, code);
}

/* A lock is given back also where the window is revoked, with that error. */
static int first_error(int first, int second)
{
    return first != MPI_SUCCESS ? first : second;
}

/* All count up under the lock of rank 0, whoever of them dies with it. */
static int by_locks(void)
{
    MPI_Win win = MPI_WIN_NULL;
    int one = 1, got = -1, code = open_window(&win);
    if (win == MPI_WIN_NULL)
        return code;
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    if (code == MPI_SUCCESS) {
        cells_of(win, 0)[0]++;
        code = CODE(MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win));
        code = first_error(code, CODE(MPI_Win_unlock(0, win)));
    }
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_lock_all(0, win));
    if (code == MPI_SUCCESS) {
        code = CODE(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 2, MPI_SUM, win));
        code = first_error(code, CODE(MPI_Win_unlock_all(win)));
    }
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_fence(0, win));
    for (int i = 0; code == MPI_SUCCESS && i < 3; i++)
        CHECK(cells_of(win, 0)[i] == size);
    return close_window(win, code);
}

static int by_posts(void)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Group everybody, origin, target;
    int next = (rank + 1) % size, before = (rank + size - 1) % size, given = 90 + rank, code = open_window(&win);
    if (win == MPI_WIN_NULL)
        return code;
    OK(MPI_Win_get_group(win, &everybody));
    OK(MPI_Group_incl(everybody, 1, &before, &origin));
    OK(MPI_Group_incl(everybody, 1, &next, &target));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_post(origin, 0, win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_start(target, 0, win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Put(&given, 1, MPI_INT, next, 3, 1, MPI_INT, win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_complete(win));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_wait(win));
    CHECK(code != MPI_SUCCESS || cells_of(win, rank)[3] == 90 + before);
    OK(MPI_Group_free(&origin));
    OK(MPI_Group_free(&target));
    OK(MPI_Group_free(&everybody));
    return close_window(win, code);
}

/* All add to all, at the same time: whoever dies in the middle of it holds a target that the others wait for. */
static int by_accumulate(void)
{
    MPI_Win win = MPI_WIN_NULL;
    int given[] = {1, rank, 1}, code = open_window(&win);
    if (win == MPI_WIN_NULL)
        return code;
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_lock_all(0, win));
    if (code == MPI_SUCCESS) {
        for (int i = 0; i < size && code == MPI_SUCCESS; i++)
            code = CODE(MPI_Accumulate(given, 3, MPI_INT, (rank + i) % size, 1, 3, MPI_INT, MPI_SUM, win));
        code = first_error(code, CODE(MPI_Win_unlock_all(win)));
    }
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Win_fence(0, win));
    if (code == MPI_SUCCESS) {
        const int *cells = cells_of(win, rank);
        CHECK(cells[0] == 0 && cells[1] == size && cells[2] == size * (size - 1) / 2 && cells[3] == size);
    }
    return close_window(win, code);
}

#endif
