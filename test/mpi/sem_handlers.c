/* sem_handlers: errors go through the communicator's handler, once: the user's, the returning, the fatal one.
 * With an argument: the fatal ones; nobody may return from the barrier. fatal: after a death. call: MPI_Comm_call_errhandler by
 * one rank, the others wait. abort: MPI_ERRORS_ABORT, where the MPI has it. */
#include "check.h"

enum { VICTIM = 1 };
static int calls, last_code;
static MPI_Comm last_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_code = *code;
    int rank;
    OK(MPI_Comm_rank(*comm, &rank)); /* a handler may call MPI */
}

/* It recovers in itself: revoke, shrink, agree. */
static MPI_Comm survivors = MPI_COMM_NULL;
static void recovering(MPI_Comm *comm, int *code, ...)
{
    int flag = 1;
    calls++;
    last_code = *code;
    OK(MPIX_Comm_revoke(*comm));
    OK(MPIX_Comm_shrink(*comm, &survivors));
    OK(MPIX_Comm_agree(survivors, &flag));
}

static void called_once(MPI_Comm comm, int wanted)
{
    CHECK(calls == 1 && last_comm == comm && last_code == wanted);
    calls = 0;
}

/* An error of the MPI below that is no death is raised once, by the communicator it is about. */
static void other_errors(MPI_Comm copy)
{
    int two[2] = {1, 2}, one, class = -1;
    MPI_Request request;
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        MPI_Request receive = MPI_REQUEST_NULL;
        int code;
        OK(MPI_Isend(two, 2, MPI_INT, me, 1, copy, &request));
        if (nonblocking)
            OK(MPI_Irecv(&one, 1, MPI_INT, me, 1, copy, &receive));
        code = nonblocking ? CODE(MPI_Wait(&receive, MPI_STATUS_IGNORE))
                           : CODE(MPI_Recv(&one, 1, MPI_INT, me, 1, copy, MPI_STATUS_IGNORE));
        OK(MPI_Error_class(code, &class));
        CHECK(class == MPI_ERR_TRUNCATE);
        called_once(copy, code);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Comm_call_errhandler(copy, MPI_ERR_TOPOLOGY));
    called_once(copy, MPI_ERR_TOPOLOGY);
}

/* Nobody comes out of here. */
static void end_all(MPI_Comm copy, const char *how)
{
    MPI_Errhandler fatal = MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
    if (strcmp(how, "abort") == 0)
        fatal = MPI_ERRORS_ABORT;
#endif
    OK(MPI_Comm_set_errhandler(copy, fatal));
    AT("MPI_Barrier with a fatal handler");
    if (me == 0 && strcmp(how, "call") == 0)
        MPI_Comm_call_errhandler(copy, MPI_ERR_TOPOLOGY);
    die_if(me == VICTIM && strcmp(how, "call") != 0);
    MPI_Barrier(copy);
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, other, now;
    MPI_Comm copy;
    MPI_Request request;
    int value = 0;
    begin(&argc, &argv, 20);
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_create_errhandler(recovering, &other));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_set_errhandler(copy, mine));
    other_errors(copy);
    meet(copy);
    if (argc > 1) {
        end_all(copy, argv[1]);
        return end();
    }
    die_if(me == VICTIM);
    CHECK(calls == 0);
    FAILS(MPI_Recv(&value, 1, MPI_INT, VICTIM, 1, copy, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    called_once(copy, MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Barrier(copy), MPIX_ERR_PROC_FAILED);
    called_once(copy, MPIX_ERR_PROC_FAILED);
    OK(MPI_Irecv(&value, 1, MPI_INT, VICTIM, 1, copy, &request));
    CHECK(calls == 0);
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    called_once(copy, MPIX_ERR_PROC_FAILED);
    meet(MPI_COMM_WORLD); /* nobody revokes before all have come so far */
    OK(MPIX_Comm_revoke(copy));
    FAILS(MPI_Send(&value, 1, MPI_INT, me, 1, copy), MPIX_ERR_REVOKED);
    called_once(copy, MPIX_ERR_REVOKED);

    MPI_Comm living = shrunk(copy);
    OK(MPI_Comm_get_errhandler(living, &now));
    CHECK(now == mine); /* as by MPI_Comm_dup */
    OK(MPI_Errhandler_free(&now));
    CHECK(calls == 0);
    FAILS(MPI_Barrier(MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED); /* returns */
    CHECK(calls == 0);
    meet(MPI_COMM_WORLD);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, other));
    int code = CODE(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(calls == 1 && code == last_code && (code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED));
    OK(MPI_Barrier(survivors));
    OK(MPI_Errhandler_free(&mine));
    OK(MPI_Errhandler_free(&other));
    return end();
}
