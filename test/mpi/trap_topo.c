/* trap_topo: what programs do with topologies and their collectives that is seldom done: MPI_BOTTOM, communicators, datatypes and arrays that are
 * gone before the end, hundreds under way at once, neighbours that do not exist with arguments that mean nothing, MPI_COMM_SELF,
 * intercommunicators, large counts, handlers, threads. */
#include "check.h"
#include "neighbors.h"

#include <pthread.h>

enum { MANY = 200, ROUNDS = 20 };

/* A ring of all; of one, its own neighbour twice. */
static MPI_Comm ring_of(MPI_Comm comm)
{
    MPI_Comm made;
    int size, yes = 1;
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Cart_create(comm, 1, &size, &yes, 1, &made));
    return made;
}

static int below(void)
{
    return (me + all - 1) % all;
}

static int above(void)
{
    return (me + 1) % all;
}

/* ---- gone before the end ---------------------------------------------------------------------------------------------------------------- */

static void bottom(bool later)
{
    static int from[2], into[2];
    MPI_Comm ring = ring_of(MPI_COMM_WORLD);
    MPI_Aint send[2], recv[2];
    MPI_Request request = MPI_REQUEST_NULL;
    int ones[] = {1, 1};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    for (int i = 0; i < 2; i++) {
        from[i] = 10 * me + i;
        into[i] = -1;
        OK(MPI_Get_address(&from[i], &send[i]));
        OK(MPI_Get_address(&into[i], &recv[i]));
    }
    if (later)
        OK(MPI_Ineighbor_alltoallw(MPI_BOTTOM, ones, send, types, MPI_BOTTOM, ones, recv, types, ring, &request));
    else
        OK(MPI_Neighbor_alltoallw(MPI_BOTTOM, ones, send, types, MPI_BOTTOM, ones, recv, types, ring));
    OK(MPI_Comm_free(&ring)); /* what is under way goes on */
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(into[0] == 10 * below() + 1 && into[1] == 10 * above());
}

static void gone(void)
{
    static int from[4], into[4];
    MPI_Comm ring = ring_of(MPI_COMM_WORLD);
    MPI_Aint bytes[] = {0, 8};
    MPI_Request request;
    int counts[] = {1, 1}, displs[] = {0, 2};
    MPI_Datatype pair, types[2];
    for (int i = 0; i < 4; i++)
        from[i] = 10 * me + i, into[i] = -1;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    types[0] = types[1] = pair;
    OK(MPI_Ineighbor_alltoallw(from, counts, bytes, types, into, counts, bytes, types, ring, &request));
    OK(MPI_Type_free(&pair));
    memset(counts, -1, sizeof counts);
    memset(bytes, -1, sizeof bytes);
    types[0] = types[1] = MPI_DATATYPE_NULL;
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(into[0] == 10 * below() + 2 && into[1] == 10 * below() + 3);
    CHECK(into[2] == 10 * above() && into[3] == 10 * above() + 1);
    counts[0] = counts[1] = 2;
    memset(into, -1, sizeof into);
    OK(MPI_Ineighbor_alltoallv(from, counts, displs, MPI_INT, into, counts, displs, MPI_INT, ring, &request));
    memset(counts, -1, sizeof counts);
    memset(displs, -1, sizeof displs);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(into[0] == 10 * below() + 2 && into[3] == 10 * above() + 1);
    OK(MPI_Comm_free(&ring));
}

static void many(void)
{
    static int from[MANY][2], into[MANY][2];
    MPI_Comm ring = ring_of(MPI_COMM_WORLD);
    MPI_Request requests[MANY];
    for (int i = 0; i < MANY; i++) {
        from[i][0] = 1000 * me + 2 * i;
        from[i][1] = 1000 * me + 2 * i + 1;
        OK(MPI_Ineighbor_alltoall(from[i], 1, MPI_INT, into[i], 1, MPI_INT, ring, &requests[i]));
    }
    for (int i = MANY; i-- > 0;) {
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        CHECK(into[i][0] == 1000 * below() + 2 * i + 1 && into[i][1] == 1000 * above() + 2 * i);
    }
    OK(MPI_Comm_free(&ring));
}

/* ---- neighbours that do not exist -------------------------------------------------------------------------------------------------------- */

static void nobody(void)
{
    MPI_Comm line;
    int no = 0, from[] = {10 * me, 10 * me + 1}, into[] = {-1, -1}, counts[] = {1, 1};
    MPI_Aint bytes[] = {0, 4};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &no, 0, &line));
    for (int i = 0; i < 2; i++)
        if (me == (i == 0 ? 0 : all - 1)) {
            counts[i] = 1 << 30;
            bytes[i] = -1;
            types[i] = MPI_DATATYPE_NULL;
        }
    OK(MPI_Neighbor_alltoallw(from, counts, bytes, types, into, counts, bytes, types, line));
    CHECK(into[0] == (me > 0 ? 10 * (me - 1) + 1 : -1) && into[1] == (me < all - 1 ? 10 * (me + 1) : -1));
    OK(MPI_Comm_free(&line));
}

/* ---- other communicators ----------------------------------------------------------------------------------------------------------------- */

static void alone(void)
{
    MPI_Comm ring = ring_of(MPI_COMM_SELF);
    struct near near = near_of(ring, 4, 2);
    for (int kind = 0; kind < NEAR_KINDS; kind++) {
        int wrong = -1;
        unsigned long long digest = 0;
        OK(near_do(&near, kind, kind % 2, &wrong, &digest));
        CHECK(wrong == 0);
    }
    near_free(&near);
    OK(MPI_Comm_free(&ring));
}

static void between(void)
{
    MPI_Comm half, inter, made = MPI_COMM_WORLD;
    int one[] = {1}, status;
    if (all < 2)
        return;
    OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 7, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    CHECK(CODE(MPI_Cart_create(inter, 1, one, one, 0, &made)) != MPI_SUCCESS && made == MPI_COMM_NULL);
    made = MPI_COMM_WORLD;
    CHECK(CODE(MPI_Graph_create(inter, 1, one, one, 0, &made)) != MPI_SUCCESS && made == MPI_COMM_NULL);
    CHECK(CODE(MPI_Cartdim_get(inter, &status)) != MPI_SUCCESS);
    OK(MPI_Topo_test(inter, &status));
    CHECK(status == MPI_UNDEFINED);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

#if MPI_VERSION >= 4
/* Persistent ones, started twice. */
static void large_again(MPI_Comm ring)
{
    enum { KINDS = 3 };
    int from[2], into[KINDS][2];
    MPI_Count counts[] = {1, 1};
    MPI_Aint displs[] = {0, 1}, bytes[] = {0, 4};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Request request[KINDS];
    OK(MPI_Neighbor_alltoallv_init_c(from, counts, displs, MPI_INT, into[0], counts, displs, MPI_INT, ring,
                                     MPI_INFO_NULL, &request[0]));
    OK(MPI_Neighbor_alltoallw_init_c(from, counts, bytes, types, into[1], counts, bytes, types, ring, MPI_INFO_NULL,
                                     &request[1]));
    OK(MPI_Neighbor_allgatherv_init_c(from, 1, MPI_INT, into[2], counts, displs, MPI_INT, ring, MPI_INFO_NULL,
                                      &request[2]));
    for (int round = 0; round < 2; round++) {
        from[0] = 10 * me + 1000 * round, from[1] = from[0] + 1;
        OK(MPI_Startall(KINDS, request));
        OK(MPI_Waitall(KINDS, request, (MPI_Status[KINDS]){{0}}));
        for (int i = 0; i < KINDS; i++)
            CHECK(into[i][0] == 10 * below() + 1000 * round + (i < 2) && into[i][1] == 10 * above() + 1000 * round);
    }
    for (int i = 0; i < KINDS; i++)
        OK(MPI_Request_free(&request[i]));
}
#endif

static void large(void)
{
#if MPI_VERSION >= 4
    int from[] = {10 * me, 10 * me + 1}, into[] = {-1, -1};
    MPI_Count counts[] = {1, 1}, huge[] = {1, (MPI_Count)1 << 40};
    MPI_Aint displs[] = {0, 1}, bytes[] = {0, 4};
    MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Comm ring = ring_of(MPI_COMM_WORLD);
    OK(MPI_Neighbor_alltoall_c(from, 1, MPI_INT, into, 1, MPI_INT, ring));
    CHECK(into[0] == 10 * below() + 1 && into[1] == 10 * above());
    memset(into, -1, sizeof into);
    OK(MPI_Neighbor_alltoallv_c(from, counts, displs, MPI_INT, into, counts, displs, MPI_INT, ring));
    CHECK(into[0] == 10 * below() + 1 && into[1] == 10 * above());
    memset(into, -1, sizeof into);
    OK(MPI_Ineighbor_alltoallw_c(from, counts, bytes, types, into, counts, bytes, types, ring, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(into[0] == 10 * below() + 1 && into[1] == 10 * above());
    OK(MPI_Neighbor_allgatherv_c(from, 1, MPI_INT, into, counts, displs, MPI_INT, ring));
    CHECK(into[0] == 10 * below() && into[1] == 10 * above());
    large_again(ring);
    int code = CODE(MPI_Neighbor_alltoallv_c(from, huge, displs, MPI_INT, into, huge, displs, MPI_INT, ring));
    MPI_Error_class(code, &code);
    CHECK(code == MPI_ERR_COUNT);
    OK(MPI_Comm_free(&ring));
#endif
}

/* ---- handlers and threads ---------------------------------------------------------------------------------------------------------------- */

static int raised;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    raised++;
}

/* Each error is raised once, by the handler of the communicator that the call names; a new one has that of the old. */
static void handlers(void)
{
    MPI_Comm comm, ring, made;
    MPI_Errhandler handler;
    int wrong[] = {0}, yes = 1, rank, to[2];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    raised = 0;
    CHECK(CODE(MPI_Cart_create(comm, 1, wrong, &yes, 0, &made)) != MPI_SUCCESS && raised == 1);
    CHECK(CODE(MPI_Cartdim_get(comm, &rank)) != MPI_SUCCESS && raised == 2);
    ring = ring_of(comm);
    CHECK(CODE(MPI_Cart_shift(ring, 4, 1, &to[0], &to[1])) != MPI_SUCCESS && raised == 3);
    CHECK(CODE(MPI_Cart_coords(ring, all, 1, to)) != MPI_SUCCESS && raised == 4);
    CHECK(CODE(MPI_Graph_neighbors_count(ring, 0, to)) != MPI_SUCCESS && raised == 5);
    CHECK(CODE(MPI_Neighbor_alltoall(to, 1, MPI_INT, to, 1, MPI_INT, comm)) != MPI_SUCCESS && raised == 6);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&ring));
    OK(MPI_Comm_free(&comm));
}

static void *rounds(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm ring = ring_of(comm);
        int from[] = {10 * me, 10 * me + 1}, into[2] = {-1, -1};
        MPI_Request request;
        OK(MPI_Ineighbor_alltoall(from, 1, MPI_INT, into, 1, MPI_INT, ring, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(into[0] == 10 * below() + 1 && into[1] == 10 * above());
        OK(MPI_Comm_free(&ring));
    }
    return NULL;
}

static void threads(void)
{
    MPI_Comm comms[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&thread[i], NULL, rounds, &comms[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
}

int main(int argc, char **argv)
{
    begin_threads(&argc, &argv, 50, MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    bottom(false);
    bottom(true);
    gone();
    many();
    nobody();
    alone();
    between();
    large();
    handlers();
    threads();
    return end();
}
