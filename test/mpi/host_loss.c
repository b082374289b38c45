/* host_loss: a host with several ranks goes while the others work (or look on: `idle`); they shrink and finish with the right answer.
 * Arguments: how many ranks are lost; work, idle or finalize; for how many seconds the survivors still work. Says "ready" when the host may go, and when the last of its ranks was known
 * dead here: "knew NANOSECONDS", by the clock of the day, which the hosts of a test have in common. */
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

static void work_until_error(void)
{
    int mine = 1, sum = all;
    while (CODE(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)) == MPI_SUCCESS)
        CHECK(sum == all);
}

/* Several deaths become known one after the other: what is shrunk may have to be shrunk again. */
static MPI_Comm without_the_dead(int lost)
{
    MPI_Comm comm = shrunk(MPI_COMM_WORLD);
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

int main(int argc, char **argv)
{
    begin(&argc, &argv, SECONDS);
    int lost = argc > 1 ? atoi(argv[1]) : 0;
    const char *how = argc > 2 ? argv[2] : "work";
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 0)
        say_time("ready");
    if (strcmp(how, "finalize") == 0) {
        while (me >= all - lost) /* the others wait for these in MPI_Finalize */
            pause();
        return end();
    }
    if (strcmp(how, "idle") == 0)
        look_on(lost);
    else
        work_until_error();
    OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
    check_answer(without_the_dead(lost), argc > 3 ? atoi(argv[3]) : 0);
    return end();
}
