/* raise.c: errors on windows, through the handler that the program has set natively on the handle. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/window/window.h"

/* The handler is not held while it runs: it may be left by longjmp or by an exception. */
int window_raise_now(struct window *window, int code)
{
    MPI_Errhandler handler;
    handler_note_raised();
    if (native.win_get_errhandler(window->handle, &handler) != MPI_SUCCESS || handler == MPI_ERRORS_RETURN)
        return code;
    error_end_if_fatal(window->comm, handler, code);
    native.errhandler_free(&handler);
    native.win_call_errhandler(window->handle, code);
    return code;
}

int mpi_win_call_errhandler(MPI_Win handle, int errorcode)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.win_call_errhandler(handle, errorcode);
    window_raise_now(window, errorcode);
    return MPI_SUCCESS;
}

/* Natively it would end this process alone, as if it had died. MPI_ERRHANDLER_NULL: all is left as it is. */
MPI_Errhandler window_native_enter(const struct window *window)
{
    MPI_Errhandler handler;
    if (native.win_get_errhandler(window->handle, &handler) != MPI_SUCCESS)
        return MPI_ERRHANDLER_NULL;
    if (error_is_fatal(handler)) {
        native.win_set_errhandler(window->handle, MPI_ERRORS_RETURN);
        return handler;
    }
    native.errhandler_free(&handler);
    return MPI_ERRHANDLER_NULL;
}

int window_native_leave(struct window *window, MPI_Errhandler kept, int code)
{
    if (kept == MPI_ERRHANDLER_NULL)
        return code;
    native.win_set_errhandler(window->handle, kept);
    native.errhandler_free(&kept);
    return window_raise(window, code);
}
