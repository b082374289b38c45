/* directory.c: the job's private directory, in shared memory if there is any, for files of the MPIs. Removing the
 * directory removes all of them, however the ranks ended. */
#include "cli/run/run.h"
#include "cli/common/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { A_WHILE_S = 5 };

/* ---- directories left behind ------------------------------------------------------------------------------------- */

/* A live `knell run` holds a lock on its directory; one that has just made its directory may not have locked it yet. */
static void remove_if_left(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && time(NULL) - s.st_mtime > A_WHILE_S &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        folder_remove(path);
    close(fd);
}

/* Directories of a `knell run` that was killed and could not remove them. */
static void remove_left(void)
{
    glob_t found;
    if (glob("/dev/shm/knell-run-??????", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            remove_if_left(found.gl_pathv[i]);
    globfree(&found);
}

/* ---- the directory of this job ----------------------------------------------------------------------------------- */

static bool make_directory(struct run_directory *directory)
{
    remove_left();
    strcpy(directory->path, "/dev/shm/knell-run-XXXXXX");
    if (!mkdtemp(directory->path)) {
        strcpy(directory->path, "/tmp/knell-run-XXXXXX");
        if (!mkdtemp(directory->path))
            return false;
    }
    directory->lock = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory->lock >= 0)
        flock(directory->lock, LOCK_EX);
    return true;
}

int run_directory_open(const struct run_plan *plan, struct run_directory *directory)
{
    directory->lock = -1;
    if (make_directory(directory))
        return EXIT_OK;
    directory->path[0] = '\0';
    return cli_failure(plan->usage, "cannot make a directory in /dev/shm or /tmp: %s", strerror(errno));
}

void run_directory_close(struct run_directory *directory)
{
    if (directory->path[0])
        folder_remove(directory->path);
    if (directory->lock >= 0)
        close(directory->lock);
}

/* ---- what mpirun left -------------------------------------------------------------------------------------------- */

static const char *for_temporary_files(void)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "/tmp";
}

/* Open MPI's folder of a job, which it does not remove when it is killed: ompi.HOST.USER/pid.PROCESS. */
void run_directory_remove_session(pid_t launcher)
{
    char pattern[PATH_MAX];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/ompi.*.%u/pid.%d", for_temporary_files(), (unsigned)geteuid(), (int)launcher);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            folder_remove(found.gl_pathv[i]);
            *strrchr(found.gl_pathv[i], '/') = '\0';
            rmdir(found.gl_pathv[i]); /* unless another job has its own there */
        }
    globfree(&found);
}
