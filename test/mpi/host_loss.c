/* host_loss: a host with several ranks goes while the others work (or look on: `idle`); they shrink and finish with the right answer.
 * Arguments: how many ranks are lost, one loss after the other, as 8,2; work, idle, finalize, or stand: all wait for each other; for how
 * many seconds the survivors still work; after how many they are ended. Says "ready" when the next loss may come, and when all that are
 * lost were known dead here: "knew NANOSECONDS", by the clock of the day, which the hosts of a test have in common. */
#include "check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

enum { SECONDS = 60 };

static void say_time(const char *what)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%s %" PRId64 "\n", what, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    fflush(stdout);
}

static int count_failed(void)
{
    MPI_Group failed;
    int count;
    OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
    OK(MPI_Group_size(failed, &count));
    OK(MPI_Group_free(&failed));
    return count;
}

static void look_on(int lost)
{
    AT("looking on");
    while (count_failed() < lost)
        usleep(500);
    say_time("knew");
}

static void work_until_error(MPI_Comm comm)
{
    int mine = 1, sum, size;
    OK(MPI_Comm_size(comm, &size));
    while (CODE(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm)) == MPI_SUCCESS)
        CHECK(sum == size);
    OK(MPIX_Comm_revoke(comm));
}

/* Several deaths become known one after the other: what is shrunk may have to be shrunk again. */
static MPI_Comm without_the_dead(MPI_Comm comm, int lost)
{
    comm = shrunk(comm);
    for (int size, code = MPI_SUCCESS;; code = MPI_SUCCESS) {
        OK(MPI_Comm_size(comm, &size));
        int agreed = size == all - lost;
        code = CODE(MPIX_Comm_agree(comm, &agreed));
        if (code == MPI_SUCCESS && agreed)
            return comm;
        OK(MPIX_Comm_revoke(comm));
        comm = shrunk(comm);
    }
}

/* The first of them looks at the clock. */
static bool is_over(MPI_Comm comm, double until)
{
    int over = MPI_Wtime() >= until;
    OK(MPI_Bcast(&over, 1, MPI_INT, 0, comm));
    return over;
}

static void check_answer(MPI_Comm comm, int seconds)
{
    int size, rank, sum = 0, most = 0, mine = me + 1;
    double until = MPI_Wtime() + seconds;
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    for (int i = 0; i < 20 || !is_over(comm, until); i++) {
        OK(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm));
        OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK(sum == size && most <= all);
    }
}

static void say_ready(MPI_Comm comm)
{
    int rank;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Barrier(comm));
    if (rank == 0)
        say_time("ready");
}

/* The survivors, after each of the losses. */
static MPI_Comm lose_all(char *losses, bool is_idle)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int lost = 0;
    for (char *one = strtok(losses, ","); one; one = strtok(NULL, ",")) {
        lost += atoi(one);
        say_ready(comm);
        if (is_idle)
            look_on(lost);
        else
            work_until_error(comm);
        comm = without_the_dead(comm, lost);
    }
    return comm;
}

/* The others wait in MPI_Finalize for ranks that come no more. */
static void wait_for_end(int lost)
{
    say_ready(MPI_COMM_WORLD);
    while (me >= all - lost)
        pause();
}

int main(int argc, char **argv)
{
    char none[] = "0";
    begin(&argc, &argv, argc > 4 ? (unsigned)atoi(argv[4]) : SECONDS);
    char *losses = argc > 1 ? argv[1] : none;
    const char *how = argc > 2 ? argv[2] : "work";
    if (strcmp(how, "finalize") == 0)
        wait_for_end(atoi(losses));
    else if (strcmp(how, "stand") == 0)
        OK(MPI_Recv(&(int){0}, 1, MPI_INT, (me + 1) % all, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
        check_answer(lose_all(losses, strcmp(how, "idle") == 0), argc > 3 ? atoi(argv[3]) : 0);
    return end();
}
