/* access.c: put and get: copies in this process, done when the call returns. */
#include "mpi/window/window.h"
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/request/copy.h"

#include <string.h>

/* ---- where ----------------------------------------------------------------------------------------------------------------------- */

static bool has_started(const struct window *window, int rank)
{
    for (int i = 0; i < window->started.count; i++)
        if (window->started.rank[i] == rank)
            return true;
    return false;
}

static bool is_open(const struct window *window, int rank)
{
    return window->locked_all || window->locked[rank] || window->fenced || has_started(window, rank);
}

/* All of it must be the rank's. */
static bool is_within(const struct window_part *part, MPI_Aint at, int count, MPI_Datatype type)
{
    struct coll_layout layout = coll_layout_of(type);
    MPI_Aint rest = (MPI_Aint)(count - 1) * layout.extent;
    if (count == 0 || layout.size == 0)
        return true;
    MPI_Aint first = at + layout.true_low + (rest < 0 ? rest : 0);
    MPI_Aint end = at + layout.true_low + layout.true_extent + (rest > 0 ? rest : 0);
    return first >= 0 && end <= part->size;
}

int access_find(struct window *window, int rank, MPI_Aint disp, int count, MPI_Datatype type, char **at)
{
    *at = NULL;
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (rank < 0 || rank >= window->comm->size)
        return MPI_ERR_RANK;
    if (count < 0 || type == MPI_DATATYPE_NULL)
        return count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE;
    if (RARELY(comm_trouble(window->comm))) {
        int code = op_check(window->comm, window->comm->process_of[rank]);
        if (code != MPI_SUCCESS)
            return code;
    }
    if (!is_open(window, rank))
        return MPI_ERR_RMA_SYNC;
    const struct window_part *part = &window->part[rank];
    if (disp < 0 || disp > part->size || !is_within(part, disp * part->unit, count, type))
        return disp < 0 ? MPI_ERR_DISP : MPI_ERR_RMA_RANGE;
    *at = part->base + disp * part->unit;
    return MPI_SUCCESS;
}

int access_copy(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
                MPI_Datatype into_type)
{
    if (from_count < 0 || into_count < 0)
        return MPI_ERR_COUNT;
    if (from_type == MPI_DATATYPE_NULL || into_type == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    struct coll_layout a = coll_layout_of(from_type), b = coll_layout_of(into_type);
    size_t bytes = a.size * (size_t)from_count;
    if (bytes == 0)
        return MPI_SUCCESS;
    if (bytes > b.size * (size_t)into_count)
        return MPI_ERR_TRUNCATE;
    if (!coll_is_dense(from_type, &a) || !coll_is_dense(into_type, &b))
        return copy_data(from, from_count, from_type, into, into_count, into_type);
    memmove(into, from, bytes);
    return MPI_SUCCESS;
}

int access_request(struct window *window, int code, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS)
        code = request_settled(window->comm, MPI_SUCCESS, NULL, request);
    return window_raise(window, code);
}

/* ---- put and get ------------------------------------------------------------------------------------------------------------------ */

static int put(struct window *window, const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp,
               int target_count, MPI_Datatype target_type)
{
    char *at;
    int code = access_find(window, rank, disp, target_count, target_type, &at);
    return code == MPI_SUCCESS && at ? access_copy(origin, count, type, at, target_count, target_type) : code;
}

static int get(struct window *window, void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp,
               int target_count, MPI_Datatype target_type)
{
    char *at;
    int code = access_find(window, rank, disp, target_count, target_type, &at);
    return code == MPI_SUCCESS && at ? access_copy(at, target_count, target_type, origin, count, type) : code;
}

int mpi_put(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
            MPI_Datatype target_type, MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.put(origin, count, type, rank, disp, target_count, target_type, handle);
    return window_raise(window, put(window, origin, count, type, rank, disp, target_count, target_type));
}

int mpi_get(void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
            MPI_Datatype target_type, MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.get(origin, count, type, rank, disp, target_count, target_type, handle);
    return window_raise(window, get(window, origin, count, type, rank, disp, target_count, target_type));
}

int mpi_rput(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
             MPI_Datatype target_type, MPI_Win handle, MPI_Request *request)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.rput(origin, count, type, rank, disp, target_count, target_type, handle, request);
    int code = put(window, origin, count, type, rank, disp, target_count, target_type);
    return access_request(window, code, request);
}

int mpi_rget(void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
             MPI_Datatype target_type, MPI_Win handle, MPI_Request *request)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.rget(origin, count, type, rank, disp, target_count, target_type, handle, request);
    int code = get(window, origin, count, type, rank, disp, target_count, target_type);
    return access_request(window, code, request);
}
