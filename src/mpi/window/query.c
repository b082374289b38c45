/* query.c: what is asked of a window, its attributes, its end; ULFM's calls on it. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/native_group.h"
#include "mpi/error/error.h"
#include "mpi/window/window.h"

#include <stdlib.h>

/* ---- where its memory is ------------------------------------------------------------------------------------------------------- */

static int lowest_with_memory(const struct window *window)
{
    for (int i = 0; i < window->comm->size; i++)
        if (window->part[i].size > 0)
            return i;
    return 0;
}

static int query(const struct window *window, int rank, const struct window_part **part)
{
    if (window->flavor != MPI_WIN_FLAVOR_SHARED)
        return MPI_ERR_RMA_FLAVOR;
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window->comm->size))
        return MPI_ERR_RANK;
    *part = &window->part[rank == MPI_PROC_NULL ? lowest_with_memory(window) : rank];
    return MPI_SUCCESS;
}

int mpi_win_shared_query(MPI_Win handle, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    struct window *window = window_of(handle);
    const struct window_part *part;
    if (!window)
        return native.win_shared_query(handle, rank, size, disp_unit, baseptr);
    int code = query(window, rank, &part);
    if (code != MPI_SUCCESS)
        return window_raise(window, code);
    *size = part->size;
    *disp_unit = part->unit;
    *(void **)baseptr = part->base;
    return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
int mpi_win_shared_query_c(MPI_Win handle, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
    int unit = 0;
    if (!window_of(handle))
        return native.win_shared_query_c(handle, rank, size, disp_unit, baseptr);
    int code = mpi_win_shared_query(handle, rank, size, &unit, baseptr);
    if (code == MPI_SUCCESS)
        *disp_unit = unit;
    return code;
}
#endif

int mpi_win_get_group(MPI_Win handle, MPI_Group *group)
{
    const struct window *window = window_of(handle);
    if (!window)
        return native.win_get_group(handle, group);
    *group = native_group_of(window->comm->process_of, window->comm->size);
    return MPI_SUCCESS;
}

/* ---- attributes ------------------------------------------------------------------------------------------------------------------ */

/* Those of the layer; NULL: natively on the handle. */
static void *predefined(struct window *window, int keyval)
{
    struct window_part *part = &window->part[window->comm->rank];
    if (keyval == MPI_WIN_BASE)
        return part->base;
    if (keyval == MPI_WIN_SIZE)
        return &part->size;
    if (keyval == MPI_WIN_DISP_UNIT)
        return &part->unit;
    if (keyval == MPI_WIN_CREATE_FLAVOR)
        return &window->flavor;
    return keyval == MPI_WIN_MODEL ? &window->model : NULL;
}

int mpi_win_get_attr(MPI_Win handle, int keyval, void *value, int *flag)
{
    struct window *window = window_of(handle);
    void *known = window ? predefined(window, keyval) : NULL;
    if (!window)
        return native.win_get_attr(handle, keyval, value, flag);
    if (known) {
        *(void **)value = known;
        *flag = 1;
        return MPI_SUCCESS;
    }
    MPI_Errhandler kept = window_native_enter(window);
    return window_native_leave(window, kept, native.win_get_attr(handle, keyval, value, flag));
}

int mpi_win_set_attr(MPI_Win handle, int keyval, void *value)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.win_set_attr(handle, keyval, value);
    MPI_Errhandler kept = window_native_enter(window);
    return window_native_leave(window, kept, native.win_set_attr(handle, keyval, value));
}

int mpi_win_delete_attr(MPI_Win handle, int keyval)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.win_delete_attr(handle, keyval);
    MPI_Errhandler kept = window_native_enter(window);
    return window_native_leave(window, kept, native.win_delete_attr(handle, keyval));
}

/* ---- its end --------------------------------------------------------------------------------------------------------------------- */

static bool has_locks(const struct window *window)
{
    bool has = window->locked_all;
    for (int i = 0; i < window->comm->size; i++)
        has = has || window->locked[i];
    return has;
}

/* After a death, or a revoke, whoever had a lock may come here with it. */
static void give_locks(struct window *window)
{
    for (int i = 0; i < window->comm->size; i++)
        if (window->locked_all || window->locked[i])
            turn_give(window, i);
}

/* All are done with it, or somebody is dead: its memory is gone here, the others still have theirs. Delete functions of attributes run
 * natively; one that refuses keeps the window. */
int mpi_win_free(MPI_Win *handle)
{
    struct window *window = window_of(*handle);
    if (!window)
        return native.win_free(handle);
    bool troubled = (comm_trouble(window->comm) & (COMM_DEAD | COMM_REVOKED)) != 0;
    if (has_locks(window) && !troubled)
        return window_raise(window, MPI_ERR_RMA_SYNC);
    give_locks(window);
    coll_barrier(window->comm);
    MPI_Win freed = window->handle;
    MPI_Errhandler kept = window_native_enter(window);
    int code = native.win_free(&freed);
    if (code != MPI_SUCCESS)
        return window_native_leave(window, kept, code);
    if (kept != MPI_ERRHANDLER_NULL)
        native.errhandler_free(&kept);
    window_remove(window);
    window_delete(window);
    *handle = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* ---- ULFM ------------------------------------------------------------------------------------------------------------------------ */

static int no_window(void)
{
    return error_raise(&comm_self, MPI_ERR_WIN);
}

int mpi_win_revoke(MPI_Win handle)
{
    const struct window *window = window_of(handle);
    return window ? mpi_comm_revoke(window->comm->handle) : no_window();
}

int mpi_win_is_revoked(MPI_Win handle, int *flag)
{
    const struct window *window = window_of(handle);
    if (!window)
        return no_window();
    *flag = window_revoked(window);
    return MPI_SUCCESS;
}

int mpi_win_get_failed(MPI_Win handle, MPI_Group *failed)
{
    struct window *window = window_of(handle);
    return window ? mpi_comm_get_failed(window->comm->handle, failed) : no_window();
}
