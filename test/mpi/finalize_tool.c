/* finalize_tool: a tool that takes its time to write a report in MPI_Finalize, at rank 0. Compiled twice: TOOL_FINALIZE is PMPI_Finalize for
 * one below the layer, MPI_Finalize for one between the program and the layer.
 * The environment: TOOL_REPORT, a file that every rank appends a line to; TOOL_SECONDS. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void report(int rank)
{
    FILE *file = fopen(getenv("TOOL_REPORT"), "a");
    if (!file)
        return;
    fprintf(file, "rank %d\n", rank);
    fclose(file);
}

/* It looks for messages meanwhile: MPICH over TCP then answers the others, who close their connections, and has to be answered later. */
static void take_time(void)
{
    int flag;
    for (time_t end = time(NULL) + atoi(getenv("TOOL_SECONDS")); time(NULL) < end;) {
        PMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int TOOL_FINALIZE(void)
{
    int rank, (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        take_time();
    int code = next();
    report(rank); /* the rest of it comes when MPI is gone */
    return code;
}
