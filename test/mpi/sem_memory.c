/* sem_memory: communicators made, used and freed take no more memory however many they are. Arguments: how many, and "threads". */
#include "check.h"

enum { ALLOWED_KB = 256 };

static long resident_kb(void)
{
    char line[128];
    long kb = -1;
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(status);
    while (fgets(line, sizeof line, status))
        sscanf(line, "VmRSS: %ld", &kb);
    fclose(status);
    CHECK(kb > 0);
    return kb;
}

static void make_use_free(void)
{
    MPI_Comm comm, half;
    int one = 1, sum = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == all);
    meet(comm);
    OK(MPI_Comm_split(comm, me % 2, 0, &half));
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    int threads = argc > 2 && strcmp(argv[2], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int rounds = argc > 1 ? atoi(argv[1]) : 1000, warm = rounds / 5;
    begin_threads(&argc, &argv, 50, threads);
    for (int i = 0; i < warm; i++)
        make_use_free();
    long before = resident_kb();
    for (int i = warm; i < rounds; i++)
        make_use_free();
    long grown = resident_kb() - before;
    if (me == 0)
        fprintf(stderr, "after %d rounds %ld KiB, after %d more %ld KiB more\n", warm, before, rounds - warm, grown);
    CHECK(grown < ALLOWED_KB);
    return end();
}
