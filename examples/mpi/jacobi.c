/* jacobi: a solver that goes on without the ranks it loses.
 *
 * The Laplace equation on a square, by Jacobi's iteration. Each rank owns a block of rows and keeps a copy of its neighbour's
 * block from the last checkpoint. When ranks die, the survivors shrink the communicator, put the grid together from their own
 * blocks and the copies, share it out anew and go on. If a rank and the keeper of its copy die together, their rows start from
 * the first guess again: that costs iterations, not the answer.
 *
 * Usage: jacobi [SIZE] [RANK@ITERATION]...      a grid of SIZE x SIZE points (32); these ranks kill themselves there
 *        mpirun -n 8 jacobi 0@300 5@300 2@700 */
#include <math.h>
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 32, WIDTH = LARGEST + 2, CHECKPOINT = 50, LOOK = 10, MOST = 20000 };
typedef double row[WIDTH];

static int n = LARGEST; /* points inside the boundary, in each direction */
static MPI_Comm comm;
static int world_rank, world_size;
static int first, rows;                            /* the block: rows first .. first + rows - 1 of the grid, */
static row now[WIDTH], next[WIDTH];                /* with a row of a neighbour on either side */
static int copy_owner = -1, copy_first, copy_rows; /* whose block the copy is, by its rank in MPI_COMM_WORLD */
static row copy[LARGEST];
static row grid[WIDTH]; /* the whole of it, when it is shared out */
static int iteration;

/* The boundary, and, since it is harmonic, the solution everywhere. */
static double exact(int i, int j)
{
    double x = (double)j / (n + 1), y = (double)i / (n + 1);
    return x + 2 * y + 3 * x * y;
}

/* ---- dividing the grid ------------------------------------------------------------------------------------------------------ */

static void take_block(void)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    first = 1 + rank * n / size;
    rows = 1 + (rank + 1) * n / size - first;
    memcpy(now, grid[first - 1], (size_t)(rows + 2) * sizeof(row));
    copy_owner = -1;
}

static void first_guess(void)
{
    memset(grid, 0, sizeof grid);
    for (int i = 0; i <= n + 1; i++) {
        grid[0][i] = exact(0, i), grid[n + 1][i] = exact(n + 1, i);
        grid[i][0] = exact(i, 0), grid[i][n + 1] = exact(i, n + 1);
    }
}

/* ---- the iteration; each step gives the code of the MPI call that failed -------------------------------------------------------- */

static int exchange_edges(void)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int code = MPI_Sendrecv(now[1], WIDTH, MPI_DOUBLE, above, 1, now[rows + 1], WIDTH, MPI_DOUBLE, below, 1, comm,
                            MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    return MPI_Sendrecv(now[rows], WIDTH, MPI_DOUBLE, below, 2, now[0], WIDTH, MPI_DOUBLE, above, 2, comm,
                        MPI_STATUS_IGNORE);
}

/* The block goes to the next rank, the block of the one before comes here. */
static int checkpoint(void)
{
    int rank, size, mine[3] = {world_rank, first, rows}, theirs[3];
    row coming[LARGEST];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int code = MPI_Sendrecv(mine, 3, MPI_INT, to, 3, theirs, 3, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = MPI_Sendrecv(now[1], rows * WIDTH, MPI_DOUBLE, to, 4, coming, LARGEST * WIDTH, MPI_DOUBLE, from, 4, comm,
                            MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code; /* the older copy is whole */
    copy_owner = theirs[0], copy_first = theirs[1], copy_rows = theirs[2];
    memcpy(copy, coming, sizeof copy);
    return MPI_SUCCESS;
}

static double relax(void)
{
    double change = 0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= n; j++) {
            next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
            change = fmax(change, fabs(next[i][j] - now[i][j]));
        }
    for (int i = 1; i <= rows; i++)
        memcpy(&now[i][1], &next[i][1], (size_t)n * sizeof(double));
    return change;
}

static void die_as_told(int argc, char **argv)
{
    int rank, when;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "%d@%d", &rank, &when) == 2 && rank == world_rank && when == iteration)
            raise(SIGKILL);
}

static int solve(int argc, char **argv)
{
    double change = 1, most = 1;
    for (int code; most > 1e-10 && iteration < MOST; iteration++) {
        die_as_told(argc, argv);
        if (iteration % CHECKPOINT == 0 && (code = checkpoint()) != MPI_SUCCESS)
            return code;
        if ((code = exchange_edges()) != MPI_SUCCESS)
            return code;
        change = relax();
        if (iteration % LOOK == 0 &&
            (code = MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, comm)) != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

/* How far the solution is off, at the worst point of all. */
static int measure(double *worst)
{
    double error = 0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= n; j++)
            error = fmax(error, fabs(now[i][j] - exact(first + i - 1, j)));
    return MPI_Allreduce(&error, worst, 1, MPI_DOUBLE, MPI_MAX, comm);
}

/* ---- after a death --------------------------------------------------------------------------------------------------------------- */

/* Everybody gives its own rows, and the copy if its owner is gone; rows that nobody has stay as they were first guessed. */
static int collect(MPI_Comm among)
{
    static row mine[WIDTH], sum[WIDTH];
    int alive[LARGEST] = {0}, anybody[LARGEST], known[WIDTH] = {0}, everywhere[WIDTH];
    alive[world_rank] = 1;
    int code = MPI_Allreduce(alive, anybody, world_size, MPI_INT, MPI_MAX, among);
    if (code != MPI_SUCCESS)
        return code;
    memset(mine, 0, sizeof mine);
    memcpy(mine[first], now[1], (size_t)rows * sizeof(row));
    for (int i = 0; i < rows; i++)
        known[first + i] = 1;
    if (copy_owner >= 0 && !anybody[copy_owner]) {
        memcpy(mine[copy_first], copy, (size_t)copy_rows * sizeof(row));
        for (int i = 0; i < copy_rows; i++)
            known[copy_first + i] = 1;
    }
    code = MPI_Allreduce(mine, sum, (n + 2) * WIDTH, MPI_DOUBLE, MPI_SUM, among);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(known, everywhere, n + 2, MPI_INT, MPI_MAX, among);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, &iteration, 1, MPI_INT, MPI_MAX, among);
    if (code != MPI_SUCCESS)
        return code;
    first_guess();
    for (int i = 1; i <= n; i++)
        if (everywhere[i])
            memcpy(grid[i], sum[i], sizeof(row));
    return MPI_SUCCESS;
}

/* Again, if somebody dies on the way: nobody gives up its block before all have the whole grid. */
static void recover(void)
{
    int whole, rank, size;
    do {
        MPI_Comm smaller;
        MPIX_Comm_shrink(comm, &smaller);
        whole = collect(smaller) == MPI_SUCCESS;
        if (!whole)
            MPIX_Comm_revoke(smaller);
        whole = MPIX_Comm_agree(smaller, &whole) == MPI_SUCCESS && whole;
        MPI_Comm_free(&comm);
        comm = smaller;
    } while (!whole);
    take_block();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("iteration %d: %d ranks go on\n", iteration, size);
}

static void begin(int argc, char **argv)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (argc > 1 && !strchr(argv[1], '@'))
        n = atoi(argv[1]);
    if (n > LARGEST || world_size > n) {
        if (world_rank == 0)
            fprintf(stderr, "usage: jacobi [SIZE] [RANK@ITERATION]...  with ranks <= SIZE <= %d\n", LARGEST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* what is shrunk from it inherits this */
    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);                    /* a duplicate that no death can prevent */
    first_guess();
    take_block();
}

int main(int argc, char **argv)
{
    int finished, rank, size;
    double worst = -1;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (;;) {
        finished = solve(argc, argv) == MPI_SUCCESS && measure(&worst) == MPI_SUCCESS;
        if (!finished)
            MPIX_Comm_revoke(comm); /* releases ranks that wait for a rank which has left the iteration */
        if (MPIX_Comm_agree(comm, &finished) == MPI_SUCCESS && finished)
            break; /* nobody has died, and all have the answer */
        recover();
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("%d of %d ranks, %d iterations, largest error %.1e: %s\n", size, world_size, iteration, worst,
               worst >= 0 && worst < 1e-6 ? "right" : "WRONG");
    fflush(stdout); /* whoever dies in MPI_Finalize has said it */
    MPI_Finalize();
    return worst >= 0 && worst < 1e-6 ? 0 : 1;
}
