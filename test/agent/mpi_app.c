/* mpi_app.c: [STATUS]: a small MPI program with a function that is not MPI's. Rank 0 repeats the first line of its standard input.
 * usr1: waits for SIGUSR1, ten seconds at most. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int solver_step(int n);

__attribute__((noinline)) int solver_step(int n)
{
    __asm__ volatile("");
    return n + 1;
}

static int wait_for_signal(int rank)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    printf("rank %d waits\n", rank);
    fflush(stdout);
    int got = sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 10});
    printf("rank %d heard %s\n", rank, got == SIGUSR1 ? "it" : "nothing");
    return got != SIGUSR1;
}

int main(int argc, char **argv)
{
    char line[64] = "";
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "usr1") == 0) {
        int status = wait_for_signal(rank);
        MPI_Finalize();
        return status;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0 && fgets(line, sizeof line, stdin))
        printf("heard %s", line);
    for (int i = 0; i < 20; i++) {
        solver_step(i);
        if (MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
            break;
    }
    printf("rank %d done\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
