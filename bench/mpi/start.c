/* start: how long MPI_Init takes, at the rank where it takes longest, and what a rank needs of memory with all that stands before it:
 * supervisor and front. One row: seconds of MPI_Init, KiB a rank on average. Without the layer, unless it is preloaded.
 * With an argument it leaves without MPI_Finalize: in MPICH's own, over several hosts by TCP, ranks wait for each other for ever. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Its share of what it shares with others; 0: not known. */
static long kib_of(long pid)
{
    char path[64], line[128];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Pss: %ld", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib;
}

/* 0: not ours, since it is no supervisor. */
static long parent_of(long pid)
{
    char path[64], line[256] = "", name[64] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file))
        sscanf(line, "%*d (%*[^)]) %*c %ld", &parent);
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%ld/comm", parent);
    file = fopen(path, "re");
    if (file && fgets(name, sizeof name, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    return strcmp(name, "exec") == 0 ? parent : 0;
}

int main(int argc, char **argv)
{
    int rank, size;
    double took, longest, begin = now();
    MPI_Init(&argc, &argv);
    took = now() - begin;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = 0, sum = 0;
    for (long pid = getpid(); pid; pid = parent_of(pid))
        mine += kib_of(pid);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f,%ld\n", longest, sum / size);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        _exit(0);
    MPI_Finalize();
    return 0;
}
