/* sem_listed.c: docs/use/calls.md says what a death does to each call. Here the calls are made after one, when all survivors know of it, and
 * after a revoke: those that communicate return the class that the page names, those that begin something begin, local ones work. */
#include "check.h"

enum { DEAD = 3 };

static int wanted; /* the class */
static MPI_Comm comm;
static int one = 1, many[4], counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
static MPI_Datatype types[4];

#define REFUSED(call) FAILS(call, wanted)

/* It begins, and its completion has the error. */
#define BEGINS(call)                                          \
    do {                                                      \
        MPI_Request request;                                  \
        OK(call);                                             \
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), wanted); \
        CHECK(request == MPI_REQUEST_NULL);                   \
    } while (0)

/* The same for a persistent one, which stays. */
#define STARTS(call)                                          \
    do {                                                      \
        MPI_Request request;                                  \
        OK(call);                                             \
        OK(MPI_Start(&request));                              \
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), wanted); \
        CHECK(request != MPI_REQUEST_NULL);                   \
        OK(MPI_Request_free(&request));                       \
    } while (0)

static void messages(void)
{
    int flag, other = 0;
    MPI_Message message;
    REFUSED(MPI_Send(&one, 1, MPI_INT, DEAD, 0, comm));
    REFUSED(MPI_Ssend(&one, 1, MPI_INT, DEAD, 0, comm));
    REFUSED(MPI_Recv(&other, 1, MPI_INT, DEAD, 0, comm, MPI_STATUS_IGNORE));
    REFUSED(MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE));
    REFUSED(MPI_Probe(DEAD, 0, comm, MPI_STATUS_IGNORE));
    REFUSED(MPI_Mprobe(DEAD, 0, comm, &message, MPI_STATUS_IGNORE));
    REFUSED(MPI_Iprobe(DEAD, 0, comm, &flag, MPI_STATUS_IGNORE));
    REFUSED(MPI_Improbe(DEAD, 0, comm, &flag, &message, MPI_STATUS_IGNORE));
    REFUSED(MPI_Sendrecv(&one, 1, MPI_INT, DEAD, 0, &other, 1, MPI_INT, DEAD, 0, comm, MPI_STATUS_IGNORE));
    REFUSED(MPI_Sendrecv_replace(&other, 1, MPI_INT, DEAD, 0, DEAD, 0, comm, MPI_STATUS_IGNORE));
    BEGINS(MPI_Isend(&one, 1, MPI_INT, DEAD, 0, comm, &request));
    BEGINS(MPI_Issend(&one, 1, MPI_INT, DEAD, 0, comm, &request));
    BEGINS(MPI_Irecv(&other, 1, MPI_INT, DEAD, 0, comm, &request));
    STARTS(MPI_Send_init(&one, 1, MPI_INT, DEAD, 0, comm, &request));
    STARTS(MPI_Ssend_init(&one, 1, MPI_INT, DEAD, 0, comm, &request));
    STARTS(MPI_Recv_init(&other, 1, MPI_INT, DEAD, 0, comm, &request));
}

static void collectives(void)
{
    REFUSED(MPI_Barrier(comm));
    REFUSED(MPI_Bcast(many, 1, MPI_INT, 0, comm));
    REFUSED(MPI_Gather(&one, 1, MPI_INT, many, 1, MPI_INT, 0, comm));
    REFUSED(MPI_Gatherv(&one, 1, MPI_INT, many, counts, places, MPI_INT, 0, comm));
    REFUSED(MPI_Scatter(counts, 1, MPI_INT, many, 1, MPI_INT, 0, comm));
    REFUSED(MPI_Scatterv(counts, counts, places, MPI_INT, many, 1, MPI_INT, 0, comm));
    REFUSED(MPI_Allgather(&one, 1, MPI_INT, many, 1, MPI_INT, comm));
    REFUSED(MPI_Allgatherv(&one, 1, MPI_INT, many, counts, places, MPI_INT, comm));
    REFUSED(MPI_Alltoall(counts, 1, MPI_INT, many, 1, MPI_INT, comm));
    REFUSED(MPI_Alltoallv(counts, counts, places, MPI_INT, many, counts, places, MPI_INT, comm));
    REFUSED(MPI_Alltoallw(counts, counts, places, types, many, counts, places, types, comm));
    REFUSED(MPI_Reduce(&one, many, 1, MPI_INT, MPI_SUM, 0, comm));
    REFUSED(MPI_Allreduce(&one, many, 1, MPI_INT, MPI_SUM, comm));
    REFUSED(MPI_Reduce_scatter_block(counts, many, 1, MPI_INT, MPI_SUM, comm));
    REFUSED(MPI_Reduce_scatter(counts, many, counts, MPI_INT, MPI_SUM, comm));
    REFUSED(MPI_Scan(&one, many, 1, MPI_INT, MPI_SUM, comm));
    REFUSED(MPI_Exscan(&one, many, 1, MPI_INT, MPI_SUM, comm));
}

static void collectives_that_begin(void)
{
    BEGINS(MPI_Ibarrier(comm, &request));
    BEGINS(MPI_Ibcast(many, 1, MPI_INT, 0, comm, &request));
    BEGINS(MPI_Igather(&one, 1, MPI_INT, many, 1, MPI_INT, 0, comm, &request));
    BEGINS(MPI_Igatherv(&one, 1, MPI_INT, many, counts, places, MPI_INT, 0, comm, &request));
    BEGINS(MPI_Iscatter(counts, 1, MPI_INT, many, 1, MPI_INT, 0, comm, &request));
    BEGINS(MPI_Iscatterv(counts, counts, places, MPI_INT, many, 1, MPI_INT, 0, comm, &request));
    BEGINS(MPI_Iallgather(&one, 1, MPI_INT, many, 1, MPI_INT, comm, &request));
    BEGINS(MPI_Iallgatherv(&one, 1, MPI_INT, many, counts, places, MPI_INT, comm, &request));
    BEGINS(MPI_Ialltoall(counts, 1, MPI_INT, many, 1, MPI_INT, comm, &request));
    BEGINS(MPI_Ialltoallv(counts, counts, places, MPI_INT, many, counts, places, MPI_INT, comm, &request));
    BEGINS(MPI_Ialltoallw(counts, counts, places, types, many, counts, places, types, comm, &request));
    BEGINS(MPI_Ireduce(&one, many, 1, MPI_INT, MPI_SUM, 0, comm, &request));
    BEGINS(MPI_Iallreduce(&one, many, 1, MPI_INT, MPI_SUM, comm, &request));
    BEGINS(MPI_Ireduce_scatter_block(counts, many, 1, MPI_INT, MPI_SUM, comm, &request));
    BEGINS(MPI_Ireduce_scatter(counts, many, counts, MPI_INT, MPI_SUM, comm, &request));
    BEGINS(MPI_Iscan(&one, many, 1, MPI_INT, MPI_SUM, comm, &request));
    BEGINS(MPI_Iexscan(&one, many, 1, MPI_INT, MPI_SUM, comm, &request));
}

static void creations(void)
{
    int dims[1] = {3}, periods[1] = {1}, peer = (me + 1) % 3, from = (me + 2) % 3;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;
    OK(MPI_Comm_group(comm, &group));
    REFUSED(MPI_Comm_dup(comm, &made));
    REFUSED(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made));
    REFUSED(MPI_Comm_create(comm, group, &made));
    REFUSED(MPI_Comm_create_group(comm, group, 7, &made));
    REFUSED(MPI_Comm_split(comm, 0, me, &made));
    REFUSED(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &made));
    REFUSED(MPI_Cart_create(comm, 1, dims, periods, 0, &made));
    REFUSED(MPI_Dist_graph_create_adjacent(comm, 1, &from, counts, 1, &peer, counts, MPI_INFO_NULL, 0, &made));
    BEGINS(MPI_Comm_idup(comm, &made, &request));
    OK(MPI_Group_free(&group));
}

/* Those of which the page says that a death changes nothing. */
static void local_ones(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int number, flag, *bound;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler handler;
    OK(MPI_Comm_size(comm, &number));
    CHECK(number == 4);
    OK(MPI_Comm_rank(comm, &number));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_size(group, &number));
    CHECK(number == 4);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &number));
    OK(MPI_Comm_test_inter(comm, &flag));
    OK(MPI_Topo_test(comm, &number));
    OK(MPI_Comm_set_name(comm, "listed"));
    OK(MPI_Comm_get_name(comm, name, &number));
    OK(MPI_Comm_get_attr(comm, MPI_TAG_UB, &bound, &flag));
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_get_errhandler(comm, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK(flag == (wanted == MPIX_ERR_REVOKED));
    OK(MPIX_Comm_get_failed(comm, &group));
    OK(MPI_Group_size(group, &number));
    CHECK(number == 1);
    OK(MPI_Group_free(&group));
}

static void with(int class)
{
    wanted = class;
    messages();
    collectives();
    collectives_that_begin();
    creations();
    local_ones();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    for (int i = 0; i < 4; i++)
        types[i] = MPI_INT;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    die_if(me == DEAD);
    learn_death(comm, DEAD);
    with(MPIX_ERR_PROC_FAILED);
    MPI_Comm living = shrunk(comm);
    meet(living); /* nobody is revoked in the middle of it */
    OK(MPIX_Comm_revoke(comm));
    with(MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&living));
    return end();
}
