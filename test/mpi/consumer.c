/* consumer: a program for the ULFM of Open MPI 5, as a stranger writes one: compiled against the installed headers alone. Each
 * name that header promises is used. Buddies: each rank keeps the value of the one before it; who dies is made up for. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(OMPI_HAVE_MPI_EXT_FTMPI) || !OMPI_HAVE_MPI_EXT_FTMPI
#error "no ULFM, says the header"
#endif
#if !defined(OMPI_HAVE_MPIX_COMM_GET_FAILED) || !defined(OMPI_HAVE_MPIX_COMM_ACK_FAILED) || \
    !defined(OMPI_HAVE_MPIX_COMM_ISHRINK)
#error "the newer calls are missing"
#endif

static int rank, size;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Codes as labels: they are constants. */
static const char *name_of(int code)
{
    switch (code) {
    case MPI_SUCCESS:
        return "success";
    case MPIX_ERR_PROC_FAILED:
        return "process failed";
    case MPIX_ERR_PROC_FAILED_PENDING:
        return "pending";
    case MPIX_ERR_REVOKED:
        return "revoked";
    default:
        return "another";
    }
}

static void look_at_attribute(void)
{
    int found = 0, *value = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &found);
    must(found && *value, "MPIX_FT is not set");
    must(MPI_ERR_PROC_FAILED == MPIX_ERR_PROC_FAILED && MPI_ERR_REVOKED == MPIX_ERR_REVOKED, "the aliases differ");
}

/* Until everybody knows of the death: this loop ends because agree raises it until it is acknowledged. */
static void acknowledge(MPI_Comm comm)
{
    MPI_Group failed;
    int dead, acked, flag;
    do {
        MPIX_Comm_get_failed(comm, &failed);
        MPI_Group_size(failed, &dead);
        MPI_Group_free(&failed);
        MPIX_Comm_ack_failed(comm, dead, &acked);
        flag = dead;
    } while (MPIX_Comm_agree(comm, &flag) == MPIX_ERR_PROC_FAILED);
    must(dead == 1 && acked == 1, "not one death was acknowledged");
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &failed);
    MPI_Group_size(failed, &dead);
    MPI_Group_free(&failed);
    must(dead == 1, "the older pair of calls counts otherwise");
}

static MPI_Comm recover(MPI_Comm broken)
{
    MPI_Comm made;
    MPI_Request request;
    int revoked = 0, flag = 7;
    MPIX_Comm_revoke(broken);
    MPIX_Comm_is_revoked(broken, &revoked);
    must(revoked, "revoked, but not by its own word");
    must(MPIX_Comm_ishrink(broken, &made, &request) == MPI_SUCCESS, "ishrink");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "the wait for ishrink");
    must(MPIX_Comm_iagree(made, &flag, &request) == MPI_SUCCESS, "iagree");
    must(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 7, "the wait for iagree");
    MPI_Comm_free(&broken);
    return made;
}

int main(int argc, char **argv)
{
    MPI_Comm work;
    int mine, before, sum, code, left;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    look_at_attribute();
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    mine = 100 + rank;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &before, 1, MPI_INT, (rank + size - 1) % size, 0, work,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(work);
    if (rank == 1)
        raise(SIGKILL);
    while ((code = MPI_Barrier(work)) == MPI_SUCCESS)
        ;
    must(code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED, name_of(code));
    work = recover(work);
    acknowledge(MPI_COMM_WORLD);
    mine += rank == 2 ? before : 0; /* rank 2 has what rank 1 had */
    must(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, work) == MPI_SUCCESS, "a sum of the survivors");
    MPI_Comm_size(work, &left);
    if (rank == 0)
        printf("%d of %d ranks left, sum %d: %s\n", left, size, sum,
               sum == 100 * size + size * (size - 1) / 2 ? "right" : "WRONG");
    MPI_Finalize();
    return 0;
}
