/* sem_topo: what deaths and revokes do to topologies: collectives of neighbours fail by the rules of all collectives, creations fail at all
 * members or at none, queries answer as before, and the survivors make new ones. */
#include "check.h"
#include "neighbors.h"

enum { KINDS = 4 }; /* of topologies */

static const char *const names[KINDS] = {"a grid", "a graph", "neighbours", "edges"};

/* A ring of all members, of any kind. */
static int ring(MPI_Comm comm, int kind, MPI_Comm *made)
{
    int rank, size, yes = 1, ends[16], edges[32];
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    int near[] = {(rank + size - 1) % size, (rank + 1) % size}, two = 2;
    for (int r = 0; r < size; r++) {
        ends[r] = 2 * (r + 1);
        edges[2 * r] = (r + size - 1) % size;
        edges[2 * r + 1] = (r + 1) % size;
    }
    *made = MPI_COMM_WORLD;
    switch (kind) {
    case 0:
        return CODE(MPI_Cart_create(comm, 1, &size, &yes, 0, made));
    case 1:
        return CODE(MPI_Graph_create(comm, size, ends, edges, 0, made));
    case 2:
        return CODE(MPI_Dist_graph_create_adjacent(comm, 2, near, near_unweighted(), 2, near, near_unweighted(),
                                                   MPI_INFO_NULL, 0, made));
    default:
        return CODE(MPI_Dist_graph_create(comm, 1, &rank, &two, near, near_unweighted(), MPI_INFO_NULL, 0, made));
    }
}

/* The neighbours of a ring, whatever has happened. */
static void check_queries(MPI_Comm comm, int kind)
{
    int rank, size, near[2] = {-7, -7}, more[2], one, two, three;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Topo_test(comm, &one));
    if (kind == 0) {
        CHECK(one == MPI_CART);
        OK(MPI_Cart_shift(comm, 0, 1, &near[0], &near[1]));
        OK(MPI_Cart_get(comm, 1, &one, &two, &three));
        CHECK(one == size && two && three == rank);
        OK(MPI_Cart_rank(comm, &three, &one));
        OK(MPI_Cart_coords(comm, rank, 1, &two));
        CHECK(one == rank && two == rank);
    } else if (kind == 1) {
        CHECK(one == MPI_GRAPH);
        OK(MPI_Graphdims_get(comm, &one, &two));
        CHECK(one == size && two == 2 * size);
        OK(MPI_Graph_neighbors(comm, rank, 2, near));
    } else {
        CHECK(one == MPI_DIST_GRAPH);
        OK(MPI_Dist_graph_neighbors_count(comm, &one, &two, &three));
        CHECK(one == 2 && two == 2 && !three);
        OK(MPI_Dist_graph_neighbors(comm, 2, near, near_unweighted(), 2, more, near_unweighted()));
    }
    CHECK(near[0] + near[1] == (rank + size - 1) % size + (rank + 1) % size);
}

/* One call of each kind, now or later. */
static int exchange(MPI_Comm comm, int call, bool later)
{
    static int from[2], into[2];
    int ones[] = {1, 1}, places[] = {0, 1};
    MPI_Aint bytes[] = {0, sizeof(int)};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    struct near near = {.comm = comm, .longest = 1};
    struct near_side side = {.counts = ones, .displs = places, .bytes = bytes, .types = types};
    struct near_side send = side, recv = side;
    MPI_Request request = MPI_REQUEST_NULL;
    send.data = from;
    recv.data = into;
    int code = CODE(near_call(&near, call, &send, &recv, later ? &request : NULL));
    CHECK(!later || code == MPI_SUCCESS); /* its completion tells */
    return code == MPI_SUCCESS ? CODE(MPI_Wait(&request, MPI_STATUS_IGNORE)) : code;
}

/* ---- revoked ------------------------------------------------------------------------------------------------------------------------ */

/* Rank 0 does not come: its neighbours wait for it, the others need it not. */
static void revoked(int kind, int call, bool later)
{
    MPI_Comm comm, made = MPI_COMM_WORLD;
    MPI_Request request;
    OK(ring(MPI_COMM_WORLD, kind, &comm));
    int code = me > 0 ? exchange(comm, call, later) : MPIX_ERR_REVOKED;
    CHECK(code == MPIX_ERR_REVOKED || (code == MPI_SUCCESS && me > 1 && me < all - 1));
    if (me == 0 || code == MPI_SUCCESS) /* those who were through */
        OK(MPIX_Comm_revoke(comm));
    check_queries(comm, kind);
    FAILS(MPI_Comm_dup(comm, &made), MPIX_ERR_REVOKED);
    FAILS(ring(comm, (kind + 1) % KINDS, &made), MPIX_ERR_REVOKED);
    CHECK(made == MPI_COMM_NULL);
    if (kind == 0)
        FAILS(MPI_Cart_sub(comm, (int[]){1}, &made), MPIX_ERR_REVOKED);
    FAILS(exchange(comm, call, later), MPIX_ERR_REVOKED);
    OK(MPI_Comm_idup(comm, &made, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    made = shrunk(comm);
    OK(MPI_Topo_test(made, &code));
    CHECK(code == MPI_UNDEFINED);
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
}

/* ---- a death ------------------------------------------------------------------------------------------------------------------------ */

static MPI_Comm living;
static MPI_Comm rings[KINDS];

/* Its neighbours miss its messages at once, the others those of members that failed. Who has failed fails again. */
static void exchange_without(int kind)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < 2 * NEAR_KINDS; i++) {
        int before = code;
        code = exchange(rings[kind], i / 2, i % 2);
        CHECK(code == MPIX_ERR_PROC_FAILED || (code == MPI_SUCCESS && before == MPI_SUCCESS));
    }
    CHECK(code == MPIX_ERR_PROC_FAILED);
}

static void after_death(int kind, int victim)
{
    MPI_Comm made = MPI_COMM_WORLD;
    AT(names[kind]);
    exchange_without(kind);
    learn_death(rings[kind], victim);
    check_queries(rings[kind], kind);
    for (int next = 0; next < KINDS; next++) {
        made = MPI_COMM_WORLD;
        FAILS(ring(rings[kind], next, &made), MPIX_ERR_PROC_FAILED);
        CHECK(made == MPI_COMM_NULL);
    }
    FAILS(MPI_Comm_dup(rings[kind], &made), MPIX_ERR_PROC_FAILED);
    if (kind == 0)
        FAILS(MPI_Cart_sub(rings[kind], (int[]){0}, &made), MPIX_ERR_PROC_FAILED);
    OK(MPI_Comm_free(&rings[kind]));
}

/* The last rank of the living dies while the others are about to make, or to exchange. */
static void lose_one(bool creating)
{
    int rank, size, code, wrong;
    MPI_Comm made, rest;
    unsigned long long digest = 0;
    OK(MPI_Comm_rank(living, &rank));
    OK(MPI_Comm_size(living, &size));
    for (int kind = 0; kind < KINDS; kind++)
        OK(ring(living, kind, &rings[kind]));
    die_if(rank == size - 1);
    if (creating)
        for (int kind = 0; kind < KINDS; kind++)
            FAILS(ring(living, kind, &made), MPIX_ERR_PROC_FAILED);
    for (int kind = 0; kind < KINDS; kind++)
        after_death(kind, size - 1);
    rest = shrunk(living);
    if (living != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&living));
    living = rest;
    for (int kind = 0; kind < KINDS; kind++) {
        OK(ring(living, kind, &made));
        check_queries(made, kind);
        struct near near = near_of(made, 5, 1);
        for (int call = 0; call < NEAR_KINDS; call++) {
            code = near_do(&near, call, call % 2, &wrong, &digest);
            CHECK(code == MPI_SUCCESS && wrong == 0);
        }
        near_free(&near);
        OK(MPI_Comm_free(&made));
    }
}

/* With the hint all members have the same code, neighbours of the dead or not. */
static void uniform(void)
{
    MPI_Comm made, copy, rest;
    MPI_Info info;
    int rank, size, code;
    OK(MPI_Comm_rank(living, &rank));
    OK(MPI_Comm_size(living, &size));
    OK(ring(living, 0, &made));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_error_uniform", "coll"));
    OK(MPI_Comm_dup_with_info(made, info, &copy));
    OK(MPI_Info_free(&info));
    die_if(rank == size - 1);
    code = exchange(copy, NEAR_ALLTOALL, false);
    rest = shrunk(living);
    check_same(rest, code);
    CHECK(code == MPIX_ERR_PROC_FAILED);
    check_queries(copy, 0);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&living));
    living = rest;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    for (int i = 0; i < KINDS * NEAR_KINDS; i++)
        revoked(i % KINDS, i % NEAR_KINDS, i % 3 == 0);
    living = MPI_COMM_WORLD;
    lose_one(false);
    lose_one(true);
    uniform();
    return end();
}
