/* spares: a job that keeps its size. Some ranks do nothing but wait; when a worker dies, one of them takes its place and its state,
 * of which the next worker keeps a copy, and all workers go back to the last checkpoint. If a worker and the keeper of its copy die
 * together, all begin again.
 *
 * Errors are met in one place: an error handler that jumps back to the top of the program (longjmp), as many programs do that
 * cannot pass an error code up through all of their functions.
 *
 * Usage: spares WORKERS [RANK@STEP]...      these ranks kill themselves there; ranks from WORKERS on are spares */
#include <mpi.h>
#include <mpi-ext.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 400, CHECKPOINT = 50, MOST = 64, NOBODY = -1 };

struct state {
    int step;
    unsigned value;
};

static MPI_Comm everybody;            /* the living */
static MPI_Comm team = MPI_COMM_NULL; /* the workers, each at the rank of its place */
static MPI_Errhandler handler;
static jmp_buf top;
static int world_rank, workers;
static int place; /* of this worker; NOBODY: a spare */
static struct state now;
static unsigned total; /* of the workers' values, at the end */
/* The last two checkpoints: somebody may have died while the newer one was taken. Of this worker, and of the one before it. */
static struct state mine[2], copy[2];
static int latest; /* the step of the newer one */

static int slot_of(int step)
{
    return step / CHECKPOINT % 2;
}

/* ---- failures ------------------------------------------------------------------------------------------------------------- */

/* Called by MPI inside whichever call failed. Both are revoked, so that nobody waits for whoever jumps. */
static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    if (*code != MPIX_ERR_PROC_FAILED && *code != MPIX_ERR_REVOKED)
        MPI_Abort(MPI_COMM_WORLD, *code); /* a bug, not a death */
    if (team != MPI_COMM_NULL)
        MPIX_Comm_revoke(team);
    MPIX_Comm_revoke(everybody);
    longjmp(top, 1);
}

/* Spares take the places that nobody has, in their order. */
static int take_places(MPI_Comm among, int *replaced)
{
    int size, rank, places[MOST], spare = 0;
    MPI_Comm_size(among, &size);
    MPI_Comm_rank(among, &rank);
    if (MPI_Allgather(&place, 1, MPI_INT, places, 1, MPI_INT, among) != MPI_SUCCESS)
        return 0;
    for (int wanted = 0; wanted < workers; wanted++) {
        int has = NOBODY;
        for (int i = 0; i < size; i++)
            has = places[i] == wanted ? i : has;
        replaced[wanted] = has == NOBODY;
        while (has == NOBODY && spare < size && places[spare] != NOBODY)
            spare++;
        if (has == NOBODY && spare == size) {
            fprintf(stderr, "spares: nobody is left for place %d\n", wanted);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (has == NOBODY)
            places[spare] = wanted;
    }
    place = places[rank];
    return 1;
}

/* Did a worker die and the keeper of its copy, too? */
static int copy_lost(const int *replaced)
{
    int lost = 0;
    for (int i = 0; i < workers; i++)
        lost |= replaced[i] && replaced[(i + 1) % workers];
    return lost;
}

static void start_anew(void)
{
    mine[0] = (struct state){0, 1 + (unsigned)place};
    copy[0] = (struct state){0, 1 + (unsigned)((place + workers - 1) % workers)};
}

/* Who is new gets its state from the worker after it, and the copy from the one before. Neither of them is new. */
static int give_states(const int *replaced, int slot)
{
    int before = (place + workers - 1) % workers, after = (place + 1) % workers, code = MPI_SUCCESS;
    if (replaced[before])
        code = MPI_Send(&copy[slot], 2, MPI_INT, before, 1, team);
    if (code == MPI_SUCCESS && replaced[place])
        code = MPI_Recv(&mine[slot], 2, MPI_INT, after, 1, team, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && replaced[after])
        code = MPI_Send(&mine[slot], 2, MPI_INT, after, 2, team);
    if (code == MPI_SUCCESS && replaced[place])
        code = MPI_Recv(&copy[slot], 2, MPI_INT, before, 2, team, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS;
}

/* The step to go back to: the newest that all who worked have kept. */
static int choose_step(MPI_Comm among, int *step)
{
    int newest = place == NOBODY ? STEPS : latest;
    return MPI_Allreduce(&newest, step, 1, MPI_INT, MPI_MIN, among) == MPI_SUCCESS;
}

/* Again, if somebody dies on the way. Here errors return. */
static void repair(void)
{
    int whole, from = 0, replaced[MOST], before = place;
    do {
        MPI_Comm next;
        place = before;
        MPIX_Comm_shrink(everybody, &next);
        MPI_Comm_free(&everybody);
        everybody = next;
        if (team != MPI_COMM_NULL)
            MPI_Comm_free(&team);
        whole = choose_step(everybody, &from) && take_places(everybody, replaced) &&
                MPI_Comm_split(everybody, place == NOBODY ? MPI_UNDEFINED : 0, place, &team) == MPI_SUCCESS;
        if (whole && copy_lost(replaced))
            from = 0, start_anew();
        else if (whole && place != NOBODY)
            whole = give_states(replaced, slot_of(from));
        if (!whole)
            MPIX_Comm_revoke(everybody); /* those who wait for me are released */
        if (!whole && team != MPI_COMM_NULL)
            MPIX_Comm_revoke(team);
    } while (MPIX_Comm_agree(everybody, &whole) != MPI_SUCCESS || !whole);
    if (before == NOBODY && place != NOBODY)
        printf("rank %d takes place %d, from step %d on\n", world_rank, place, from);
    latest = from;
    now = mine[slot_of(from)];
}

/* ---- the work ------------------------------------------------------------------------------------------------------------- */

/* Nobody is more than one checkpoint behind another: hence the barrier. */
static void checkpoint(void)
{
    struct state coming;
    MPI_Sendrecv(&now, 2, MPI_INT, (place + 1) % workers, 3, &coming, 2, MPI_INT, (place + workers - 1) % workers, 3,
                 team, MPI_STATUS_IGNORE);
    MPI_Barrier(team);
    mine[slot_of(now.step)] = now;
    copy[slot_of(now.step)] = coming;
    latest = now.step;
}

static void step(void)
{
    unsigned left = 0;
    MPI_Sendrecv(&now.value, 1, MPI_UNSIGNED, (place + 1) % workers, 4, &left, 1, MPI_UNSIGNED,
                 (place + workers - 1) % workers, 4, team, MPI_STATUS_IGNORE);
    now.value = 3 * now.value + left;
    now.step++;
}

/* What comes out if nobody dies. */
static unsigned expected(void)
{
    unsigned value[MOST], next[MOST], sum = 0;
    for (int i = 0; i < workers; i++)
        value[i] = 1 + (unsigned)i;
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < workers; i++)
            next[i] = 3 * value[i] + value[(i + workers - 1) % workers];
        for (int i = 0; i < workers; i++)
            value[i] = next[i];
    }
    for (int i = 0; i < workers; i++)
        sum += value[i];
    return sum;
}

static void die_as_told(int argc, char **argv)
{
    int rank, when;
    for (int i = 2; i < argc; i++)
        if (sscanf(argv[i], "%d@%d", &rank, &when) == 2 && rank == world_rank && when == now.step)
            raise(SIGKILL);
}

static void work(int argc, char **argv)
{
    while (now.step < STEPS) {
        if (now.step % CHECKPOINT == 0)
            checkpoint();
        die_as_told(argc, argv);
        step();
    }
    MPI_Allreduce(&now.value, &total, 1, MPI_UNSIGNED, MPI_SUM, team);
}

/* ---- the job -------------------------------------------------------------------------------------------------------------- */

static void begin(int argc, char **argv)
{
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    workers = argc > 1 ? atoi(argv[1]) : 0;
    if (workers < 2 || workers > size || size > MOST) {
        if (world_rank == 0)
            fprintf(stderr, "usage: spares WORKERS [RANK@STEP]...  with 2 <= WORKERS <= ranks <= %d\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(jump, &handler);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &everybody); /* a duplicate that no death can prevent */
    place = world_rank < workers ? world_rank : NOBODY;
    start_anew();
}

static void on_error(MPI_Errhandler then)
{
    MPI_Comm_set_errhandler(everybody, then);
    if (team != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(team, then);
}

/* Until the work is done, or somebody dies: then the handler jumps here. */
static int try_to_finish(int argc, char **argv)
{
    if (setjmp(top) != 0)
        return 0;
    on_error(handler);
    if (team != MPI_COMM_NULL)
        work(argc, argv);
    MPI_Barrier(everybody); /* where spares wait */
    return 1;
}

int main(int argc, char **argv)
{
    int finished;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    do {
        repair(); /* the first time it makes the team */
        finished = try_to_finish(argc, argv);
        on_error(MPI_ERRORS_RETURN);
        /* All, or nobody: who has finished may be needed again. */
    } while (MPIX_Comm_agree(everybody, &finished) != MPI_SUCCESS || !finished);
    if (place == 0)
        printf("%d workers after %d steps: %s\n", workers, now.step, total == expected() ? "right" : "WRONG");
    fflush(stdout); /* whoever dies from here on has said it */
    if (team != MPI_COMM_NULL)
        MPI_Comm_free(&team);
    MPI_Comm_free(&everybody);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
