/* run_app: for the tests of `knell run`: works until `deaths` ranks have died, each time shrinking to the survivors, then ends.
 * Usage: run_app deaths [status [victim [how]]]: the exit status of the highest survivor; who dies at its fifth step, and how: kill
 * (knell_kill_me), exit (with status 3, without MPI_Finalize), crash (SIGSEGV) or stop (SIGSTOP).
 * run_app hang: rank 0 never comes to the barrier where the others are, rank 3 waits in an agreement. abort: rank 1 calls MPI_Abort with 9, the others wait.
 * fatal [crash]: rank 1 dies, the others have the fatal error handler. barriers: the same, but nobody dies. crash-all: nobody is left. wrong: rank 1 makes an error that the MPI below
 * finds, by a communicator with the fatal error handler, the others wait.
 * run_app count FILE: allreduce and barrier in turns until one rank has died; each rank notes its calls in FILE.RANK. */
#include "check.h"

#include <time.h>

/* About a millisecond between calls: a job that works, not one that polls. */
static void work(void)
{
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

static int step(MPI_Comm comm)
{
    int one = 1, sum = 0;
    work();
    return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
}

static void recover(MPI_Comm *comm)
{
    MPI_Comm survivors;
    MPIX_Comm_revoke(*comm);
    OK(MPIX_Comm_shrink(*comm, &survivors));
    MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
    *comm = survivors;
}

static void hang(void)
{
    int flag = 1;
    for (; me == 0; pause())
        ;
    if (me == 3)
        MPI_Comm_agree(MPI_COMM_WORLD, &flag);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong(void)
{
    MPI_Comm copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL));
    if (me == 1)
        MPI_Comm_delete_attr(copy, MPI_KEYVAL_INVALID);
}

static _Noreturn void die(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* not the MPI's, which prints a page */
        raise(SIGSEGV);
    }
    while (strcmp(how, "stop") == 0)
        raise(SIGSTOP);
    knell_kill_me();
}

/* What ends the whole job; returns if `word` is none of it. */
static void end_of_all(const char *word, const char *how)
{
    if (strcmp(word, "hang") == 0)
        hang();
    if (strcmp(word, "abort") == 0 && me == 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(word, "crash-all") == 0)
        die("crash");
    if (strcmp(word, "fatal") == 0 && me == 1)
        die(how);
    if (strcmp(word, "fatal") == 0 || strcmp(word, "barriers") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (strcmp(word, "wrong") == 0)
        wrong();
    while (strcmp(word, "fatal") == 0 || strcmp(word, "abort") == 0 || strcmp(word, "wrong") == 0 ||
           strcmp(word, "barriers") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* One byte a call, before it is made: so the file of who died tells which call was its last. */
static void count(const char *file)
{
    char path[300];
    int one = 1, sum, code = MPI_SUCCESS;
    snprintf(path, sizeof path, "%s.%d", file, me);
    FILE *notes = fopen(path, "w");
    CHECK(notes);
    setbuf(notes, NULL);
    for (int calls = 0; code == MPI_SUCCESS; calls++) {
        work();
        fputc('.', notes);
        code = calls % 2 ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    fclose(notes);
    OK(MPI_Barrier(shrunk(MPI_COMM_WORLD)));
    exit(end());
}

static int argument(int argc, char **argv, int number, int otherwise)
{
    return argc > number ? atoi(argv[number]) : otherwise;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    int deaths = argument(argc, argv, 1, 0), status = argument(argc, argv, 2, 0), victim = argument(argc, argv, 3, -1);
    int size = all, rank = me;
    if (argc > 1)
        end_of_all(argv[1], argc > 2 ? argv[2] : "kill");
    if (argc > 2 && strcmp(argv[1], "count") == 0)
        count(argv[2]);
    MPI_Comm comm = MPI_COMM_WORLD;
    AT("work");
    for (int steps = 0; size > all - deaths; steps++) {
        if (me == victim && steps == 5)
            die(argc > 4 ? argv[4] : "kill");
        if (step(comm) != MPI_SUCCESS)
            recover(&comm);
        OK(MPI_Comm_size(comm, &size));
    }
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)); /* MPI_Finalize has nothing for it */
    end();
    return rank == size - 1 ? status : 0;
}
