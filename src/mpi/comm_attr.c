/* comm_attr.c: what hangs on a communicator: attributes, name, hints, error handler. All natively, on its handle; only where the
 * handle is a predefined one, attributes are on `store`, a duplicate of self that can be duplicated and freed. */
#include "mpi/comm.h"
#include "mpi/error.h"
#include "mpi/gen/own.h"
#include "mpi/native.h"

#include <stddef.h>

static MPI_Comm store_of(MPI_Comm handle)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    return comm ? comm->store : handle;
}

/* ---- attributes ------------------------------------------------------------------------------------------------------------ */

/* What the layer answers itself, or only the native world can answer. */
static bool predefined(int keyval, void *value, int *flag, int *code)
{
    static int fault_tolerant = 1;
    static const int asked_natively[] = {MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
    *code = MPI_SUCCESS;
    *flag = 1;
    if (keyval == MPI_TAG_UB) {
        *(int **)value = &knell__tag_ub;
        return true;
    }
    if (keyval == MPIX_FT) {
        *(int **)value = &fault_tolerant;
        return true;
    }
    for (size_t i = 0; i < sizeof asked_natively / sizeof *asked_natively; i++)
        if (keyval == asked_natively[i]) {
            *code = knell__native.comm_get_attr(MPI_COMM_WORLD, keyval, value, flag);
            return true;
        }
    return false;
}

int knell__mpi_comm_get_attr(MPI_Comm handle, int keyval, void *value, int *flag)
{
    int code;
    if (knell__comm_of(handle) && predefined(keyval, value, flag, &code))
        return code;
    return knell__native.comm_get_attr(store_of(handle), keyval, value, flag);
}

int knell__mpi_comm_set_attr(MPI_Comm handle, int keyval, void *value)
{
    return knell__native.comm_set_attr(store_of(handle), keyval, value);
}

int knell__mpi_comm_delete_attr(MPI_Comm handle, int keyval)
{
    return knell__native.comm_delete_attr(store_of(handle), keyval);
}

int knell__mpi_attr_get(MPI_Comm handle, int keyval, void *value, int *flag)
{
    return knell__mpi_comm_get_attr(handle, keyval, value, flag);
}

int knell__mpi_attr_put(MPI_Comm handle, int keyval, void *value)
{
    return knell__native.attr_put(store_of(handle), keyval, value);
}

int knell__mpi_attr_delete(MPI_Comm handle, int keyval)
{
    return knell__native.attr_delete(store_of(handle), keyval);
}
