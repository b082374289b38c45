/* sem_raised: errors that the MPI below finds are raised once, by the handler of the communicator that the program named, whichever
 * handle the layer asked the MPI about. MPI_COMM_WORLD and MPI_COMM_SELF, where they would end the job, have other handlers meanwhile.
 * The fatal handler: run_cli.sh. */
#include "check.h"

static int calls, last_code, strays;
static MPI_Comm last_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_code = *code;
}

/* Of the communicators that the call is not about. */
static void stray(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    strays++;
}

/* The call fails; its communicator hears of it once, and no other. */
#define RAISES(call, comm)                                                                                         \
    do {                                                                                                           \
        calls = strays = 0;                                                                                        \
        int code_ = CODE(call);                                                                                    \
        if (code_ == MPI_SUCCESS || calls != 1 || strays || last_comm != (comm) || last_code != code_)             \
            fprintf(stderr, "%s:%d: code %d, %d calls of its handler, %d of others'\n", __FILE__, __LINE__, code_, \
                    calls, strays);                                                                                \
        CHECK(code_ != MPI_SUCCESS && calls == 1 && strays == 0 && last_comm == (comm) && last_code == code_);     \
    } while (0)

static int refusing(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value;
    return *(int *)extra ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}

static int freed_keyval(void)
{
    int keyval, old;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
    old = keyval;
    OK(MPI_Comm_free_keyval(&keyval));
    return old;
}

/* MPI_Attr_put and its like are deprecated, and used. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void wrong_keyvals(MPI_Comm comm)
{
#ifdef MPICH
    enum { KNOWN_WRONG = 1 }; /* it does not see that a keyval is freed */
#else
    enum { KNOWN_WRONG = 2 };
#endif
    int keyvals[] = {MPI_KEYVAL_INVALID, freed_keyval()}, flag;
    void *value;
    for (int i = 0; i < KNOWN_WRONG; i++) {
        RAISES(MPI_Comm_set_attr(comm, keyvals[i], NULL), comm);
        RAISES(MPI_Comm_get_attr(comm, keyvals[i], &value, &flag), comm);
        RAISES(MPI_Comm_delete_attr(comm, keyvals[i]), comm);
        RAISES(MPI_Attr_put(comm, keyvals[i], NULL), comm);
        RAISES(MPI_Attr_get(comm, keyvals[i], &value, &flag), comm);
        RAISES(MPI_Attr_delete(comm, keyvals[i]), comm);
    }
    RAISES(MPI_Comm_set_attr(comm, MPI_TAG_UB, NULL), comm);
    RAISES(MPI_Comm_delete_attr(comm, MPI_TAG_UB), comm);
}

/* A delete function that refuses: the attribute stays, and the communicator too. */
static void refused(MPI_Comm comm, int may_free)
{
    static int refuse;
    int keyval, found = 0;
    void *value = NULL;
    MPI_Comm before = comm;
    (void)before, (void)may_free;
    refuse = 1;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refusing, &keyval, &refuse));
    OK(MPI_Comm_set_attr(comm, keyval, &refuse));
    RAISES(MPI_Comm_delete_attr(comm, keyval), comm);
    RAISES(MPI_Comm_set_attr(comm, keyval, NULL), comm);
#ifndef MPICH /* which raises it by the handler of MPI_COMM_SELF, as it does without the layer */
    if (may_free) {
        RAISES(MPI_Comm_free(&comm), before);
        CHECK(comm == before);
    }
#endif
    OK(MPI_Comm_get_attr(comm, keyval, &value, &found));
    CHECK(found && value == &refuse);
    refuse = 0;
    OK(MPI_Comm_delete_attr(comm, keyval));
    OK(MPI_Comm_free_keyval(&keyval));
}

/* No datatype, no operation: whoever finds it out first. */
static void wrong_data(MPI_Comm comm)
{
    int two[4] = {1, 2}, into[4];
    RAISES(MPI_Bcast(two, 1, MPI_DATATYPE_NULL, 0, comm), comm);
    RAISES(MPI_Allreduce(two, into, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), comm);
    RAISES(MPI_Allgather(two, 1, MPI_DATATYPE_NULL, into, 1, MPI_DATATYPE_NULL, comm), comm);
    RAISES(MPI_Alltoall(two, 1, MPI_DATATYPE_NULL, into, 1, MPI_INT, comm), comm);
    RAISES(MPI_Scan(two, into, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), comm);
    RAISES(MPI_Exscan(two, into, 1, MPI_INT, MPI_OP_NULL, comm), comm);
    RAISES(MPI_Reduce(two, into, 1, MPI_INT, MPI_OP_NULL, 0, comm), comm);
    RAISES(MPI_Gather(two, 1, MPI_DATATYPE_NULL, into, 1, MPI_DATATYPE_NULL, 0, comm), comm);
    RAISES(MPI_Allreduce(two, into, 1, MPI_INT, MPI_OP_NULL, comm), comm);
    RAISES(MPI_Reduce_scatter_block(two, into, 1, MPI_INT, MPI_OP_NULL, comm), comm);
    RAISES(MPI_Sendrecv_replace(two, 1, MPI_DATATYPE_NULL, me, 0, me, 0, comm, MPI_STATUS_IGNORE), comm);
}

/* No hints: the same as MPI_Comm_dup. */
static void no_hints(void)
{
    MPI_Comm made;
    MPI_Info info;
    int sum = 0;
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made));
    OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK(sum == all);
    OK(MPI_Comm_free(&made));
    OK(MPI_Info_create(&info));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&made));
}

int main(int argc, char **argv)
{
    MPI_Errhandler counting, elsewhere;
    MPI_Comm comms[4] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    begin(&argc, &argv, 20);
    OK(MPI_Comm_create_errhandler(handler, &counting));
    OK(MPI_Comm_create_errhandler(stray, &elsewhere));
    no_hints();
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comms[3]));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, elsewhere));
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, elsewhere));
        OK(MPI_Comm_set_errhandler(comms[i], counting));
        wrong_keyvals(comms[i]);
        refused(comms[i], i >= 2);
        wrong_data(comms[i]);
    }
    OK(MPI_Comm_free(&comms[2]));
    OK(MPI_Comm_free(&comms[3]));
    OK(MPI_Errhandler_free(&counting));
    OK(MPI_Errhandler_free(&elsewhere));
    return end();
}
