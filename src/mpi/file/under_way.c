/* under_way.c: see under_way.h. The native request is kept behind a token. In MPICH nothing else than a test of this very request makes it
 * complete, not even the question for its status, and the test calls MPI itself: so a task does it, with the guard up. */
#include "mpi/file/under_way.h"
#include "mpi/file/file.h"
#include "mpi/native/native.h"
#include "mpi/wait/wait.h"

#include <stdlib.h>

struct under_way {
    struct task task;
    MPI_Request request;
    MPI_Status status;
};

/* Not native.test, which asks for the status where that is quicker. */
static int tested(struct under_way *io, int *done)
{
    int index;
    file_below();
    return file_above(native.testany(1, &io->request, &index, done, &io->status));
}

static int advance(struct task *task, bool *done)
{
    int complete = 0, code = tested((struct under_way *)task, &complete);
    *done = complete || code != MPI_SUCCESS;
    return code;
}

static void release(struct task *task)
{
    free(task);
}

static void fill(const struct task *task, MPI_Status *status)
{
    *status = ((const struct under_way *)task)->status;
    status->MPI_ERROR = MPI_SUCCESS; /* of the query, not of the operation */
}

int under_way(struct comm *comm, bool wait, MPI_Request *request)
{
    struct under_way *io = calloc(1, sizeof *io);
    int done = 0, code = MPI_SUCCESS;
    if (!io)
        layer_die("out of memory");
    io->task = (struct task){.advance = advance, .release = release, .fill = fill};
    io->request = *request;
    code = tested(io, &done);
    for (unsigned turns = 0; wait && !done && code == MPI_SUCCESS; wait_idle(&turns, comm))
        code = tested(io, &done);
    if (!done && code == MPI_SUCCESS)
        return request_token(comm, &io->task, request);
    code = request_settled(comm, code, &io->status, request);
    free(io);
    return code;
}
