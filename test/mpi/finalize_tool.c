/* finalize_tool: a tool that takes its time to write a report in MPI_Finalize, at rank 0. Compiled twice: TOOL_FINALIZE is PMPI_Finalize for
 * one below the layer, MPI_Finalize for one between the program and the layer.
 * The environment: TOOL_REPORT, a file that every rank appends a line to; TOOL_SECONDS. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void report(int rank)
{
    FILE *file = fopen(getenv("TOOL_REPORT"), "a");
    if (!file)
        return;
    fprintf(file, "rank %d\n", rank);
    fclose(file);
}

/* What tools do: rank 0 gathers from the others, and the rest of it comes when MPI is gone. */
int TOOL_FINALIZE(void)
{
    int rank, (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        sleep((unsigned)atoi(getenv("TOOL_SECONDS")));
    int code = next();
    report(rank);
    return code;
}
