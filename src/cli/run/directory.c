/* run_place: the job's private directory, in memory where there is such a place: the pipe of reports, the desks, and what the
 * MPIs keep in files. All of it goes with the directory, however the ranks ended. */
#include "cli/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, A_WHILE_S = 5 };

/* ---- what others left ---------------------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Who lives holds a lock on its directory; who has just made one may be about to. */
static void remove_if_left(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && time(NULL) - s.st_mtime > A_WHILE_S &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        remove_all(path);
    close(fd);
}

/* A `knell run` that was killed could not clear up after itself. */
static void remove_left(void)
{
    glob_t found;
    if (glob("/dev/shm/knell-run-??????", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            remove_if_left(found.gl_pathv[i]);
    globfree(&found);
}

/* ---- ours ---------------------------------------------------------------------------------------------------------------- */

static bool make_directory(struct knell__run_place *place)
{
    remove_left();
    strcpy(place->path, "/dev/shm/knell-run-XXXXXX");
    if (!mkdtemp(place->path)) {
        strcpy(place->path, "/tmp/knell-run-XXXXXX");
        if (!mkdtemp(place->path))
            return false;
    }
    place->lock = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place->lock >= 0)
        flock(place->lock, LOCK_EX);
    return true;
}

/* Read and write: it has no end while we live, whoever comes and goes. */
static bool make_pipe(struct knell__run_place *place)
{
    char path[96];
    snprintf(path, sizeof path, "%s/" JOB_REPORT_PIPE, place->path);
    if (mkfifo(path, 0600) != 0 || (place->reports = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        return false;
    (void)fcntl(place->reports, F_SETPIPE_SZ, PIPE_BYTES); /* the ranks never wait for us; what does not fit is lost */
    return true;
}

static bool make_desks(const struct knell__run_plan *plan, struct knell__run_place *place)
{
    char path[96];
    snprintf(path, sizeof path, "%s/" JOB_REPORT_DESK, place->path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    place->stride = job_desk_stride((size_t)sysconf(_SC_PAGESIZE));
    place->desks_size = place->stride * (size_t)plan->ranks;
    void *memory = fd >= 0 && ftruncate(fd, (off_t)place->desks_size) == 0
                       ? mmap(NULL, place->desks_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    place->desks = memory == MAP_FAILED ? NULL : memory;
    return place->desks != NULL;
}

int knell__run_place_open(const struct knell__run_plan *plan, struct knell__run_place *place)
{
    place->reports = place->lock = -1;
    if (!make_directory(place)) {
        place->path[0] = '\0';
        return knell__cli_broken(plan->usage, "cannot make a directory in /dev/shm or /tmp: %s", strerror(errno));
    }
    return make_pipe(place) && make_desks(plan, place)
               ? KNELL_EXIT_OK
               : knell__cli_broken(plan->usage, "%s: %s", place->path, strerror(errno));
}

struct job_desk *knell__run_desk(const struct knell__run_place *place, int rank)
{
    return (struct job_desk *)(place->desks + (size_t)rank * place->stride);
}

void knell__run_place_close(struct knell__run_place *place)
{
    if (place->desks)
        munmap(place->desks, place->desks_size);
    if (place->reports >= 0)
        close(place->reports);
    if (place->path[0])
        remove_all(place->path);
    if (place->lock >= 0)
        close(place->lock);
}
