/* neighbours.c: see neighbours.h. */
#include "mpi/detector/neighbours.h"
#include "mpi/base/layer.h"
#include "mpi/native/native.h"
#include "mpi/native/tune.h"
#include "runtime/crowd.h"
#include "runtime/host.h"
#include "runtime/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXITING = 4 }; /* PF_EXITING of linux/sched.h */

/* What a process says of itself to all. */
struct resident {
    uint8_t host[KNELL__HOST_ID], network[KNELL__HOST_ID], machine[KNELL__HOST_ID];
    int32_t pid, session;
};

struct neighbour {
    int process, pid, session;
};

static struct neighbour *neighbour;
static int neighbours;
static int housemates; /* processes on other hosts that are on this machine all the same */
static bool share_network = true;

/* ---- learning -------------------------------------------------------------------------------------------------------------- */

/* Not by MPI_Comm_split_type, which takes seconds when 64 processes on four hosts share few processors. */
static struct resident *gather(const struct resident *own, void (*look)(void))
{
    struct resident *all = malloc((size_t)self.processes * sizeof *all);
    MPI_Request request;
    if (!all)
        layer_die("out of memory");
    if (native.iallgather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, MPI_COMM_WORLD, &request) !=
            MPI_SUCCESS ||
        native_await(&request, 1, look) != MPI_SUCCESS)
        layer_die("the MPI cannot gather where the ranks are");
    return all;
}

static bool is_same(const uint8_t a[KNELL__HOST_ID], const uint8_t b[KNELL__HOST_ID])
{
    return memcmp(a, b, KNELL__HOST_ID) == 0;
}

static void keep(const struct resident *all, const struct resident *own)
{
    for (int i = 0; i < self.processes; i++) {
        share_network = share_network && is_same(all[i].network, own->network);
        if (is_same(all[i].host, own->host))
            neighbour[neighbours++] = (struct neighbour){i, all[i].pid, all[i].session};
        else
            housemates += is_same(all[i].machine, own->machine);
    }
}

void neighbours_learn(void (*look)(void))
{
    struct resident own = {.pid = (int32_t)getpid(), .session = (int32_t)getsid(0)};
    knell__host_id(NULL, own.host);
    knell__host_network(own.network);
    knell__host_machine(own.machine);
    struct resident *all = gather(&own, look);
    int count = 0;
    for (int i = 0; i < self.processes; i++)
        count += is_same(all[i].host, own.host);
    neighbour = malloc((size_t)count * sizeof *neighbour);
    if (!neighbour)
        layer_die("out of memory");
    keep(all, &own);
    free(all);
}

bool neighbours_share_network(void)
{
    return share_network;
}

/* ---- asking ---------------------------------------------------------------------------------------------------------------- */

int neighbours_count(void)
{
    return neighbours;
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
    /* Where those of other hosts run cannot be asked: where these do. */
    return crowd.processes + housemates > knell__crowd_processors(&crowd);
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
