/* sem_isendrecv: MPI_Isendrecv and MPI_Isendrecv_replace of MPI 4: a ring without failures; one half fails by a death while the other
 * goes on; from any source; a revoke. MPI_Comm_idup_with_info. With an older MPI there is nothing to test. */
#include "check.h"

#include <stdbool.h>

#if MPI_VERSION >= 4

enum { TESTER, LIVING, VICTIM };
enum { TAG = 5, LARGE = 300000, STAMPED_AFTER = 24 };

static MPI_Comm comm;
static int *out, *in;

static void check_from(const MPI_Status *status, int source, int tag, int count)
{
    int got = -1;
    OK(MPI_Get_count(status, MPI_INT, &got));
    CHECK(status->MPI_SOURCE == source && status->MPI_TAG == tag && got == count);
}

/* ---- without failures -------------------------------------------------------------------------------------------------------- */

static void test_ring(int count, bool wild)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int right = (me + 1) % all, left = (me + all - 1) % all;
    int source = wild ? MPI_ANY_SOURCE : left, tag = wild ? MPI_ANY_TAG : TAG, one = me;
    for (int i = 0; i < count; i++)
        out[i] = me + i;
    OK(MPI_Isendrecv(out, count, MPI_INT, right, TAG, in, count, MPI_INT, source, tag, comm, &request[0]));
    OK(MPI_Wait(&request[0], &status[0]));
    check_from(&status[0], left, TAG, count);
    for (int i = 0; i < count; i++)
        CHECK(in[i] == left + i);
    OK(MPI_Isendrecv_replace(out, count, MPI_INT, right, TAG, source, tag, comm, &request[0]));
    OK(MPI_Wait(&request[0], &status[0]));
    OK(MPI_Isendrecv(&one, 1, MPI_INT, MPI_PROC_NULL, TAG, in, 1, MPI_INT, MPI_PROC_NULL, TAG, comm, &request[1]));
    OK(MPI_Waitall(2, request, status));
    check_from(&status[1], MPI_PROC_NULL, MPI_ANY_TAG, 0);
    for (int i = 0; i < count; i++)
        CHECK(out[i] == left + i);
    OK(MPI_Barrier(comm));
}

static void test_wrong(void)
{
    MPI_Request request;
    int class;
    MPI_Error_class(CODE(MPI_Isendrecv(out, 1, MPI_INT, 99, TAG, in, 1, MPI_INT, me, TAG, comm, &request)), &class);
    CHECK(class == MPI_ERR_RANK && request == MPI_REQUEST_NULL);
    MPI_Error_class(CODE(MPI_Isendrecv_replace(out, -1, MPI_INT, me, TAG, me, TAG, comm, &request)), &class);
    CHECK(class == MPI_ERR_COUNT && request == MPI_REQUEST_NULL);
}

static void test_idup(void)
{
    MPI_Comm made;
    MPI_Request request;
    MPI_Info info, got;
    char value[16] = "";
    int sum = 0, flag = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_error_range", "group"));
    OK(MPI_Comm_idup_with_info(comm, info, &made, &request));
    OK(MPI_Info_free(&info));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_get_info(made, &got));
    OK(MPI_Info_get(got, "mpi_error_range", sizeof value - 1, value, &flag));
    CHECK(flag && strcmp(value, "group") == 0);
    OK(MPI_Info_free(&got));
    OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK(sum == all);
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &made, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&made));
}

/* ---- with a death ------------------------------------------------------------------------------------------------------------ */

/* Of the two halves the one with the living is done, and only then is the other's failure told. */
static void test_halves(void)
{
    MPI_Request request;
    int peer = me == TESTER ? LIVING : TESTER, give = 10 + me, got = -1;
    OK(MPI_Isendrecv(out, LARGE, MPI_INT, VICTIM, TAG, &got, 1, MPI_INT, peer, TAG, comm, &request));
    OK(MPI_Send(&give, 1, MPI_INT, peer, TAG, comm));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    CHECK(got == 10 + peer && request == MPI_REQUEST_NULL);
    OK(MPI_Isendrecv(&give, 1, MPI_INT, peer, TAG, in, 1, MPI_INT, VICTIM, TAG, comm, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    OK(MPI_Recv(&got, 1, MPI_INT, peer, TAG, comm, MPI_STATUS_IGNORE));
}

static void test_any_source(void)
{
    MPI_Request request;
    MPI_Status status;
    int peer = me == TESTER ? LIVING : TESTER, give = 10 + me, got = -1, flag = 0;
    OK(MPI_Isendrecv(&give, 1, MPI_INT, peer, TAG, &got, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 1, comm, &request));
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
    FAILS(MPI_Test(&request, &flag, &status), MPIX_ERR_PROC_FAILED_PENDING);
    OK(MPIX_Comm_failure_ack(comm));
    OK(MPI_Recv(in, 1, MPI_INT, peer, TAG, comm, &status));
    meet(comm);
    OK(MPI_Send(&give, 1, MPI_INT, peer, TAG + 1, comm));
    OK(MPI_Wait(&request, &status));
    CHECK(got == 10 + peer);
    check_from(&status, peer, TAG + 1, 1);
}

static void test_revoke(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int peer = me == TESTER ? LIVING : TESTER;
    OK(MPI_Isendrecv(out, LARGE, MPI_INT, peer, TAG + 2, in, 1, MPI_INT, peer, TAG + 3, comm, &request[0]));
    if (me == TESTER)
        OK(MPIX_Comm_revoke(comm));
    OK(MPI_Isendrecv_replace(out, LARGE, MPI_INT, peer, TAG + 4, MPI_ANY_SOURCE, TAG + 5, comm, &request[1]));
    FAILS(MPI_Waitall(2, request, status), MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPIX_ERR_REVOKED && status[1].MPI_ERROR == MPIX_ERR_REVOKED);
}

int main(int argc, char **argv)
{
    MPI_Comm many[STAMPED_AFTER];
    int stamped = argc > 1;
    begin(&argc, &argv, 50);
    out = calloc(LARGE, sizeof *out);
    in = calloc(LARGE, sizeof *in);
    for (int i = 0; i < STAMPED_AFTER; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &many[i]));
    comm = many[stamped ? STAMPED_AFTER - 1 : 0];
    for (int wild = 0; wild < 2; wild++) {
        test_ring(3, wild);
        test_ring(LARGE, wild);
    }
    test_wrong();
    test_idup();
    OK(MPI_Barrier(comm));
    die_if(me == VICTIM);
    test_halves();
    test_any_source();
    test_revoke();
    free(out);
    free(in);
    return end();
}
#else
int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    die_if(me == 2);
    return end();
}
#endif
