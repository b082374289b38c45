/* directory.c: the job's private directory, in shared memory if there is any: the pipe for reports, the desks, and
 * files of the MPIs. Removing the directory removes all of them, however the ranks ended. */
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

enum { PIPE_BYTES = 1 << 20, A_WHILE_S = 5 };

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

/* Opened for reading and writing, so that the pipe never reports its end when the last rank closes it. */
static bool make_pipe(struct run_directory *directory)
{
    char path[96];
    snprintf(path, sizeof path, "%s/" JOB_REPORT_PIPE, directory->path);
    if (mkfifo(path, 0600) != 0 || (directory->reports = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        return false;
    (void)fcntl(directory->reports, F_SETPIPE_SZ,
                PIPE_BYTES); /* ranks never wait for the reader; a report that does not fit is lost */
    return true;
}

static bool make_desks(const struct run_plan *plan, struct run_directory *directory)
{
    char path[96];
    snprintf(path, sizeof path, "%s/" JOB_REPORT_DESK, directory->path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    directory->stride = job_desk_stride((size_t)sysconf(_SC_PAGESIZE));
    directory->desks_size = directory->stride * (size_t)plan->ranks;
    void *memory = fd >= 0 && ftruncate(fd, (off_t)directory->desks_size) == 0
                       ? mmap(NULL, directory->desks_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    directory->desks = memory == MAP_FAILED ? NULL : memory;
    return directory->desks != NULL;
}

int run_directory_open(const struct run_plan *plan, struct run_directory *directory)
{
    directory->reports = directory->lock = -1;
    if (!make_directory(directory)) {
        directory->path[0] = '\0';
        return cli_failure(plan->usage, "cannot make a directory in /dev/shm or /tmp: %s", strerror(errno));
    }
    return make_pipe(directory) && make_desks(plan, directory)
               ? EXIT_OK
               : cli_failure(plan->usage, "%s: %s", directory->path, strerror(errno));
}

struct job_desk *run_desk(const struct run_directory *directory, int rank)
{
    return (struct job_desk *)(directory->desks + (size_t)rank * directory->stride);
}

void run_directory_close(struct run_directory *directory)
{
    if (directory->desks)
        munmap(directory->desks, directory->desks_size);
    if (directory->reports >= 0)
        close(directory->reports);
    if (directory->path[0])
        folder_remove(directory->path);
    if (directory->lock >= 0)
        close(directory->lock);
}
