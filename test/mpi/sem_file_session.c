/* sem_file_session.c: Open MPI has a small file in a session folder for each file that is open. Its launcher removes the job's folder when a
 * rank has died, which may be in the middle of an open of another: then Open MPI complains, and puts its file beside that of the program.
 * So each rank has a folder of its own, which stays. Three ranks, one death. */
#include "file.h"

#include <glob.h>
#include <sys/stat.h>
#include <time.h>

static char folder[256];

static void find_folder(void)
{
    const char *family = getenv("OMPI_MCA_orte_jobfam_session_dir"), *id = getenv("OMPI_MCA_ess_base_jobid");
    struct stat found;
    if (!family || !id)
        return;
    snprintf(folder, sizeof folder, "%s/%u", family, (unsigned)strtoul(id, NULL, 10) & 0xffff);
    CHECK(stat(folder, &found) == 0);
}

/* No event says that the launcher has heard of the death and done what it does; it takes milliseconds. */
static void check_stays(void)
{
    struct stat found;
    for (int i = 0; *folder && i < 50; i++) {
        CHECK(stat(folder, &found) == 0);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static void check_open(MPI_Comm comm)
{
    char pattern[80];
    glob_t found;
    MPI_File file;
    OK(MPI_File_open(comm, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    snprintf(pattern, sizeof pattern, "%s*", file_name);
    CHECK(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1);
    globfree(&found);
    OK(MPI_Barrier(comm));
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    find_folder();
    name_file("sem-file-session");
    meet(MPI_COMM_WORLD);
    die_if(me == all - 1);
    learn_death(MPI_COMM_WORLD, all - 1);
    MPI_Comm comm = shrunk(MPI_COMM_WORLD);
    check_stays();
    OK(MPI_Barrier(comm));
    check_open(comm);
    return end();
}
