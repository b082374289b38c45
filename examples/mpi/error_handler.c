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
static MPI_Comm old = MPI_COMM_NULL; /* what the handler has replaced */
static MPI_Errhandler handler;
static int world_rank;
static int step;          /* the one being done */
static unsigned state[2]; /* after an even and an odd number of steps: one step back is possible */
static int leaving;       /* all steps are done here; in the agreement that they are done everywhere */

/* Called by MPI, inside the call that failed. */
static void repair(MPI_Comm *broken, int *code, ...)
{
    int whole = 0, from;
    if (*code != MPIX_ERR_PROC_FAILED && *code != MPIX_ERR_REVOKED)
        MPI_Abort(MPI_COMM_WORLD, *code); /* a bug, not a death */
    old = *broken;
    MPI_Comm_set_errhandler(old, MPI_ERRORS_RETURN); /* not into this handler from itself; what is shrunk inherits it */
    MPIX_Comm_revoke(old);
    if (!leaving)
        MPIX_Comm_agree(old, &whole); /* others may wait there with their last step done: nobody leaves */
    do {
        MPIX_Comm_shrink(old, &comm);
        from = step;
        whole = MPI_Allreduce(MPI_IN_PLACE, &from, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS;
        whole = MPIX_Comm_agree(comm, &whole) == MPI_SUCCESS && whole;
        if (!whole)
            MPI_Comm_free(&comm); /* somebody died just now: all do it again */
    } while (!whole);
    step = from; /* nobody is ahead by more than one: a step takes them all */
    MPI_Comm_set_errhandler(comm, handler);
}

/* Did the last call fail? Then the handler has made another communicator. */
static int repaired(void)
{
    if (old == MPI_COMM_NULL)
        return 0;
    MPI_Comm_free(&old);
    return 1;
}

/* Nobody leaves while another may need it to go back. */
static void leave(void)
{
    leaving = 1;
    do {
        int done = 1;
        MPIX_Comm_agree(comm, &done);
    } while (repaired() && step == STEPS); /* else there is more to do */
    leaving = 0;
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
    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm); /* a duplicate that no death can prevent */
    MPI_Comm_create_errhandler(repair, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    state[0] = 1;
    while (step < STEPS) {
        die_as_told(argc, argv);
        unsigned mine = advanced(state[step % 2]), agreed;
        MPI_Allreduce(&mine, &agreed, 1, MPI_UNSIGNED, MPI_MAX, comm);
        if (repaired())
            continue; /* again, from the step all of us have */
        state[++step % 2] = agreed;
        if (step == STEPS)
            leave();
    }
    for (int i = 0; i < STEPS; i++)
        wanted = advanced(wanted);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("%d ranks left after %d steps: %s\n", size, STEPS, state[STEPS % 2] == wanted ? "right" : "WRONG");
    fflush(stdout); /* whoever dies in MPI_Finalize has said it */
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return state[STEPS % 2] == wanted ? 0 : 1;
}
