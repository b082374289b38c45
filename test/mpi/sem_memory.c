/* sem_memory: communicators made, used and freed take no more memory however many they are. Arguments: how many, and "threads". */
#include "memory.h"

static void make_use_free(MPI_Comm comm)
{
    MPI_Comm copy, half;
    int one = 1, sum = 0;
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK(sum == all);
    meet(copy);
    OK(MPI_Comm_split(copy, me % 2, 0, &half));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&copy));
}

static void repeat(MPI_Comm comm, int times)
{
    for (int i = 0; i < times; i++)
        make_use_free(comm);
}

int main(int argc, char **argv)
{
    int threads = argc > 2 && strcmp(argv[2], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    begin_threads(&argc, &argv, 50, threads);
    check_no_leak("communicators", repeat, MPI_COMM_WORLD, rounds / (1 + TRIES));
    return end();
}
