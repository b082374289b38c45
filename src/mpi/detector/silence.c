/* silence.c: see silence.h. */
#include "mpi/detector/silence.h"
#include "mpi/base/layer.h"
#include "mpi/context/context.h"
#include "mpi/detector/neighbours.h"
#include "mpi/native/native.h"
#include "mpi/native/tune.h"

#include <stdlib.h>

/* What the kernel may hold of one connection (tcp_wmem and tcp_rmem): 4 MiB of the sender's, 32 of the receiver's. In a turn of its
 * progress Open MPI takes 30 KiB of it, UCX more. Twice the turns, since a read may end in the middle of a piece. */
enum { LAST_TURNS = 2 * (36 << 20) / (30 << 10) };

static _Atomic bool *silent; /* by process */

void silence_begin(void)
{
    silent = calloc((size_t)self.processes, sizeof *silent);
    if (!silent)
        layer_die("out of memory");
}

/* To look for what nobody sends turns the progress of the MPI below once. */
static void read_to_the_end(void)
{
    int found;
    native_look_quickly();
    for (int i = 0; i < LAST_TURNS; i++)
        native.iprobe(self.process, context_notices_tag(), context_wire, &found, MPI_STATUS_IGNORE);
    native_look_idly();
}

bool silence_of(int process)
{
    if (atomic_load(&silent[process]))
        return true;
    if (neighbour_is_at_work(process))
        return false;
    read_to_the_end();
    atomic_store(&silent[process], true);
    return true;
}

void silence_of_ghost(int process)
{
    atomic_store(&silent[process], true);
}

bool silence_is_of_ghost(int process)
{
    return atomic_load(&silent[process]);
}
