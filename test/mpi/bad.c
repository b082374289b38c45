/* bad: wrong arguments are errors of the right class, never a hang or a crash; and all is well after. */
#include "check.h"

static int value;
static MPI_Comm made;
static MPI_Group group;
static MPI_Request request;

/* The class of what the call returns. */
#define GIVES(call, wanted)                                                                      \
    do {                                                                                         \
        int class_ = -1, code_ = CODE(call);                                                     \
        MPI_Error_class(code_, &class_);                                                         \
        if (class_ != (wanted))                                                                  \
            fprintf(stderr, "rank %d: %s is of class %d, not " #wanted "\n", me, #call, class_); \
        CHECK(class_ == (wanted));                                                               \
    } while (0)

static void no_communicator(void)
{
    MPI_Comm none = MPI_COMM_NULL;
    GIVES(MPI_Send(&value, 1, MPI_INT, 0, 0, none), MPI_ERR_COMM);
    GIVES(MPI_Recv(&value, 1, MPI_INT, 0, 0, none, MPI_STATUS_IGNORE), MPI_ERR_COMM);
    GIVES(MPI_Isend(&value, 1, MPI_INT, 0, 0, none, &request), MPI_ERR_COMM);
    GIVES(MPI_Irecv(&value, 1, MPI_INT, 0, 0, none, &request), MPI_ERR_COMM);
    GIVES(MPI_Barrier(none), MPI_ERR_COMM);
    GIVES(MPI_Bcast(&value, 1, MPI_INT, 0, none), MPI_ERR_COMM);
    GIVES(MPI_Ibarrier(none, &request), MPI_ERR_COMM);
    GIVES(MPI_Comm_rank(none, &value), MPI_ERR_COMM);
    GIVES(MPI_Comm_dup(none, &made), MPI_ERR_COMM);
    GIVES(MPI_Comm_split(none, 0, 0, &made), MPI_ERR_COMM);
    GIVES(MPI_Comm_free(&none), MPI_ERR_COMM);
}

static void no_communicator_of_ulfm(void)
{
    GIVES(MPIX_Comm_revoke(MPI_COMM_NULL), MPI_ERR_COMM);
    GIVES(MPIX_Comm_is_revoked(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    GIVES(MPIX_Comm_shrink(MPI_COMM_NULL, &made), MPI_ERR_COMM);
    GIVES(MPIX_Comm_ishrink(MPI_COMM_NULL, &made, &request), MPI_ERR_COMM);
    GIVES(MPIX_Comm_agree(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    GIVES(MPIX_Comm_iagree(MPI_COMM_NULL, &value, &request), MPI_ERR_COMM);
    GIVES(MPIX_Comm_get_failed(MPI_COMM_NULL, &group), MPI_ERR_COMM);
    GIVES(MPIX_Comm_ack_failed(MPI_COMM_NULL, 0, &value), MPI_ERR_COMM);
    GIVES(MPIX_Comm_failure_ack(MPI_COMM_NULL), MPI_ERR_COMM);
    GIVES(MPIX_Comm_failure_get_acked(MPI_COMM_NULL, &group), MPI_ERR_COMM);
}

static void wrong_ends(MPI_Comm comm)
{
    GIVES(MPI_Send(&value, 1, MPI_INT, all, 0, comm), MPI_ERR_RANK);
    GIVES(MPI_Isend(&value, 1, MPI_INT, -77, 0, comm, &request), MPI_ERR_RANK);
    GIVES(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm), MPI_ERR_RANK);
    GIVES(MPI_Recv(&value, 1, MPI_INT, all, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    GIVES(MPI_Send(&value, 1, MPI_INT, me, -7, comm), MPI_ERR_TAG);
    GIVES(MPI_Send(&value, 1, MPI_INT, me, MPI_ANY_TAG, comm), MPI_ERR_TAG);
    GIVES(MPI_Irecv(&value, 1, MPI_INT, me, -7, comm, &request), MPI_ERR_TAG);
    GIVES(MPI_Send(&value, -1, MPI_INT, me, 0, comm), MPI_ERR_COUNT);
    GIVES(MPI_Recv(&value, 1, MPI_DATATYPE_NULL, me, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    GIVES(MPI_Bcast(&value, 1, MPI_INT, all, comm), MPI_ERR_ROOT);
}

/* Below zero: not a size of memory. */
static void wrong_counts(MPI_Comm comm)
{
    static int from[4], into[4], less[4] = {-1, -1, -1, -1}, nowhere[4];
    CHECK(all <= 4);
    GIVES(MPI_Sendrecv_replace(from, -1, MPI_INT, me, 0, me, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    GIVES(MPI_Bsend(from, -1, MPI_INT, me, 0, comm), MPI_ERR_COUNT);
    GIVES(MPI_Bcast(from, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    GIVES(MPI_Gather(from, -1, MPI_INT, into, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    GIVES(MPI_Scatter(from, -1, MPI_INT, into, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    GIVES(MPI_Allgather(from, -1, MPI_INT, into, -1, MPI_INT, comm), MPI_ERR_COUNT);
    GIVES(MPI_Alltoall(from, -1, MPI_INT, into, -1, MPI_INT, comm), MPI_ERR_COUNT);
    GIVES(MPI_Alltoallv(from, less, nowhere, MPI_INT, into, less, nowhere, MPI_INT, comm), MPI_ERR_COUNT);
    GIVES(MPI_Allreduce(from, into, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    GIVES(MPI_Reduce_scatter(from, into, less, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    GIVES(MPI_Scan(from, into, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
}

/* The MPIs have different classes for it, and leave what they would return as it is. */
static void wrong_completions(void)
{
    int flag, index = 1 << 24, count = 1 << 24, indices[1] = {1 << 24};
    MPI_Request none[1] = {MPI_REQUEST_NULL};
    MPI_Status status[1];
    CHECK(CODE(MPI_Testany(-1, none, &index, &flag, status)) != MPI_SUCCESS);
    CHECK(CODE(MPI_Waitany(-1, none, &index, status)) != MPI_SUCCESS);
    CHECK(CODE(MPI_Testsome(-1, none, &count, indices, status)) != MPI_SUCCESS);
    CHECK(CODE(MPI_Waitsome(-1, none, &count, indices, status)) != MPI_SUCCESS);
    CHECK(CODE(MPI_Testall(-1, none, &flag, status)) != MPI_SUCCESS);
    CHECK(CODE(MPI_Waitall(-1, none, status)) != MPI_SUCCESS);
}

/* The own block is larger than its place: an error of this communicator, not of MPI_COMM_SELF, where one copies to oneself. */
static void wrong_blocks(void)
{
    MPI_Comm alone;
    int two[2] = {1, 2}, one[1];
    OK(MPI_Comm_split(MPI_COMM_WORLD, me, 0, &alone));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    GIVES(MPI_Allgather(two, 2, MPI_INT, one, 1, MPI_INT, alone), MPI_ERR_TRUNCATE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_free(&alone));
}

static int largest_tag(void)
{
    int *largest, found;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found));
    CHECK(found);
    return *largest;
}

/* The tag is looked at by everybody, also by those who are no members of the group. */
static void wrong_tags(MPI_Comm comm)
{
    MPI_Group everybody;
    int largest = largest_tag();
    OK(MPI_Comm_group(comm, &everybody));
    GIVES(MPI_Comm_create_group(comm, everybody, -7, &made), MPI_ERR_TAG);
    GIVES(MPI_Comm_create_group(comm, everybody, MPI_ANY_TAG, &made), MPI_ERR_TAG);
    GIVES(MPI_Comm_create_group(comm, everybody, largest + 1, &made), MPI_ERR_TAG);
    GIVES(MPI_Comm_create_group(comm, MPI_GROUP_EMPTY, -7, &made), MPI_ERR_TAG);
    GIVES(MPI_Send(&value, 1, MPI_INT, me, largest + 1, comm), MPI_ERR_TAG);
    CHECK(made == MPI_COMM_NULL);
    OK(MPI_Comm_create_group(comm, everybody, largest, &made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Group_free(&everybody));
}

static void wrong_creations(MPI_Comm comm)
{
    MPI_Comm world = MPI_COMM_WORLD;
    GIVES(MPI_Comm_split(comm, -7, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Comm_create(comm, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
    GIVES(MPI_Comm_create_group(comm, MPI_GROUP_NULL, 0, &made), MPI_ERR_GROUP);
    GIVES(MPI_Comm_free(&world), MPI_ERR_COMM);
    GIVES(MPIX_Comm_ack_failed(comm, -1, &value), MPI_ERR_ARG);
    GIVES(MPIX_Comm_ack_failed(comm, all + 1, &value), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    MPI_Comm copy;
    int one = 1, sum = 0;
    begin(&argc, &argv, 20);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF,
                               MPI_ERRORS_RETURN)); /* errors without a communicator go there, or to the world */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    no_communicator();
    no_communicator_of_ulfm();
    wrong_ends(MPI_COMM_WORLD);
    wrong_ends(copy);
    wrong_counts(MPI_COMM_WORLD);
    wrong_counts(copy);
    wrong_completions();
    wrong_creations(MPI_COMM_WORLD);
    wrong_blocks();
    wrong_creations(copy);
    wrong_tags(MPI_COMM_WORLD);
    wrong_tags(copy);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK(sum == all);
    return end();
}
