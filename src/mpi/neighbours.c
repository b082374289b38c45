/* neighbours.c: see neighbours.h. */
#include "mpi/neighbours.h"
#include "mpi/layer.h"
#include "mpi/native.h"
#include "runtime/crowd.h"
#include "runtime/watch.h"

#include <stdlib.h>
#include <unistd.h>

struct neighbour {
    int process, pid, session;
};

static struct neighbour *neighbour;
static int neighbours;

void knell__neighbours_learn(MPI_Comm host)
{
    struct neighbour self = {knell__self.process, (int)getpid(), (int)getsid(0)};
    MPI_Request request;
    knell__native.comm_size(host, &neighbours);
    neighbour = malloc((size_t)neighbours * sizeof *neighbour);
    if (!neighbour)
        knell__die("out of memory");
    knell__native.iallgather(&self, sizeof self, MPI_BYTE, neighbour, sizeof self, MPI_BYTE, host, &request);
    knell__native_await(&request);
}

int knell__neighbours_first(void)
{
    int first = neighbour[0].process;
    for (int i = 1; i < neighbours; i++)
        first = neighbour[i].process < first ? neighbour[i].process : first;
    return first;
}

bool knell__neighbours_crowd(void)
{
    struct knell__crowd crowd;
    knell__crowd_begin(&crowd);
    for (int i = 0; i < neighbours; i++)
        knell__crowd_add(&crowd, neighbour[i].pid);
    return crowd.processes > knell__crowd_processors(&crowd);
}

bool knell__neighbours_apart(void)
{
    for (int i = 1; i < neighbours; i++)
        if (neighbour[i].session != neighbour[0].session)
            return true;
    return false;
}

bool knell__is_neighbour(pid_t pid)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].pid == pid)
            return true;
    return false;
}

/* A zombie, which has its number until somebody asks how it ended, is not there any more. */
static bool is_there(pid_t pid)
{
    int fd = knell__watch_open(&(struct knell__process){.pid = pid});
    if (fd < 0)
        return fd != -1;
    bool ended = knell__watch_has_ended(fd);
    close(fd);
    return !ended;
}

bool knell__neighbour_is_there(int process)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].process == process)
            return is_there(neighbour[i].pid);
    return false;
}
