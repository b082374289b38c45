/* handler.c: the error handlers of files, and of MPI_FILE_NULL: what a new file has, and what is raised when there is none.
 *
 * The layer keeps them: natively files return their errors, so that one that all members agree on is raised once. A handler is held by a
 * reference: natively, "get" gives one after "set". */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/file/file.h"
#include "mpi/native/native.h"

static struct file_handler
    nobodys; /* of MPI_FILE_NULL; its handle is MPI_ERRORS_RETURN until the program sets another */
static bool nobodys_is_set;

/* Another reference of the same handler. The native file is one of this process: nothing is sent. */
static int hold(MPI_File file, MPI_Errhandler handler, MPI_Errhandler *held)
{
    file_below();
    int code = native.file_set_errhandler(file, handler);
    if (code == MPI_SUCCESS)
        code = native.file_get_errhandler(file, held);
    native.file_set_errhandler(file, MPI_ERRORS_RETURN);
    return file_above(code);
}

static MPI_Errhandler handle_of(const struct file *file)
{
    if (file)
        return file->handler.handle;
    return nobodys_is_set ? nobodys.handle : MPI_ERRORS_RETURN;
}

static void release(struct file_handler *handler)
{
    if (handler->handle != MPI_ERRORS_RETURN)
        native.errhandler_free(&handler->handle);
}

void file_handler_inherit(struct file *file)
{
    file->handler = nobodys;
    if (hold(file->handle, handle_of(NULL), &file->handler.handle) != MPI_SUCCESS)
        file->handler = (struct file_handler){.handle = MPI_ERRORS_RETURN};
}

void file_handler_release(struct file *file)
{
    release(&file->handler);
}

/* ---- raising ---------------------------------------------------------------------------------------------------------------------- */

/* Of another language: the MPI below knows how to call it. */
static void call_natively(MPI_File handle, MPI_Errhandler handler, int code)
{
    native.file_set_errhandler(handle, handler);
    native.file_call_errhandler(handle, code);
    native.file_set_errhandler(handle, MPI_ERRORS_RETURN);
}

RARE static int raise_now(struct file *file, int code)
{
    MPI_Errhandler handler = handle_of(file);
    MPI_File_errhandler_function *function = file ? file->handler.function : nobodys.function;
    MPI_File handle = file ? file->handle : MPI_FILE_NULL;
    handler_note_raised();
    if (handler == MPI_ERRORS_RETURN)
        return code;
    error_end_if_fatal(file ? file->comm : &comm_self, handler, code);
    if (function)
        function(&handle, &code);
    else
        call_natively(handle, handler, code);
    return code;
}

int file_raise(struct file *file, int code)
{
    return LIKELY(code == MPI_SUCCESS) ? code : raise_now(file, code);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------------ */

int mpi_file_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *handler)
{
    int code = native.file_create_errhandler(function, handler);
    return code == MPI_SUCCESS ? handler_note(*handler, (handler_function *)function) : code;
}

int mpi_file_set_errhandler(MPI_File handle, MPI_Errhandler handler)
{
    struct file *file = file_of(handle);
    struct file_handler made = {.function = (MPI_File_errhandler_function *)handler_function_of(handler)};
    if (!file && handle != MPI_FILE_NULL)
        return file_raise(NULL, native.file_set_errhandler(handle, handler));
    int code = hold(handle, handler, &made.handle);
    if (code != MPI_SUCCESS)
        return file_raise(file, code);
    struct file_handler *kept = file ? &file->handler : &nobodys, before = {.handle = handle_of(file)};
    *kept = made;
    nobodys_is_set |= !file;
    release(&before);
    return MPI_SUCCESS;
}

int mpi_file_get_errhandler(MPI_File handle, MPI_Errhandler *handler)
{
    struct file *file = file_of(handle);
    if (!file && handle != MPI_FILE_NULL)
        return file_raise(NULL, native.file_get_errhandler(handle, handler));
    return file_raise(file, hold(handle, handle_of(file), handler));
}

int mpi_file_call_errhandler(MPI_File handle, int errorcode)
{
    struct file *file = file_of(handle);
    if (!file && handle != MPI_FILE_NULL)
        return file_raise(NULL, native.file_call_errhandler(handle, errorcode));
    file_raise(file, errorcode);
    return MPI_SUCCESS;
}
