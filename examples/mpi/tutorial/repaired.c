/* repaired: first.c without its mistakes. Every single death is survived, and every second death while the others recover.
 *
 * How much does a closed path go up and down, in STEPS different landscapes? Each rank has a share of the path's points. In every step
 * it needs the height of its neighbour's first point (MPI_Sendrecv), and the differences are added up (MPI_Allreduce). When ranks die,
 * the survivors shrink the communicator, go on from where its first rank is, and divide the path anew. docs/use/explore.md.
 *
 * Usage: knell run -n 4 ./repaired */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1001, STEPS = 6 };

static MPI_Comm comm;
static struct {
    long step, total; /* the next step; the sum of those before */
} at;

static long height(long step, long point)
{
    return (point * 7919 + step * 104729) % 1000;
}

/* Adds the next landscape's differences to the total. */
static int one_step(void)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    long first = POINTS / size * rank, end = first + POINTS / size;
    if (rank == size - 1) /* the last one takes the rest as well */
        end = POINTS;
    long mine = height(at.step, first), theirs, part = 0, sum;
    int code = MPI_Sendrecv(&mine, 1, MPI_LONG, left, 0, &theirs, 1, MPI_LONG, right, 0, comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    for (long i = first; i < end; i++)
        part += labs((i + 1 < end ? height(at.step, i + 1) : theirs) - height(at.step, i));
    code = MPI_Allreduce(&part, &sum, 1, MPI_LONG, MPI_SUM, comm);
    if (code != MPI_SUCCESS)
        return code;
    at.total += sum;
    at.step++;
    return MPI_SUCCESS;
}

static int work(void)
{
    int code = MPI_SUCCESS;
    while (at.step < STEPS && code == MPI_SUCCESS)
        code = one_step();
    return code;
}

/* A death may leave some ranks one step ahead of others. Where the first one is goes from rank to rank. */
static int pass_on(MPI_Comm among)
{
    int rank, size, code = MPI_SUCCESS;
    MPI_Comm_rank(among, &rank);
    MPI_Comm_size(among, &size);
    if (rank > 0)
        code = MPI_Recv(&at, 2, MPI_LONG, rank - 1, 1, among, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && rank < size - 1)
        code = MPI_Send(&at, 2, MPI_LONG, rank + 1, 1, among);
    return code;
}

static void recover(void)
{
    int well;
    do {
        MPI_Comm smaller;
        MPIX_Comm_shrink(comm, &smaller);
        well = pass_on(smaller) == MPI_SUCCESS;
        if (!well)
            MPIX_Comm_revoke(smaller); /* releases a rank that waits for one which has given up */
        MPIX_Comm_agree(smaller, &well);
        MPI_Comm_free(&comm);
        comm = smaller;
    } while (!well);
}

static void print_answer(void)
{
    static int printed;
    int rank;
    long right = 0;
    MPI_Comm_rank(comm, &rank);
    for (long step = 0; step < STEPS; step++)
        for (long i = 0; i < POINTS; i++)
            right += labs(height(step, (i + 1) % POINTS) - height(step, i));
    if (rank == 0 && !printed++)
        printf("up and down: %ld, which is %s\n", at.total, at.total == right ? "right" : "WRONG");
    fflush(stdout); /* a killed process loses what it has not written */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* what is made of it inherits this */
    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);                    /* as MPI_Comm_dup, but a death does not make it fail */
    for (;;) {
        int finished = work() == MPI_SUCCESS;
        if (finished)
            print_answer();
        else
            MPIX_Comm_revoke(comm); /* releases ranks that wait for this one */
        int code = MPIX_Comm_agree(comm, &finished);
        if (finished && code == MPI_SUCCESS) /* the code: whoever should print may have died before it did */
            break;
        recover();
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
