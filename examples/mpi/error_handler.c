/* error_handler: recovery where the error is met, in an error handler.
 *
 * The program calls MPI as if nothing could happen. The handler of its communicator revokes it, shrinks it, agrees with the
 * others on the step to go on from, and puts the new communicator in its place; the program does that step again.
 *
 * Usage: error_handler [RANK@STEP]...     these ranks kill themselves there */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 1000 };

static MPI_Comm comm;
static MPI_Errhandler handler;
static int world_rank;
static int step;          /* the one being done */
static unsigned state[2]; /* after an even and an odd number of steps: one step back is possible */
static int repaired;      /* by the handler, during the last call */

/* Called by MPI, inside the call that failed. */
static void repair(MPI_Comm *broken, int *code, ...)
{
    MPI_Comm next, old = *broken;
    int whole, from;
    if (*code != MPIX_ERR_PROC_FAILED && *code != MPIX_ERR_REVOKED)
        MPI_Abort(MPI_COMM_WORLD, *code); /* a bug, not a death */
    MPIX_Comm_revoke(old);
    do {
        MPIX_Comm_shrink(old, &next);
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN); /* not into this handler from itself */
        from = step;
        whole = MPI_Allreduce(MPI_IN_PLACE, &from, 1, MPI_INT, MPI_MIN, next) == MPI_SUCCESS;
        MPIX_Comm_agree(next, &whole); /* somebody may have died just now: then all do it again */
        if (!whole)
            MPI_Comm_free(&next);
    } while (!whole);
    step = from; /* nobody is ahead by more than one: a step takes them all */
    MPI_Comm_set_errhandler(next, handler);
    comm = next;
    repaired = 1;
}

static void die_as_told(int argc, char **argv)
{
    int rank, when;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "%d@%d", &rank, &when) == 2 && rank == world_rank && when == step)
            raise(SIGKILL);
}

static unsigned advanced(unsigned value)
{
    return value * 1664525u + 1013904223u;
}

int main(int argc, char **argv)
{
    int rank, size;
    unsigned wanted = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(repair, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    state[0] = 1;
    while (step < STEPS) {
        die_as_told(argc, argv);
        unsigned mine = advanced(state[step % 2]), agreed;
        repaired = 0;
        MPI_Allreduce(&mine, &agreed, 1, MPI_UNSIGNED, MPI_MAX, comm);
        if (repaired)
            continue; /* again, from the step all of us have */
        state[++step % 2] = agreed;
        if (step == STEPS) { /* nobody leaves while another may need it to go back */
            int done = 1;
            MPIX_Comm_agree(comm, &done);
        }
    }
    for (int i = 0; i < STEPS; i++)
        wanted = advanced(wanted);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("%d ranks left after %d steps: %s\n", size, STEPS, state[STEPS % 2] == wanted ? "right" : "WRONG");
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return state[STEPS % 2] == wanted ? 0 : 1;
}
