/* session.c: the job's folder among Open MPI's session folders.
 *
 * Open MPI keeps a small file there for each file that the program opens, and complains of every open where it cannot. Its launcher
 * removes the folder when a rank has died and nothing is in it. */
#include "mpi/native/native.h"

#ifdef OPEN_MPI
#include "mpi/base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The number of the job within its launcher. */
static unsigned job_number(const char *id)
{
    return (unsigned)strtoul(id, NULL, 10) & 0xffff;
}

void native_mend_session(void)
{
    const char *family = settings_get("OMPI_MCA_orte_jobfam_session_dir"),
               *id = settings_get("OMPI_MCA_ess_base_jobid");
    char folder[4096];
    if (!family || !id)
        return;
    int size = snprintf(folder, sizeof folder, "%s/%u", family, job_number(id));
    if (size > 0 && (size_t)size < sizeof folder)
        mkdir(folder, 0700); /* as Open MPI does; most often it is there */
}
#else
void native_mend_session(void)
{
}
#endif
