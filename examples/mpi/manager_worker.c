/* manager_worker: tasks are handed out by a manager; any worker may die, and the manager too.
 *
 * A worker's death costs its task, which is given to another: the manager acknowledges the failure and goes on receiving, with
 * the same communicator. The manager's death is met by all: they revoke, shrink, tell each other which results they have, and
 * the first of the survivors is the manager. The tasks: the number of primes below 100,000 in 50 parts, or as many as are wanted.
 *
 * Usage: manager_worker [PARTS] [RANK@TASKS]...     these ranks kill themselves after so many tasks done (the manager: given out) */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BELOW = 100000, PARTS = 50, MOST = 1000, RANKS = 256, RIGHT = 9592 };
enum { UNKNOWN = -1, NOTHING = -1, TAG_TASK = 1, TAG_RESULT = 2 };

static MPI_Comm comm;
static int world_rank, handled;
static int tasks = PARTS;
static int result[MOST]; /* what is known here */

static int primes(int task)
{
    int count = 0, from = task * BELOW / tasks, to = (task + 1) * BELOW / tasks;
    for (int n = from < 2 ? 2 : from; n < to; n++) {
        int d = 2;
        while (d * d <= n && n % d)
            d++;
        count += d * d > n;
    }
    return count;
}

static void die_as_told(int argc, char **argv)
{
    int rank, when;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "%d@%d", &rank, &when) == 2 && rank == world_rank && when == handled)
            raise(SIGKILL);
    handled++;
}

/* ---- the worker: until the manager is dead, or the communicator revoked -------------------------------------------------------- */

static void work(int argc, char **argv)
{
    for (int task; MPI_Recv(&task, 1, MPI_INT, 0, TAG_TASK, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;) {
        result[task] = primes(task);
        die_as_told(argc, argv);
        int message[2] = {task, result[task]};
        if (MPI_Send(message, 2, MPI_INT, 0, TAG_RESULT, comm) != MPI_SUCCESS)
            return;
    }
}

/* ---- the manager ------------------------------------------------------------------------------------------------------------------ */

static int task_of[RANKS]; /* by rank; NOTHING: idle */
static int dead[RANKS];

/* A task that is not known and that nobody alive has; NOTHING: none. */
static int open_task(int size)
{
    for (int task = 0; task < tasks; task++) {
        int taken = result[task] != UNKNOWN;
        for (int r = 1; r < size && !taken; r++)
            taken = task_of[r] == task;
        if (!taken)
            return task;
    }
    return NOTHING;
}

static void give_out(int size, int argc, char **argv)
{
    for (int r = 1, task; r < size; r++) {
        if (dead[r] || task_of[r] != NOTHING || (task = open_task(size)) == NOTHING)
            continue;
        die_as_told(argc, argv);
        if (MPI_Send(&task, 1, MPI_INT, r, TAG_TASK, comm) == MPI_SUCCESS)
            task_of[r] = task;
    }
}

/* The dead do not work any more: their tasks are open again. From now on receives from any source do without them. */
static int bury(int size)
{
    MPI_Group failed, members;
    int count, rank[RANKS], number[RANKS], left = 0;
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &failed);
    MPI_Comm_group(comm, &members);
    MPI_Group_size(failed, &count);
    for (int i = 0; i < count; i++)
        number[i] = i;
    MPI_Group_translate_ranks(failed, count, number, members, rank);
    for (int i = 0; i < count; i++) {
        dead[rank[i]] = 1;
        task_of[rank[i]] = NOTHING;
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&members);
    for (int r = 1; r < size; r++)
        left += !dead[r];
    return left;
}

static int all_known(void)
{
    int known = 0;
    for (int task = 0; task < tasks; task++)
        known += result[task] != UNKNOWN;
    return known == tasks;
}

static void manage(int size, int argc, char **argv)
{
    int message[2], workers = size - 1;
    MPI_Status status;
    for (int r = 0; r < size; r++)
        dead[r] = 0, task_of[r] = NOTHING;
    while (!all_known() && workers > 0) {
        give_out(size, argc, argv);
        int code = MPI_Recv(message, 2, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, comm, &status);
        if (code == MPIX_ERR_PROC_FAILED)
            workers = bury(size);
        else if (code != MPI_SUCCESS)
            return;
        else
            result[message[0]] = message[1], task_of[status.MPI_SOURCE] = NOTHING;
    }
    for (int task = 0; task < tasks && workers == 0; task++) /* alone */
        if (result[task] == UNKNOWN)
            result[task] = primes(task);
}

/* ---- rounds: one per manager ------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    int rank, size, over, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1 && !strchr(argv[1], '@'))
        tasks = atoi(argv[1]);
    if (tasks < 1 || tasks > MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm); /* a duplicate that no death can prevent */
    for (int task = 0; task < tasks; task++)
        result[task] = UNKNOWN;
    do {
        MPI_Comm next;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (rank == 0)
            manage(size, argc, argv);
        else
            work(argc, argv);
        MPIX_Comm_revoke(comm); /* the manager is dead, or has all: nobody waits any longer */
        MPIX_Comm_shrink(comm, &next);
        MPI_Comm_free(&comm);
        comm = next;
        over = MPI_Allreduce(MPI_IN_PLACE, result, tasks, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS && all_known();
        over = MPIX_Comm_agree(comm, &over) == MPI_SUCCESS && over; /* a failure: whoever prints may be dead */
    } while (!over);
    for (int task = 0; task < tasks; task++)
        sum += result[task];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        printf("%d ranks left, %d primes below %d: %s\n", size, sum, BELOW, sum == RIGHT ? "right" : "WRONG");
    fflush(stdout); /* whoever dies in MPI_Finalize has said it */
    MPI_Finalize();
    return sum == RIGHT ? 0 : 1;
}
