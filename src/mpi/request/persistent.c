/* persistent.c: see persistent.h. MPI_Start and MPI_Startall, whatever they start. */
#include "mpi/request/persistent.h"
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

#include <stddef.h>

_Atomic int persistent_count;

void persistent_begin(struct persistent *persistent, struct comm *comm, MPI_Request *request)
{
    persistent->active = MPI_REQUEST_NULL;
    persistent->comm = comm;
    request_put_persistent(persistent->handle, comm, persistent);
    atomic_fetch_add(&persistent_count, 1);
    *request = persistent->handle;
}

struct persistent *persistent_of(MPI_Request handle)
{
    struct request known;
    if (handle == MPI_REQUEST_NULL || !request_get(handle, &known) || known.kind != REQUEST_PERSISTENT)
        return NULL;
    return known.persistent;
}

int persistent_free(const struct request *known, MPI_Request *handle)
{
    struct persistent *persistent = known->persistent;
    if (persistent->active != MPI_REQUEST_NULL)
        request_detach(&persistent->active);
    atomic_fetch_sub(&persistent_count, 1);
    persistent->release(persistent);
    request_drop(known); /* last: what is released may look at the communicator */
    return native.request_free(handle);
}

/* Not one that is active, nor one that is none. */
static bool can_start(const struct persistent *persistent)
{
    return persistent && persistent->active == MPI_REQUEST_NULL;
}

static int refuse(const struct persistent *persistent)
{
    return error_raise(persistent ? persistent->comm : &comm_world, MPI_ERR_REQUEST);
}

int mpi_start(MPI_Request *request)
{
    struct persistent *persistent = persistent_of(*request);
    if (RARELY(!can_start(persistent)))
        return refuse(persistent);
    return persistent->start(persistent);
}

/* All or, when one of them cannot be, none. One that the MPI below refuses ends the call. */
int mpi_startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    if (RARELY(count < 0))
        return error_raise(&comm_world, MPI_ERR_COUNT);
    for (int i = 0; i < count; i++) {
        const struct persistent *persistent = persistent_of(requests[i]);
        if (RARELY(!can_start(persistent)))
            return refuse(persistent);
    }
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = mpi_start(&requests[i]);
    return code;
}
