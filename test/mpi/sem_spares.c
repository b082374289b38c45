/* sem_spares: the dead are replaced by spare ranks, with intercommunicators: the workers shrink their communicator, call a spare, make an
 * intercommunicator with it, merge, and put everybody in the place of old. Four workers, three spares: one spare is dead before it is
 * called, then a worker dies, then the one that calls. */
#include "check.h"

#include <stdbool.h>

enum { WORKERS = 4, CALL = 1, CREATE = 2, NONE = -1 };

static MPI_Comm work = MPI_COMM_NULL;
static int place = NONE; /* among the workers */

/* ---- one more ---------------------------------------------------------------------------------------------------------------------- */

/* Both sides: all members of the new communicator, or none. */
static int join(MPI_Comm local, int remote_leader, bool is_new)
{
    MPI_Comm inter, merged, made;
    int code = CODE(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, remote_leader, CREATE, &inter));
    if (code != MPI_SUCCESS)
        return code;
    code = CODE(MPI_Intercomm_merge(inter, is_new, &merged));
    OK(MPI_Comm_free(&inter));
    if (code != MPI_SUCCESS)
        return code;
    code = CODE(MPI_Comm_split(merged, 0, place, &made));
    OK(MPI_Comm_free(&merged));
    if (code == MPI_SUCCESS)
        work = made;
    return code;
}

/* ---- workers ----------------------------------------------------------------------------------------------------------------------- */

/* The lowest place that nobody has. */
static int missing(MPI_Comm alive, int members)
{
    int has[WORKERS], free_place = 0;
    OK(MPI_Allgather(&place, 1, MPI_INT, has, 1, MPI_INT, alive));
    for (int i = 0; i < members; i++)
        free_place += has[i] == free_place;
    return free_place;
}

/* The lowest rank calls spare after spare, until one comes; the others do not know whom it calls, and need not. */
static void repair(int *next_spare)
{
    MPI_Comm alive;
    int members, rank, code = MPIX_ERR_PROC_FAILED;
    OK(MPIX_Comm_revoke(work));
    OK(MPIX_Comm_shrink(work, &alive));
    OK(MPI_Comm_free(&work));
    OK(MPI_Comm_size(alive, &members));
    OK(MPI_Comm_rank(alive, &rank));
    int called = missing(alive, members);
    for (; code != MPI_SUCCESS; ++*next_spare) {
        CHECK(*next_spare < all);
        if (rank == 0)
            MPI_Send(&called, 1, MPI_INT, *next_spare, CALL, MPI_COMM_WORLD); /* it may be dead */
        code = join(alive, *next_spare, false);
        CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    }
    OK(MPI_Comm_free(&alive));
}

/* ---- spares ------------------------------------------------------------------------------------------------------------------------ */

/* A death does not end the wait for a call: it is acknowledged. */
static int wait_for_call(void)
{
    MPI_Status status;
    while (CODE(MPI_Recv(&place, 1, MPI_INT, MPI_ANY_SOURCE, CALL, MPI_COMM_WORLD, &status)) != MPI_SUCCESS)
        OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
    return status.MPI_SOURCE;
}

static void come(void)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)); /* what is made of it inherits that */
    while (join(MPI_COMM_SELF, wait_for_call(), true) != MPI_SUCCESS)
        continue; /* who called has died: another will */
}

/* ---- the work ---------------------------------------------------------------------------------------------------------------------- */

/* All are there, in their places: the same at all, or an error at all. */
static bool works(int step)
{
    int given[] = {place, step, -step}, most[3] = {0}, rank = NONE, well;
    well = CODE(MPI_Allreduce(given, most, 3, MPI_INT, MPI_MAX, work)) == MPI_SUCCESS;
    OK(MPI_Comm_rank(work, &rank));
    if (well)
        CHECK(rank == place && most[0] == WORKERS - 1 && most[1] == step && most[2] == -step);
    return CODE(MPIX_Comm_agree(work, &well)) == MPI_SUCCESS && well;
}

/* Who is new has to hear how far the others are: rank 3 lives. */
static void catch_up(int *step, int *next_spare)
{
    int news[] = {*step, *next_spare};
    OK(MPI_Bcast(news, 2, MPI_INT, 3, work));
    *step = news[0], *next_spare = news[1];
}

static void begin_work(void)
{
    MPI_Group world, workers;
    place = me;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, (int[][3]){{0, WORKERS - 1, 1}}, &workers));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, workers, 3, &work));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&workers));
}

int main(int argc, char **argv)
{
    enum { STEPS = 9 };
    int step = 0, next_spare = WORKERS;
    begin(&argc, &argv, 60);
    meet(MPI_COMM_WORLD);
    die_if(me == WORKERS);
    if (me < WORKERS) {
        begin_work();
    } else {
        come();
        catch_up(&step, &next_spare);
    }
    for (; step < STEPS; step++) {
        die_if((me == 1 && step == 3) || (me == 0 && step == 6));
        while (!works(step)) {
            repair(&next_spare);
            catch_up(&step, &next_spare);
        }
    }
    OK(MPI_Comm_free(&work));
    return end();
}
