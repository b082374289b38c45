/* error.h: errors at the edge. Inside the layer functions return MPI codes; where the program called in, the code goes once
 * through the communicator's error handler (docs/design/mpi.md, rule 5). */
#ifndef KNELL_MPI_ERROR_ERROR_H
#define KNELL_MPI_ERROR_ERROR_H

#include "mpi/comm/comm.h"

/* Makes the classes known to the MPI below. */
void error_make_classes(void);

/* After the communicators: the MPI below raises nothing by itself any more on the predefined ones (handler.c). */
void handler_begin(void);
/* Functions of the program's handlers, of communicators and of files: for who calls them by itself. */
typedef void handler_function(void);
int handler_note(MPI_Errhandler handler, handler_function *function);
/* NULL: of another language, or predefined. */
handler_function *handler_function_of(MPI_Errhandler handler);
/* The program's handler, which is neither fatal nor "return". It may not come back. */
void handler_call(struct comm *comm, int code);
void handler_note_raised(void);

/* Calls the handler of the communicator and returns the code, if the handler does. MPI_SUCCESS passes. */
RARE int error_raise_now(struct comm *comm, int code);
static inline int error_raise(struct comm *comm, int code)
{
    return LIKELY(code == MPI_SUCCESS) ? code : error_raise_now(comm, code);
}

/* A handler that ends the job does so. */
void error_end_if_fatal(const struct comm *comm, MPI_Errhandler handler, int code);
/* Would it? */
bool error_is_fatal(MPI_Errhandler handler);

/* The same for a call that was to begin something: there is no request, whatever the handler does. */
RARE int error_raise_unbegun(struct comm *comm, int code, MPI_Request *request);

/* A call that the layer does not carry: says so once, and raises MPI_ERR_UNSUPPORTED_OPERATION. */
int error_raise_lack(MPI_Comm comm, enum job_call call);

/* A count beyond int: the layer's messages have none. MPI_ERR_COUNT, and no request (NULL: the call has none). */
int error_raise_large(MPI_Comm comm, MPI_Request *request);

/* A call of the program's returns an error: if the MPI below has raised it and the layer has not, it is raised now (handler.c). */
RARE void error_leave(int code);

#endif
