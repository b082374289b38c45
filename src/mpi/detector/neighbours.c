/* neighbours.c: see neighbours.h. */
#include "mpi/detector/neighbours.h"
#include "mpi/base/layer.h"
#include "mpi/native/native.h"
#include "mpi/native/tune.h"
#include "runtime/crowd.h"
#include "runtime/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXITING = 4 }; /* PF_EXITING of linux/sched.h */

struct neighbour {
    int process, pid, session;
};

static struct neighbour *neighbour;
static int neighbours;

void neighbours_learn(MPI_Comm host)
{
    struct neighbour own = {self.process, (int)getpid(), (int)getsid(0)};
    MPI_Request request;
    native.comm_size(host, &neighbours);
    neighbour = malloc((size_t)neighbours * sizeof *neighbour);
    if (!neighbour)
        layer_die("out of memory");
    native.iallgather(&own, sizeof own, MPI_BYTE, neighbour, sizeof own, MPI_BYTE, host, &request);
    native_await(&request);
}

int neighbours_first(void)
{
    int first = neighbour[0].process;
    for (int i = 1; i < neighbours; i++)
        first = neighbour[i].process < first ? neighbour[i].process : first;
    return first;
}

bool neighbours_crowd(void)
{
    struct knell__crowd crowd;
    knell__crowd_begin(&crowd);
    for (int i = 0; i < neighbours; i++)
        knell__crowd_add(&crowd, neighbour[i].pid);
    return crowd.processes > knell__crowd_processors(&crowd);
}

bool neighbours_apart(void)
{
    for (int i = 1; i < neighbours; i++)
        if (neighbour[i].session != neighbour[0].session)
            return true;
    return false;
}

int neighbour_of(pid_t pid)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].pid == pid)
            return neighbour[i].process;
    return -1;
}

/* A zombie, which has its number until somebody asks how it ended, is not there any more. */
static bool is_there(pid_t pid)
{
    int fd = knell__watch_open(&(struct knell__process){.pid = pid});
    if (fd < 0)
        return fd != -1;
    bool ended = knell__pidfd_has_ended(fd);
    close(fd);
    return !ended;
}

pid_t neighbour_pid(int process)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].process == process)
            return neighbour[i].pid;
    return 0;
}

bool neighbour_is_there(int process)
{
    pid_t pid = neighbour_pid(process);
    return pid && is_there(pid);
}

/* By the kernel's flags of the thread, the ninth field of its stat file; its name, the second, may contain anything. */
static bool thread_is_at_work(int directory, const char *thread)
{
    char path[32], text[512];
    unsigned flags = 0;
    snprintf(path, sizeof path, "%.16s/stat", thread);
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    text[size] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && !(flags & EXITING);
}

bool neighbour_is_at_work(int process)
{
    char path[32];
    bool works = false;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)neighbour_pid(process));
    DIR *threads = neighbour_pid(process) ? opendir(path) : NULL;
    for (const struct dirent *at; threads && !works && (at = readdir(threads));)
        works = at->d_name[0] != '.' && thread_is_at_work(dirfd(threads), at->d_name);
    if (threads)
        closedir(threads);
    return works;
}
