/* error.c: see error.h. */
#include "mpi/error/error.h"
#include "mpi/base/gen/own.h"
#include "mpi/native/native.h"
#include "mpi/report/tell.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* How long `knell run` may take to end this process. */
enum { ENDED_MS = 5000 };

static const struct {
    int class;
    const char *text;
} classes[] = {
    {MPIX_ERR_PROC_FAILED, "MPIX_ERR_PROC_FAILED: a process needed for this operation has failed"},
    {MPIX_ERR_PROC_FAILED_PENDING,
     "MPIX_ERR_PROC_FAILED_PENDING: a possible sender has failed; the receive is still pending"},
    {MPIX_ERR_REVOKED, "MPIX_ERR_REVOKED: the communicator has been revoked"},
};

/* Open MPI hands out classes in order, and the layer is the first to ask. MPICH has fixed ones. */
void error_make_classes(void)
{
#ifdef OPEN_MPI
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        int made;
        native.add_error_class(&made);
        if (made != classes[i].class)
            layer_die("the MPI gives error class %d where %d was compiled in: build the layer with this MPI's header",
                      made, classes[i].class);
        native.add_error_string(made, classes[i].text);
    }
#endif
}

int mpi_error_class(int errorcode, int *errorclass)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == errorcode) {
            *errorclass = errorcode;
            return MPI_SUCCESS;
        }
    return native.error_class(errorcode, errorclass);
}

int mpi_error_string(int errorcode, char *string, int *resultlen)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == errorcode) {
            strcpy(string, classes[i].text);
            *resultlen = (int)strlen(string);
            return MPI_SUCCESS;
        }
    if (errorcode == MPI_ERR_UNSUPPORTED_OPERATION) { /* MPICH speaks of a file, whatever it was */
        *resultlen = sprintf(string, "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported");
        return MPI_SUCCESS;
    }
    return native.error_string(errorcode, string, resultlen);
}

/* The name of a handler that ends the job, of all and not of the one-process communicator behind the handle; NULL: another. */
static const char *fatal_name(MPI_Errhandler handler)
{
#ifdef MPI_ERRORS_ABORT /* of MPI 4; the job is one (MPI_Abort) */
    if (handler == MPI_ERRORS_ABORT)
        return "MPI_ERRORS_ABORT";
#endif
    return handler == MPI_ERRORS_ARE_FATAL ? "MPI_ERRORS_ARE_FATAL" : NULL;
}

/* "rank 3 died": the first that is known. A revoke is somebody's answer to a death. */
static void name_the_dead(const struct comm *comm, int code, char *text, size_t size)
{
    bool of_a_death = code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_PROC_FAILED_PENDING || code == MPIX_ERR_REVOKED;
    int process = -1, known = of_a_death ? comm_failed(comm, &process, 1) : 0;
    *text = '\0';
    if (known > 0)
        snprintf(text, size, " (rank %d died%s)", process, known > 1 ? ", and others" : "");
}

static void write_error(const struct comm *comm, int code, char *text, size_t size)
{
    char error[MPI_MAX_ERROR_STRING], dead[48];
    int length;
    mpi_error_string(code, error, &length);
    for (char *end; (end = strchr(error, '\n')) != NULL;)
        *end = ' '; /* MPICH's have several lines */
    name_the_dead(comm, code, dead, sizeof dead);
    snprintf(text, size, "%s%s", error, dead);
}

/* `knell run` hears of it from every rank, says it once and ends them all. Should it be gone, each ends the job itself. */
static void end_job(int code, const char *error, const char *handler)
{
    char text[JOB_DESK_ERROR];
    snprintf(text, sizeof text, "%.500s; the error handler is %s: the job ends; with MPI_ERRORS_RETURN it goes on",
             error, handler);
    if (tell_is_heard())
        strcpy(tell_desk()->seen.words.error, text);
    else
        layer_say("%s", text);
    tell_report((struct job_report){.word = JOB_WORD_ABORTED, .value = code, .code = 1});
    for (int ms = 0; tell_is_heard() && ms < ENDED_MS; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    layer_abort(code);
}

bool error_is_fatal(MPI_Errhandler handler)
{
    return fatal_name(handler) != NULL;
}

void error_end_if_fatal(const struct comm *comm, MPI_Errhandler handler, int code)
{
    char text[JOB_DESK_ERROR];
    if (!fatal_name(handler))
        return;
    write_error(comm, code, text, sizeof text);
    end_job(code, text, fatal_name(handler));
}

/* The handler is not held while it runs: it may be left by longjmp or by an exception. */
int error_raise_now(struct comm *comm, int code)
{
    MPI_Errhandler handler;
    if (comm->raise)
        return comm->raise(comm, code);
    handler_note_raised();
    if (comm->handle == MPI_COMM_NULL || native.comm_get_errhandler(comm->errors, &handler) != MPI_SUCCESS)
        return code; /* freed by the program, with operations pending */
    if (handler == MPI_ERRORS_RETURN)
        return code;
    error_end_if_fatal(comm, handler, code);
    native.errhandler_free(&handler);
    handler_call(comm, code);
    return code;
}

int error_raise_unbegun(struct comm *comm, int code, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return error_raise_now(comm, code);
}

int mpi_comm_call_errhandler(MPI_Comm handle, int errorcode)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_call_errhandler(handle, errorcode);
    error_raise_now(comm, errorcode);
    return MPI_SUCCESS;
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------- */

#define REFUSED "%s is not carried by Knell (MPI_ERR_UNSUPPORTED_OPERATION; docs/use/calls.md)"

/* `knell run` says it once for the whole job; without it each process does, once. */
static void say_refused(enum job_call call)
{
    static _Atomic bool told[JOB_CALL_END], said;
    if (atomic_exchange(&told[call], true))
        return;
    if (tell_is_heard())
        tell_word(JOB_WORD_REFUSED, call);
    else if (!atomic_exchange(&said, true))
        layer_say(REFUSED, job_call_name(call));
}

/* The name of the communicator's handler, if that ends the job. */
static const char *fatal_handler_of(const struct comm *comm)
{
    MPI_Errhandler handler;
    if (comm->handle == MPI_COMM_NULL || native.comm_get_errhandler(comm->errors, &handler) != MPI_SUCCESS)
        return NULL;
    const char *name = fatal_name(handler);
    if (!name && handler != MPI_ERRORS_RETURN)
        native.errhandler_free(&handler);
    return name;
}

int error_raise_lack(MPI_Comm handle, enum job_call call)
{
    struct comm *comm = comm_of(handle);
    comm = comm ? comm : &comm_self;
    const char *fatal = fatal_handler_of(comm);
    if (fatal) {
        char text[JOB_DESK_ERROR];
        snprintf(text, sizeof text, REFUSED, job_call_name(call));
        end_job(MPI_ERR_UNSUPPORTED_OPERATION, text, fatal);
    }
    say_refused(call);
    return error_raise(comm, MPI_ERR_UNSUPPORTED_OPERATION);
}

int error_raise_large(MPI_Comm handle, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    if (request)
        *request = MPI_REQUEST_NULL;
    return error_raise(comm ? comm : &comm_self, MPI_ERR_COUNT);
}
