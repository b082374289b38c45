/* neighbours.c: see neighbours.h. */
#include "mpi/neighbours.h"
#include "mpi/layer.h"
#include "mpi/native.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct neighbour {
    int process, pid;
};

static struct neighbour *neighbour;
static int neighbours;

void knell__neighbours_learn(MPI_Comm host)
{
    struct neighbour self = {knell__self.process, (int)getpid()};
    int size;
    knell__native.comm_size(host, &size);
    neighbour = malloc((size_t)size * sizeof *neighbour);
    if (!neighbour)
        knell__die("out of memory");
    knell__native.allgather(&self, 2, MPI_INT, neighbour, 2, MPI_INT, host);
    neighbours = size;
}

bool knell__is_neighbour(pid_t pid)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].pid == pid)
            return true;
    return false;
}

bool knell__neighbour_is_there(int process)
{
    for (int i = 0; i < neighbours; i++)
        if (neighbour[i].process == process)
            return kill(neighbour[i].pid, 0) == 0;
    return false;
}
