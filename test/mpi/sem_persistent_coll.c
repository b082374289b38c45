/* sem_persistent_coll: persistent collectives (MPIX_Bcast_init on Open MPI 4, MPI_Bcast_init with MPI 4): each gives what the blocking one
 * gives, several at once, started in another order at each rank, beside blocking ones; datatypes, operations and the communicator are freed
 * before. Then a member dies, and the communicator is revoked: they are inactive and can be started again. */
#include "check.h"

#include <stdbool.h>

#if MPI_VERSION < 4
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

enum { BLOCK = 5, ROUNDS = 6, VICTIM = 1, MOST = 8, PIECES = BLOCK * MOST, KINDS = 17, MANY = 1100 };

static MPI_Comm comm, around;
static int out[PIECES], in[KINDS][PIECES], blocking[KINDS][PIECES];
static int counts[MOST], displs[MOST], bytes[MOST];
static MPI_Datatype types[MOST];

static void sum_up(void *from, void *into, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)into)[i] += ((int *)from)[i];
}

static void make_all(MPI_Request *r, MPI_Op op, MPI_Datatype type, MPI_Info info)
{
    int n = 0, root = all - 1, total = BLOCK * all;
    OK(INIT(Barrier)(comm, info, &r[n]));
    n++;
    OK(INIT(Bcast)(in[n], total, type, root, comm, info, &r[n]));
    n++;
    OK(INIT(Gather)(out, BLOCK, type, in[n], BLOCK, type, root, comm, info, &r[n]));
    n++;
    OK(INIT(Gatherv)(out, BLOCK, type, in[n], counts, displs, type, root, comm, info, &r[n]));
    n++;
    OK(INIT(Scatter)(out, BLOCK, type, in[n], BLOCK, type, root, comm, info, &r[n]));
    n++;
    OK(INIT(Scatterv)(out, counts, displs, type, in[n], BLOCK, type, root, comm, info, &r[n]));
    n++;
    OK(INIT(Allgather)(out, BLOCK, type, in[n], BLOCK, type, comm, info, &r[n]));
    n++;
    OK(INIT(Allgatherv)(out, BLOCK, type, in[n], counts, displs, type, comm, info, &r[n]));
    n++;
    OK(INIT(Alltoall)(out, BLOCK, type, in[n], BLOCK, type, comm, info, &r[n]));
    n++;
    OK(INIT(Alltoallv)(out, counts, displs, type, in[n], counts, displs, type, comm, info, &r[n]));
    n++;
    OK(INIT(Alltoallw)(out, counts, bytes, types, in[n], counts, bytes, types, comm, info, &r[n]));
    n++;
    OK(INIT(Reduce)(out, in[n], total, MPI_INT, op, root, comm, info, &r[n]));
    n++;
    OK(INIT(Allreduce)(out, in[n], total, MPI_INT, op, comm, info, &r[n]));
    n++;
    OK(INIT(Reduce_scatter_block)(out, in[n], BLOCK, MPI_INT, op, comm, info, &r[n]));
    n++;
    OK(INIT(Reduce_scatter)(out, in[n], counts, MPI_INT, op, comm, info, &r[n]));
    n++;
    OK(INIT(Scan)(out, in[n], total, MPI_INT, op, comm, info, &r[n]));
    n++;
    OK(INIT(Exscan)(out, in[n], total, MPI_INT, op, comm, info, &r[n]));
}

static void run_blocking(void)
{
    int n = 1, root = all - 1, total = BLOCK * all;
    OK(MPI_Bcast(blocking[n++], total, MPI_INT, root, comm));
    OK(MPI_Gather(out, BLOCK, MPI_INT, blocking[n++], BLOCK, MPI_INT, root, comm));
    OK(MPI_Gatherv(out, BLOCK, MPI_INT, blocking[n++], counts, displs, MPI_INT, root, comm));
    OK(MPI_Scatter(out, BLOCK, MPI_INT, blocking[n++], BLOCK, MPI_INT, root, comm));
    OK(MPI_Scatterv(out, counts, displs, MPI_INT, blocking[n++], BLOCK, MPI_INT, root, comm));
    OK(MPI_Allgather(out, BLOCK, MPI_INT, blocking[n++], BLOCK, MPI_INT, comm));
    OK(MPI_Allgatherv(out, BLOCK, MPI_INT, blocking[n++], counts, displs, MPI_INT, comm));
    OK(MPI_Alltoall(out, BLOCK, MPI_INT, blocking[n++], BLOCK, MPI_INT, comm));
    OK(MPI_Alltoallv(out, counts, displs, MPI_INT, blocking[n++], counts, displs, MPI_INT, comm));
    OK(MPI_Alltoallv(out, counts, displs, MPI_INT, blocking[n++], counts, displs, MPI_INT, comm)); /* w */
    OK(MPI_Reduce(out, blocking[n++], total, MPI_INT, MPI_SUM, root, comm));
    OK(MPI_Allreduce(out, blocking[n++], total, MPI_INT, MPI_SUM, comm));
    OK(MPI_Reduce_scatter_block(out, blocking[n++], BLOCK, MPI_INT, MPI_SUM, comm));
    OK(MPI_Reduce_scatter(out, blocking[n++], counts, MPI_INT, MPI_SUM, comm));
    OK(MPI_Scan(out, blocking[n++], total, MPI_INT, MPI_SUM, comm));
    OK(MPI_Exscan(out, blocking[n++], total, MPI_INT, MPI_SUM, comm));
}

/* ---- without failures -------------------------------------------------------------------------------------------------------- */

static void fill(int round)
{
    memset(in, 0x11, sizeof in);
    memset(blocking, 0x11, sizeof blocking);
    for (int i = 0; i < PIECES; i++)
        out[i] = 1000 * round + 100 * me + i;
    if (me == all - 1)
        for (int i = 0; i < PIECES; i++)
            in[1][i] = blocking[1][i] = 7 * i + round;
}

/* Another order at every rank and in every round; some together. */
static void start_all(MPI_Request *request, int round)
{
    int first = (3 * me + 5 * round) % KINDS;
    if (round % 3 == 2)
        OK(MPI_Startall(KINDS, request));
    for (int i = 0; round % 3 != 2 && i < KINDS; i++)
        OK(MPI_Start(&request[(round % 3 ? first + i : first + KINDS - i) % KINDS]));
}

static void complete_all(MPI_Request *request, int round)
{
    MPI_Status status[KINDS];
    int flag = 0, index;
    if (round % 3 == 0)
        OK(MPI_Waitall(KINDS, request, status));
    while (round % 3 == 1 && !flag)
        OK(MPI_Testall(KINDS, request, &flag, status));
    for (int i = 0; round % 3 == 2 && i < KINDS; i++)
        OK(MPI_Waitany(KINDS, request, &index, status));
    OK(MPI_Waitany(KINDS, request, &index, status));
    CHECK(index == MPI_UNDEFINED);
}

static void run_round(MPI_Request *request, int round)
{
    fill(round);
    start_all(request, round);
    if (round % 2)
        run_blocking(); /* beside them */
    complete_all(request, round);
    if (round % 2 == 0)
        run_blocking();
    for (int n = 1; n < KINDS; n++)
        CHECK(memcmp(in[n], blocking[n], sizeof in[n]) == 0);
}

/* Arrays, datatype and operation are gone when they are started. */
static void test_all(void)
{
    MPI_Request request[KINDS];
    MPI_Datatype type;
    MPI_Op op;
    OK(MPI_Op_create(sum_up, 1, &op));
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < MOST; i++) {
        counts[i] = BLOCK;
        displs[i] = BLOCK * i;
        bytes[i] = displs[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    make_all(request, op, type, MPI_INFO_NULL);
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    for (int round = 0; round < ROUNDS; round++)
        run_round(request, round);
    for (int i = 0; i < KINDS; i++)
        OK(MPI_Request_free(&request[i]));
}

static int deleted;

static int count_deleted(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type;
    (void)key;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static MPI_Datatype make_type(int key)
{
    MPI_Datatype type;
    OK(MPI_Type_contiguous(1, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_set_attr(type, key, NULL));
    return type;
}

/* A datatype that none of them uses goes when the program frees it, though they stay; one that they use goes after them. */
static void test_others(void)
{
    MPI_Datatype used, other;
    MPI_Request request, late;
    int key, value = me;
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deleted, &key, NULL));
    used = make_type(key);
    other = make_type(key);
    OK(INIT(Bcast)(&value, 1, used, 0, comm, MPI_INFO_NULL, &request));
    OK(MPI_Type_free(&other));
    CHECK(deleted == 1);
    other = make_type(key);
    OK(MPI_Ibarrier(comm, &late));
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&used));
    OK(MPI_Wait(&late, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(comm));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(value == 0 && deleted == 2);
    OK(MPI_Request_free(&request));
    OK(MPI_Ibarrier(comm, &late));
    OK(MPI_Wait(&late, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(comm, &late));
    OK(MPI_Wait(&late, MPI_STATUS_IGNORE));
    CHECK(deleted == 3);
    OK(MPI_Type_free_keyval(&key));
}

/* More of them, one after the other, than there are numbers; beside one that stays. */
static void test_many(void)
{
    MPI_Request stays, request;
    int one = 1, sum = 0, far = 0;
    OK(INIT(Allreduce)(&one, &far, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &stays));
    for (int i = 0; i < MANY; i++) {
        OK(INIT(Allreduce)(&one, &sum, 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request));
        if (i % 100 == 0) {
            OK(MPI_Start(&stays));
            OK(MPI_Start(&request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            OK(MPI_Wait(&stays, MPI_STATUS_IGNORE));
            CHECK(sum == 1 && far == all);
        }
        OK(MPI_Request_free(&request));
    }
    OK(MPI_Request_free(&stays));
}

static void test_neighbours(void)
{
    MPI_Request request;
    int left = (me + all - 1) % all, right = (me + 1) % all, got[2] = {-1, -1};
    OK(MPI_Cart_create(comm, 1, &all, &(int){1}, 0, &around));
    OK(INIT(Neighbor_allgather)(&me, 1, MPI_INT, got, 1, MPI_INT, around, MPI_INFO_NULL, &request));
    OK(MPI_Comm_free(&around));
    for (int round = 0; round < 3; round++) {
        got[0] = got[1] = -1;
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(got[0] == left && got[1] == right);
    }
    OK(MPI_Request_free(&request));
    int class;
    MPI_Error_class(CODE(INIT(Neighbor_allgather)(&me, 1, MPI_INT, got, 1, MPI_INT, comm, MPI_INFO_NULL, &request)),
                    &class);
    CHECK(class == MPI_ERR_TOPOLOGY && request == MPI_REQUEST_NULL);
    OK(MPI_Ibarrier(comm, &request)); /* is one, not the beginning of one */
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Error_class(CODE(INIT(Bcast)(out, 1, MPI_INT, 99, comm, MPI_INFO_NULL, &request)), &class);
    CHECK(class == MPI_ERR_ROOT && request == MPI_REQUEST_NULL);
}

/* ---- with a death, and a revoke ---------------------------------------------------------------------------------------------- */

static void test_failures(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int one = 1, sum = 0;
    OK(INIT(Allreduce)(&one, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]));
    OK(INIT(Barrier)(comm, MPI_INFO_NULL, &request[1]));
    OK(MPI_Startall(2, request));
    OK(MPI_Waitall(2, request, status));
    CHECK(sum == all);
    meet(comm);
    if (me != VICTIM)
        OK(MPI_Startall(2, request));
    die_if(me == VICTIM);
    FAILS(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++) {
            OK(MPI_Start(&request[i]));
            FAILS(MPI_Wait(&request[i], status), MPIX_ERR_PROC_FAILED);
        }
    OK(MPI_Start(&request[1]));
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Request_free(&request[0]));
}

static void test_revoke(void)
{
    MPI_Comm living = shrunk(comm);
    MPI_Request request;
    int rank, size, sum = 0;
    MPI_Comm_rank(living, &rank);
    MPI_Comm_size(living, &size);
    OK(INIT(Allreduce)(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, living, MPI_INFO_NULL, &request));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum == size);
    meet(living); /* nobody is in the first one any more */
    if (rank == 0)
        OK(MPIX_Comm_revoke(living));
    else
        OK(MPI_Start(&request));
    if (rank != 0)
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    OK(MPI_Start(&request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&living));
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    test_all();
    test_others();
    test_many();
    test_neighbours();
    test_failures();
    test_revoke();
    return end();
}
