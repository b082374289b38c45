/* sem_progress: who waits in a call of the side channel still does its part for others: a large message sent before, and not taken
 * yet, goes when its receiver asks for it, who comes to that call only after. With a death, too: then agreements take other ways. */
#include "check.h"

#include <stdbool.h>

enum { VICTIM = 3, BYTES = 4 << 20 };

static char *data, *got;

/* ---- calls to wait in ------------------------------------------------------------------------------------------------------ */

static void in_dup(MPI_Comm comm)
{
    MPI_Comm made;
    OK(MPI_Comm_dup(comm, &made));
    OK(MPI_Comm_free(&made));
}

static void in_idup(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Request request;
    OK(MPI_Comm_idup(comm, &made, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&made));
}

static void in_create_group(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Group group;
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_create_group(comm, group, 1, &made));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&made));
}

static void in_shrink(MPI_Comm comm)
{
    MPI_Comm made = shrunk(comm);
    OK(MPI_Comm_free(&made));
}

static void in_ishrink(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Request request;
    MPI_Status status;
    OK(MPIX_Comm_ishrink(comm, &made, &request));
    OK(MPI_Waitall(1, &request, &status));
    OK(MPI_Comm_free(&made));
}

static void in_iagree(MPI_Comm comm)
{
    MPI_Request request;
    int flag = 1;
    OK(MPIX_Comm_iagree(comm, &flag, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static const struct {
    const char *name;
    void (*wait)(MPI_Comm comm);
    bool with_dead;
} calls[] = {
    {"dup", in_dup, false},       {"idup", in_idup, false},    {"create_group", in_create_group, false},
    {"agree", meet, true},        {"shrink", in_shrink, true}, {"ishrink", in_ishrink, true},
    {"iagree", in_iagree, false},
};

/* Everybody sends to rank 0, which comes last. */
static void go_through(MPI_Comm comm, bool with_dead)
{
    int size, rank;
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (with_dead && !calls[i].with_dead)
            continue;
        if (rank > 0 && me != VICTIM)
            OK(MPI_Isend(data, BYTES, MPI_CHAR, 0, (int)i, comm, &request));
        for (int from = 1; rank == 0 && from < size; from++)
            if (from != VICTIM)
                OK(MPI_Recv(got, BYTES, MPI_CHAR, from, (int)i, comm, MPI_STATUS_IGNORE));
        AT(calls[i].name);
        calls[i].wait(comm);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/* MPI_Finalize is such a call, for a send that nobody waits for. */
static void leave(void)
{
    MPI_Request request;
    if (me == 2) {
        OK(MPI_Isend(data, BYTES, MPI_CHAR, 0, 99, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
    }
    if (me == 0)
        OK(MPI_Recv(got, BYTES, MPI_CHAR, 2, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    data = calloc(1, BYTES);
    got = malloc(BYTES);
    CHECK(data && got);
    go_through(MPI_COMM_WORLD, false);
    meet(MPI_COMM_WORLD);
    die_if(me == VICTIM);
    learn_death(MPI_COMM_WORLD, VICTIM);
    go_through(MPI_COMM_WORLD, true);
    leave();
    return end(); /* the buffers stay: MPI_Finalize reads them */
}
