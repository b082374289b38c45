/* session.c: Open MPI's session folder of this process.
 *
 * Open MPI keeps a small file there for each file that the program opens; where it cannot, it complains, or the open fails. All processes
 * of a job on a host share one such folder, and its launcher removes that whenever one of them has died, in the middle of an open
 * of another. So each has one of its own, within the folder of all jobs of the launcher, which the launcher removes at the end. */
#include "mpi/native/native.h"

#ifdef OPEN_MPI
#include "mpi/base/settings.h"

#include <stdio.h>
#include <stdlib.h>

#define FAMILY "OMPI_MCA_orte_jobfam_session_dir"

void native_own_session(void)
{
    const char *family = settings_get(FAMILY), *rank = settings_get("OMPI_COMM_WORLD_RANK");
    char folder[4096];
    int size = family && rank ? snprintf(folder, sizeof folder, "%s/knell-%s", family, rank) : -1;
    if (size > 0 && (size_t)size < sizeof folder)
        setenv(FAMILY, folder, 1);
}
#else
void native_own_session(void)
{
}
#endif
