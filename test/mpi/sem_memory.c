/* sem_memory: 10,000 communicators made, used and freed take no more memory than the first 1,000 did. */
#include "check.h"

enum { WARM = 1000, ROUNDS = 10000, ALLOWED_KB = 512 };

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
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    begin_threads(&argc, &argv, 80, threads);
    for (int i = 0; i < WARM; i++)
        make_use_free();
    long before = resident_kb();
    for (int i = WARM; i < ROUNDS; i++)
        make_use_free();
    long grown = resident_kb() - before;
    if (me == 0)
        fprintf(stderr, "after %d communicators %ld KiB, %d later %ld KiB more\n", WARM, before, ROUNDS - WARM, grown);
    CHECK(grown < ALLOWED_KB);
    return end();
}
