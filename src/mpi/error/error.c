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
void knell__errors_make(void)
{
#ifdef OPEN_MPI
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        int made;
        knell__native.add_error_class(&made);
        if (made != classes[i].class)
            knell__die("the MPI gives error class %d where %d was compiled in: build the layer with this MPI's header",
                       made, classes[i].class);
        knell__native.add_error_string(made, classes[i].text);
    }
#endif
}

int knell__mpi_error_class(int errorcode, int *errorclass)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == errorcode) {
            *errorclass = errorcode;
            return MPI_SUCCESS;
        }
    return knell__native.error_class(errorcode, errorclass);
}

int knell__mpi_error_string(int errorcode, char *string, int *resultlen)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == errorcode) {
            strcpy(string, classes[i].text);
            *resultlen = (int)strlen(string);
            return MPI_SUCCESS;
        }
    return knell__native.error_string(errorcode, string, resultlen);
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
static void name_the_dead(const struct knell__comm *comm, int code, char *text, size_t size)
{
    bool of_a_death = code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_PROC_FAILED_PENDING || code == MPIX_ERR_REVOKED;
    int process = -1, known = of_a_death ? knell__comm_failed(comm, &process, 1) : 0;
    *text = '\0';
    if (known > 0)
        snprintf(text, size, " (rank %d died%s)", process, known > 1 ? ", and others" : "");
}

static void write_error(const struct knell__comm *comm, int code, const char *handler, char *text, size_t size)
{
    char error[MPI_MAX_ERROR_STRING], dead[48];
    int length;
    knell__mpi_error_string(code, error, &length);
    for (char *end; (end = strchr(error, '\n')) != NULL;)
        *end = ' '; /* MPICH's have several lines */
    name_the_dead(comm, code, dead, sizeof dead);
    snprintf(text, size, "%s%s; the error handler is %s: the job ends; with MPI_ERRORS_RETURN it goes on", error, dead,
             handler);
}

/* `knell run` hears of it from every rank, says it once and ends them all. Should it be gone, each ends the job itself. */
static void end_job(const struct knell__comm *comm, int code, const char *handler)
{
    char text[JOB_DESK_ERROR];
    write_error(comm, code, handler, text, sizeof text);
    if (knell__is_heard())
        strcpy(knell__desk()->words.error, text);
    else
        knell__say("%s", text);
    knell__announce((struct job_report){.word = JOB_WORD_ABORTED, .value = code, .code = 1});
    for (int ms = 0; knell__is_heard() && ms < ENDED_MS; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    knell__abort(code);
}

/* The handler is not held while it runs: it may be left by longjmp or by an exception. */
int knell__raise_now(struct knell__comm *comm, int code)
{
    MPI_Errhandler handler;
    knell__error_is_raised();
    if (comm->handle == MPI_COMM_NULL || knell__native.comm_get_errhandler(comm->errors, &handler) != MPI_SUCCESS)
        return code; /* freed by the program, with operations pending */
    if (handler == MPI_ERRORS_RETURN)
        return code;
    if (fatal_name(handler))
        end_job(comm, code, fatal_name(handler));
    knell__native.errhandler_free(&handler);
    knell__errhandler_call(comm, code);
    return code;
}

int knell__raise_unbegun(struct knell__comm *comm, int code, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return knell__raise_now(comm, code);
}

int knell__mpi_comm_call_errhandler(MPI_Comm handle, int errorcode)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_call_errhandler(handle, errorcode);
    knell__raise_now(comm, errorcode);
    return MPI_SUCCESS;
}

int knell__raise_lack(MPI_Comm handle, enum job_call call)
{
    static _Atomic bool said[JOB_CALL_END];
    struct knell__comm *comm = knell__comm_of(handle);
    if (!atomic_exchange(&said[call], true))
        knell__say("%s is not carried by the layer; see docs/mpi.md", job_call_name(call));
    return knell__raise(comm ? comm : &knell__selfish, MPI_ERR_UNSUPPORTED_OPERATION);
}

int knell__raise_large(MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return knell__raise(comm ? comm : &knell__selfish, MPI_ERR_COUNT);
}
