/* trap_arrays: what a program may do to the arguments of a nonblocking collective as soon as the call has returned: arrays of counts,
 * places and datatypes are overwritten and freed (mpi4py does, Fortran's are gone too), datatypes and operations are freed. With
 * more than 17 ranks they are used in a later round in every call. A datatype's attribute whose delete function calls MPI is deleted
 * when the last collective is over. */
#include "check.h"

enum { COUNT = 3 };

/* An array of the program's: `ranks` numbers that are there until the call has returned. */
static int *array(int factor, int constant)
{
    int *made = malloc((size_t)all * sizeof *made);
    CHECK(made);
    for (int r = 0; r < all; r++)
        made[r] = factor * r + constant;
    return made;
}

static void spoil(void *used, size_t each)
{
    memset(used, 0x7f, (size_t)all * each);
    free(used);
}

static MPI_Datatype *types_of(MPI_Datatype type)
{
    MPI_Datatype *made = malloc((size_t)all * sizeof *made);
    CHECK(made);
    for (int r = 0; r < all; r++)
        OK(MPI_Type_dup(type, &made[r]));
    return made;
}

static void spoil_types(MPI_Datatype *types)
{
    for (int r = 0; r < all; r++)
        OK(MPI_Type_free(&types[r]));
    spoil(types, sizeof *types);
}

static int value(int from, int to, int i)
{
    return 10000 * from + 10 * to + i;
}

/* ---- the calls: each begins one, spoils its arrays, and says in `wait` that the result must be right ------------------------------ */

static int *from, *into; /* all * COUNT each */

static void prepare(void)
{
    for (int r = 0; r < all; r++)
        for (int i = 0; i < COUNT; i++) {
            from[r * COUNT + i] = value(me, r, i);
            into[r * COUNT + i] = -1;
        }
}

static void check_into(int senders)
{
    for (int r = 0; r < senders; r++)
        for (int i = 0; i < COUNT; i++)
            CHECK(into[r * COUNT + i] == value(r, me, i));
}

static void finish(MPI_Request *request)
{
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void alltoallv(MPI_Comm comm, int in_place)
{
    MPI_Request request;
    int *counts[2] = {array(0, COUNT), array(0, COUNT)}, *places[2] = {array(COUNT, 0), array(COUNT, 0)};
    prepare();
    if (in_place)
        memcpy(into, from, (size_t)all * COUNT * sizeof *into);
    OK(MPI_Ialltoallv(in_place ? MPI_IN_PLACE : from, in_place ? NULL : counts[0], in_place ? NULL : places[0], MPI_INT,
                      into, counts[1], places[1], MPI_INT, comm, &request));
    for (int i = 0; i < 2; i++) {
        spoil(counts[i], sizeof(int));
        spoil(places[i], sizeof(int));
    }
    finish(&request);
    check_into(all);
}

static void alltoallw(MPI_Comm comm)
{
    MPI_Request request;
    int *counts[2] = {array(0, COUNT), array(0, COUNT)};
    int *places[2] = {array(COUNT * sizeof(int), 0), array(COUNT * sizeof(int), 0)};
    MPI_Datatype *types[2] = {types_of(MPI_INT), types_of(MPI_INT)};
    prepare();
    OK(MPI_Ialltoallw(from, counts[0], places[0], types[0], into, counts[1], places[1], types[1], comm, &request));
    for (int i = 0; i < 2; i++) {
        spoil(counts[i], sizeof(int));
        spoil(places[i], sizeof(int));
        spoil_types(types[i]);
    }
    finish(&request);
    check_into(all);
}

static void allgatherv(MPI_Comm comm)
{
    MPI_Request request;
    int *counts = array(0, COUNT), *places = array(COUNT, 0);
    prepare();
    OK(MPI_Iallgatherv(from, COUNT, MPI_INT, into, counts, places, MPI_INT, comm, &request));
    spoil(counts, sizeof(int));
    spoil(places, sizeof(int));
    finish(&request);
    for (int r = 0; r < all; r++)
        for (int i = 0; i < COUNT; i++)
            CHECK(into[r * COUNT + i] == value(r, 0, i));
}

/* The others have no arrays at all. */
static void gatherv_and_scatterv(MPI_Comm comm, int root)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int *counts = me == root ? array(0, COUNT) : NULL, *places = me == root ? array(COUNT, 0) : NULL;
    int *mine = malloc(COUNT * sizeof *mine);
    CHECK(mine);
    prepare();
    OK(MPI_Igatherv(from + root * COUNT, COUNT, MPI_INT, into, counts, places, MPI_INT, root, comm, &request[0]));
    OK(MPI_Iscatterv(from, counts, places, MPI_INT, mine, COUNT, MPI_INT, root, comm, &request[1]));
    if (me == root) {
        spoil(counts, sizeof(int));
        spoil(places, sizeof(int));
    }
    OK(MPI_Waitall(2, request, status));
    check_into(me == root ? all : 0);
    for (int i = 0; i < COUNT; i++)
        CHECK(mine[i] == value(root, me, i));
    free(mine);
}

static void reduce_scatter(MPI_Comm comm, int in_place)
{
    MPI_Request request;
    int *counts = array(0, COUNT);
    prepare();
    if (in_place)
        memcpy(into, from, (size_t)all * COUNT * sizeof *into);
    OK(MPI_Ireduce_scatter(in_place ? MPI_IN_PLACE : from, into, counts, MPI_INT, MPI_SUM, comm, &request));
    spoil(counts, sizeof(int));
    finish(&request);
    for (int i = 0; i < COUNT; i++)
        CHECK(into[i] == 10000 * (all * (all - 1) / 2) + all * (10 * me + i));
}

/* ---- delete functions ---------------------------------------------------------------------------------------------------------------- */

static MPI_Comm for_deleting;
static int deleted;

/* Everything a program may do: make and free datatypes, collectives of both kinds. */
static int delete_fn(MPI_Datatype type, int keyval, void *attribute, void *extra)
{
    MPI_Datatype other;
    MPI_Request request;
    (void)type, (void)keyval, (void)attribute, (void)extra;
    deleted++;
    OK(MPI_Ibarrier(for_deleting, &request));
    OK(MPI_Type_contiguous(2, MPI_INT, &other));
    OK(MPI_Type_free(&other));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(for_deleting));
    return MPI_SUCCESS;
}

static void add(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *count; i++)
        ((int *)right)[i] += ((int *)left)[i];
}

static void freed_with_attributes(MPI_Comm comm)
{
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Datatype pair;
    MPI_Op op;
    int keyval, two[2] = {me, 1}, sum[2] = {0}, most[2] = {0};
    deleted = 0;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_fn, &keyval, NULL));
    OK(MPI_Type_set_attr(pair, keyval, NULL));
    OK(MPI_Iallreduce(two, sum, 1, pair, op, comm, &request[0]));
    OK(MPI_Iallreduce(two, most, 2, MPI_INT, MPI_MAX, comm, &request[1]));
    OK(MPI_Type_free(&pair));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free_keyval(&keyval));
    OK(MPI_Waitall(2, request, status));
    CHECK(sum[0] == all * (all - 1) / 2 && sum[1] == all && most[0] == all - 1);
    CHECK(deleted == 1);
}

/* What is not the program's to free is an error at once, collectives under way or not. */
static void not_to_be_freed(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Datatype type = MPI_INT;
    int code, class = -1;
    OK(MPI_Ibarrier(comm, &request));
    code = CODE(MPI_Type_free(&type));
    OK(MPI_Error_class(code, &class));
    CHECK(class == MPI_ERR_TYPE && type == MPI_INT);
    finish(&request);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    begin(&argc, &argv, 40);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF,
                               MPI_ERRORS_RETURN)); /* errors without a communicator go there, or to the world */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &for_deleting));
    from = malloc((size_t)all * COUNT * sizeof *from);
    into = malloc((size_t)all * COUNT * sizeof *into);
    CHECK(from && into);
    alltoallv(comm, 0);
    alltoallv(comm, 1);
    alltoallw(comm);
    allgatherv(comm);
    gatherv_and_scatterv(comm, 0);
    gatherv_and_scatterv(comm, all - 1);
    reduce_scatter(comm, 0);
    reduce_scatter(comm, 1);
    freed_with_attributes(comm);
    not_to_be_freed(comm);
    free(from);
    free(into);
    OK(MPI_Comm_free(&for_deleting));
    OK(MPI_Comm_free(&comm));
    return end();
}
