/* attr.c: what hangs on a communicator: attributes, name, hints, error handler. All natively, on its handle; only where the
 * handle is a predefined one, attributes are on `store`, a duplicate of self that can be duplicated and freed. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

#include <stddef.h>

/* ---- errors of the MPI below ----------------------------------------------------------------------------------------------- */

/* MPI_ERRHANDLER_NULL: all is left as it is. */
MPI_Errhandler attr_store_enter(const struct comm *comm)
{
    MPI_Errhandler handler;
    if (comm->store != comm->handle) /* it returns its errors */
        return MPI_ERRHANDLER_NULL;
    native.comm_get_errhandler(comm->store, &handler);
    if (error_is_fatal(handler)) {
        native.comm_set_errhandler(comm->store, MPI_ERRORS_RETURN);
        return handler;
    }
    native.errhandler_free(&handler);
    return MPI_ERRHANDLER_NULL;
}

int attr_store_leave(struct comm *comm, MPI_Errhandler kept, int code)
{
    bool raised = comm->store == comm->handle && kept == MPI_ERRHANDLER_NULL;
    if (kept != MPI_ERRHANDLER_NULL) {
        native.comm_set_errhandler(comm->store, kept);
        native.errhandler_free(&kept);
    }
    return raised ? code : error_raise(comm, code);
}

/* A native call on the store of `handle`; the handle itself when it is not one of ours. */
#define ON_STORE(call, handle, ...)                                                    \
    do {                                                                               \
        struct comm *comm_ = comm_of(handle);                                          \
        if (!comm_)                                                                    \
            return native.call(handle, __VA_ARGS__);                                   \
        MPI_Errhandler kept_ = attr_store_enter(comm_);                                \
        return attr_store_leave(comm_, kept_, native.call(comm_->store, __VA_ARGS__)); \
    } while (0)

/* ---- attributes ------------------------------------------------------------------------------------------------------------ */

/* What the layer answers itself, or only the native world can answer. */
static bool predefined(int keyval, void *value, int *flag, int *code)
{
    static int fault_tolerant = 1;
    static const int asked_natively[] = {MPI_HOST,          MPI_IO,     MPI_WTIME_IS_GLOBAL,
                                         MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE};
    *code = MPI_SUCCESS;
    *flag = 1;
    if (keyval == MPI_TAG_UB) {
        *(int **)value = &context_tag_ub;
        return true;
    }
    if (keyval == MPIX_FT) {
        *(int **)value = &fault_tolerant;
        return true;
    }
    for (size_t i = 0; i < sizeof asked_natively / sizeof *asked_natively; i++)
        if (keyval == asked_natively[i]) {
            *code = native.comm_get_attr(MPI_COMM_WORLD, keyval, value, flag);
            return true;
        }
    return false;
}

int mpi_comm_get_attr(MPI_Comm handle, int keyval, void *value, int *flag)
{
    int code;
    if (comm_of(handle) && predefined(keyval, value, flag, &code))
        return code;
    ON_STORE(comm_get_attr, handle, keyval, value, flag);
}

int mpi_comm_set_attr(MPI_Comm handle, int keyval, void *value)
{
    ON_STORE(comm_set_attr, handle, keyval, value);
}

int mpi_comm_delete_attr(MPI_Comm handle, int keyval)
{
    ON_STORE(comm_delete_attr, handle, keyval);
}

int mpi_attr_get(MPI_Comm handle, int keyval, void *value, int *flag)
{
    return mpi_comm_get_attr(handle, keyval, value, flag);
}

int mpi_attr_put(MPI_Comm handle, int keyval, void *value)
{
    return mpi_comm_set_attr(handle, keyval, value); /* MPICH's MPI_Attr_put raises an error twice */
}

int mpi_attr_delete(MPI_Comm handle, int keyval)
{
    return mpi_comm_delete_attr(handle, keyval);
}
