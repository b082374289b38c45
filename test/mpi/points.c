/* points: goes through all that the layer does, one act after the other, and recovers from deaths wherever they come: an act that
 * failed at anybody is done again by the survivors, and every act checks its result. points.sh and explore.sh have ranks die at
 * each of its points. Usage: points [acts [first]]: how many of them, from the first (0) on; "points 99 topo": the
 * topologies and what follows; "points 99 file": a file. */
#include "points_coll.h"
#include "points_file.h"
#include "points_inter.h"
#include "points_persistent.h"
#include "points_topo.h"
#include "points_window.h"

/* fate.c, if it is loaded */
void fate_begin(void) __attribute__((weak));
void fate_end(void) __attribute__((weak));

/* ---- acts: a code, the same at all or not ---------------------------------------------------------------------------------------- */

/* Who fails on a communicator releases those who wait for it there. */
static int done_with(MPI_Comm child, int code)
{
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(child));
    OK(MPI_Comm_free(&child));
    return code;
}

/* Everybody of it is there. */
static int try_out(MPI_Comm child, int members)
{
    int one = 1, count = 0, code = CODE(MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, child));
    CHECK(code != MPI_SUCCESS || count == members);
    return done_with(child, code);
}

static int by_dup(void)
{
    MPI_Comm made;
    int code = CODE(MPI_Comm_dup(comm, &made));
    return code == MPI_SUCCESS ? try_out(made, size) : code;
}

static int by_idup(void)
{
    MPI_Comm made;
    MPI_Request request;
    int code = CODE(MPI_Comm_idup(comm, &made, &request));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return code == MPI_SUCCESS ? try_out(made, size) : code;
}

static int by_split(void)
{
    MPI_Comm made;
    int code = CODE(MPI_Comm_split(comm, rank % 2, -rank, &made));
    return code == MPI_SUCCESS ? try_out(made, rank % 2 ? size / 2 : (size + 1) / 2) : code;
}

/* All but the highest rank, the highest of them first. */
static MPI_Group most(int *members)
{
    MPI_Group everybody, group;
    int ranks[PEERS];
    *members = size > 1 ? size - 1 : 1;
    for (int i = 0; i < *members; i++)
        ranks[i] = *members - 1 - i;
    OK(MPI_Comm_group(comm, &everybody));
    OK(MPI_Group_incl(everybody, *members, ranks, &group));
    OK(MPI_Group_free(&everybody));
    return group;
}

static int by_create(void)
{
    MPI_Comm made;
    int members;
    MPI_Group group = most(&members);
    int code = CODE(MPI_Comm_create(comm, group, &made));
    OK(MPI_Group_free(&group));
    return code == MPI_SUCCESS && rank < members ? try_out(made, members) : code;
}

static int by_create_group(void)
{
    MPI_Comm made;
    int members, code = MPI_SUCCESS;
    MPI_Group group = most(&members);
    if (rank < members)
        code = CODE(MPI_Comm_create_group(comm, group, 5, &made));
    OK(MPI_Group_free(&group));
    return code == MPI_SUCCESS && rank < members ? try_out(made, members) : code;
}

static int agreed(int code, int flag)
{
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    CHECK(code != MPI_SUCCESS || flag == ~((1 << size) - 1));
    return code;
}

static int by_agree(void)
{
    int flag = ~(1 << rank), code = CODE(MPIX_Comm_agree(comm, &flag));
    return agreed(code, flag);
}

static int by_iagree(void)
{
    int flag = ~(1 << rank);
    MPI_Request request;
    OK(MPIX_Comm_iagree(comm, &flag, &request));
    int code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return agreed(code, flag);
}

/* Neither a death nor a revoke keeps it from what it does. */
static int shrunken(MPI_Comm made)
{
    int members;
    OK(MPI_Comm_size(made, &members));
    CHECK(members >= 1 && members <= size);
    return try_out(made, members);
}

static int by_shrink(void)
{
    return shrunken(shrunk(comm));
}

static int by_ishrink(void)
{
    MPI_Comm made;
    MPI_Request request;
    OK(MPIX_Comm_ishrink(comm, &made, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return shrunken(made);
}

/* Rank 0 revokes what the others wait on. */
static int by_revoke(void)
{
    MPI_Comm copy;
    int flag = 1, code = CODE(MPI_Comm_dup(comm, &copy));
    if (code != MPI_SUCCESS)
        return code;
    if (rank > 0) {
        code = CODE(MPI_Barrier(copy));
        CHECK(code == MPIX_ERR_REVOKED || code == MPIX_ERR_PROC_FAILED);
    }
    OK(MPIX_Comm_revoke(copy));
    FAILS(MPI_Barrier(copy), MPIX_ERR_REVOKED);
    code = CODE(MPIX_Comm_agree(copy, &flag));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    MPI_Comm rest = shrunk(copy);
    OK(MPI_Comm_free(&copy));
    return shrunken(rest);
}

static int by_ring(void)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];
    int before = (rank + size - 1) % size, after = (rank + 1) % size, got = -1;
    int code = CODE(MPI_Sendrecv(&rank, 1, MPI_INT, after, 1, &got, 1, MPI_INT, before, 1, comm, &status[0]));
    CHECK(code != MPI_SUCCESS || got == before);
    block = MUCH;
    prepare(NULL);
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Irecv(into, MUCH, MPI_INT, before, 2, comm, &request[0]));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Isend(from, MUCH, MPI_INT, after, 2, comm, &request[1]));
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(comm));                                /* the neighbour would wait for ever */
    while (CODE(MPI_Waitall(2, request, status)) != MPI_SUCCESS) { /* what is pending then ends by the revoke */
        OK(MPIX_Comm_revoke(comm));
        code = MPIX_ERR_PROC_FAILED;
    }
    if (code == MPI_SUCCESS)
        check_each(MUCH, 0, value, before);
    return code;
}

static int (*const calls[])(void) = {by_dup,    by_idup,   by_split,   by_create,    by_create_group, by_agree,
                                     by_iagree, by_shrink, by_ishrink, by_revoke,    by_ring,         by_fences,
                                     by_locks,  by_posts,  by_inter,   by_persistent};
static int (*const others[])(void) = {by_cart,      by_cart_sub,   by_graph, by_adjacent, by_edges, by_persistent_coll,
                                      by_isendrecv, by_accumulate, by_file};
enum {
    CALLS = sizeof calls / sizeof *calls,
    FIRST_TOPOLOGY = CALLS + 2 * COLLECTIVES,
    ACTS = FIRST_TOPOLOGY + sizeof others / sizeof *others,
    THE_FILE = ACTS - 1
};

/* ---- an act, until it has been done well by all -------------------------------------------------------------------------------- */

static void look(void)
{
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
}

/* Did it go well everywhere, and does everybody live? The same answer at all. */
static bool all_well(int code)
{
    int well = code == MPI_SUCCESS;
    CHECK(well || code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
    if (!well)
        OK(MPIX_Comm_revoke(comm));
    code = CODE(MPIX_Comm_agree(comm, &well));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    return code == MPI_SUCCESS && well;
}

static void recover(void)
{
    OK(MPIX_Comm_revoke(comm));
    MPI_Comm survivors = shrunk(comm);
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
    comm = survivors;
    look();
}

static void act(int number)
{
    for (;;) {
        int code = number < CALLS            ? calls[number]()
                   : number < FIRST_TOPOLOGY ? do_collective(number - CALLS)
                                             : others[number - FIRST_TOPOLOGY]();
        if (all_well(code))
            return;
        recover();
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 25);
    int acts = argc > 1 && atoi(argv[1]) < ACTS ? atoi(argv[1]) : ACTS;
    comm = MPI_COMM_WORLD;
    look();
    meet(comm);
    if (fate_begin)
        fate_begin();
    int first = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 2 && !(argv[2][0] >= '0' && argv[2][0] <= '9'))
        first = strcmp(argv[2], "file") == 0 ? THE_FILE : FIRST_TOPOLOGY;
    for (int number = first; number < acts; number++)
        act(number);
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
    end();
    if (fate_end)
        fate_end();
    return 0;
}
