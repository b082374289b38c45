/* handler.c: the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF. The MPI below raises on these two what it finds wrong with a
 * call that names no communicator, MPICH also what it finds wrong with a request of any. So they have a handler of the layer's natively,
 * which only takes note; the program's are kept on `errors`, duplicates of self. What the layer has not raised by then on the communicator
 * it belongs to is raised when the call returns. */
#include "mpi/base/gen/own.h"
#include "mpi/base/lock.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

#include <stdlib.h>

static _Thread_local struct {
    int code; /* that the MPI below raised */
    bool on_self;
    bool raised; /* something was raised since, by the layer */
} heard __attribute__((tls_model("initial-exec")));

static void take_note(MPI_Comm *comm, int *code, ...)
{
    heard.code = *code;
    heard.on_self = *comm == MPI_COMM_SELF;
    heard.raised = false;
}

static void stand_before(struct comm *comm, MPI_Errhandler ours)
{
    MPI_Errhandler program;
    native.comm_get_errhandler(comm->handle, &program);
    native.comm_set_errhandler(comm->errors, program);
    native.comm_set_errhandler(comm->handle, ours);
}

void handler_begin(void)
{
    MPI_Errhandler ours;
    if (native.comm_create_errhandler(take_note, &ours) != MPI_SUCCESS)
        layer_die("the MPI makes no error handler");
    stand_before(&comm_world, ours);
    stand_before(&comm_self, ours);
}

void handler_note_raised(void)
{
    heard.raised = true;
}

void error_leave(int code)
{
    bool is_news = heard.code == code && !heard.raised;
    heard.code = MPI_SUCCESS;
    if (is_news)
        error_raise_now(heard.on_self ? &comm_self : &comm_world, code);
}

/* ---- the program's ------------------------------------------------------------------------------------------------------------ */

/* Functions of handlers that are not freed yet: so that one of the two above is called with the communicator it is for. Handlers of other
 * languages are not among them: those get `errors`, which is the same communicator by another handle. */
struct made {
    struct made *next;
    MPI_Errhandler handler;
    handler_function *function;
};
static struct made *all;

static struct made **find(MPI_Errhandler handler)
{
    struct made **at = &all;
    while (*at && (*at)->handler != handler)
        at = &(*at)->next;
    return at;
}

handler_function *handler_function_of(MPI_Errhandler handler)
{
    lock_take(LOCK_HANDLER);
    const struct made *made = *find(handler);
    handler_function *function = made ? made->function : NULL;
    lock_give(LOCK_HANDLER);
    return function;
}

int handler_note(MPI_Errhandler handler, handler_function *function)
{
    struct made *made = malloc(sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    lock_take(LOCK_HANDLER);
    *made = (struct made){all, handler, function};
    all = made;
    lock_give(LOCK_HANDLER);
    return MPI_SUCCESS;
}

int mpi_comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    int code = native.comm_create_errhandler(function, handler);
    return code == MPI_SUCCESS ? handler_note(*handler, (handler_function *)function) : code;
}

int mpi_errhandler_free(MPI_Errhandler *handler)
{
    lock_take(LOCK_HANDLER);
    struct made **at = find(*handler), *found = *at;
    if (found)
        *at = found->next;
    lock_give(LOCK_HANDLER);
    free(found);
    return native.errhandler_free(handler);
}

int mpi_comm_set_errhandler(MPI_Comm handle, MPI_Errhandler handler)
{
    struct comm *comm = comm_of(handle);
    int code = native.comm_set_errhandler(comm ? comm->errors : handle, handler);
    if (comm && code == MPI_SUCCESS)
        comm->on_error = (MPI_Comm_errhandler_function *)handler_function_of(handler);
    return comm && comm->errors != comm->handle ? error_raise(comm, code) : code;
}

int mpi_comm_get_errhandler(MPI_Comm handle, MPI_Errhandler *handler)
{
    const struct comm *comm = comm_of(handle);
    return native.comm_get_errhandler(comm ? comm->errors : handle, handler);
}

/* As MPI 1 named them. */
int mpi_errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    return mpi_comm_create_errhandler(function, handler);
}

int mpi_errhandler_set(MPI_Comm handle, MPI_Errhandler handler)
{
    return mpi_comm_set_errhandler(handle, handler);
}

int mpi_errhandler_get(MPI_Comm handle, MPI_Errhandler *handler)
{
    return mpi_comm_get_errhandler(handle, handler);
}

void handler_call(struct comm *comm, int code)
{
    MPI_Comm handle = comm->handle;
    if (comm->errors != handle && comm->on_error)
        comm->on_error(&handle, &code);
    else
        native.comm_call_errhandler(comm->errors, code);
}
