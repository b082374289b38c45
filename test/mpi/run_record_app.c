/* run_record_app: for run_record.sh: does what its words say, in their order; ranks that live go on with the survivors after a death.
 *   say            each rank writes the line "rank R says so" and a piece of one without its end, flushing neither; and "rank R errs" to
 *                  standard error
 *   work           allreduce, until it fails once or 20 times; then recovers
 *   right          the lowest rank writes "right"
 *   wait           rank 0 waits for a message that nobody sends, the others in a barrier
 *   leave          rank 0 waits for that message, the others in MPI_Finalize
 *   turns          rank 0 sleeps, then rank 1, each while the other waits for it
 *   stop           rank 1 stops itself by SIGSTOP, then wait
 *   loop, count    calls for ever, without or with knell_progress that stands still after 5; tick writes lines "step N" to 5
 *   child          rank 0 leaves a process that sleeps; shm: and a name in shared memory, which $SHM_NAME says
 *   much           rank 0 writes a megabyte
 *   exit, crash    rank 1 ends with status 3, by SIGSEGV */
#include "check.h"

#include <fcntl.h>
#include <knell/faults.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm comm;

static void nap(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void say(void)
{
    printf("rank %d says so\nrank %d has not", me, me);
    fprintf(stderr, "rank %d errs\n", me);
}

static void work(void)
{
    int one = 1, sum, code = MPI_SUCCESS;
    for (int i = 0; i < 20 && code == MPI_SUCCESS; i++) {
        nap();
        code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    if (code == MPI_SUCCESS)
        return;
    MPIX_Comm_revoke(comm);
    comm = shrunk(comm);
}

static void right(void)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        puts("\nright");
}

static void receive_nothing(void)
{
    int one;
    MPI_Recv(&one, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take_turns(void)
{
    int one = 1;
    struct timespec first = {0, 800000000}, second = {2, 500000000};
    if (me > 1)
        return;
    nanosleep(me == 0 ? &first : &(struct timespec){0}, NULL);
    if (me == 0)
        MPI_Send(&one, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    MPI_Recv(&one, 1, MPI_INT, 1 - me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(me == 1 ? &second : &(struct timespec){0}, NULL);
    if (me == 1)
        MPI_Send(&one, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

static void loop(int counts, int ticks)
{
    int one = 1, sum;
    for (int i = 0;; i++) {
        nap();
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (counts)
            knell_progress(i < 5 ? i : 5);
        if (ticks && i < 5 && me == 0)
            printf("step %d\n", i);
    }
}

static void leave_child(void)
{
    if (me != 0 || fork() != 0)
        return;
    setsid();
    execlp("sleep", "sleep", "50", (char *)NULL);
    _exit(1);
}

static void leave_shm(void)
{
    const char *name = getenv("SHM_NAME");
    if (me == 0 && name)
        CHECK(shm_open(name, O_CREAT | O_RDWR, 0600) >= 0);
}

static void crash(void)
{
    signal(SIGSEGV, SIG_DFL); /* not the MPI's, which prints a page */
    raise(SIGSEGV);
}

static void much(void)
{
    static char line[1024];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 1024 && me == 0; i++)
        fwrite(line, 1, sizeof line, stdout);
}

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static void obey(const char *word)
{
    if (is(word, "say"))
        say();
    if (is(word, "work"))
        work();
    if (is(word, "right"))
        right();
    if (is(word, "turns"))
        take_turns();
    if (is(word, "child"))
        leave_child();
    if (is(word, "shm"))
        leave_shm();
    if (is(word, "much"))
        much();
    if (is(word, "loop") || is(word, "count") || is(word, "tick"))
        loop(is(word, "count"), is(word, "tick"));
    if (is(word, "exit") && me == 1)
        exit(3);
    if (is(word, "crash") && me == 1)
        crash();
    if (is(word, "stop") && me == 1)
        raise(SIGSTOP);
    if ((is(word, "wait") || is(word, "leave") || is(word, "stop")) && me == 0)
        receive_nothing();
    if (is(word, "wait") || is(word, "stop"))
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++)
        obey(argv[i]);
    return end();
}
