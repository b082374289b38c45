/* sem_revoke: a revoke releases every pending operation of every member, and every later one fails but shrink, agree, free. */
#include "check.h"

#include <stdbool.h>
#include <time.h>

static int value, values[2];
static MPI_Status statuses[2];
static MPI_Request requests[2];
static MPI_Message message;

/* ---- operations that wait for rank 0, which does not come ------------------------------------------------------------------- */

static int op_recv(MPI_Comm comm)
{
    return MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
}
static int op_recv_any(MPI_Comm comm)
{
    return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}
static int op_ssend(MPI_Comm comm)
{
    return MPI_Ssend(&value, 1, MPI_INT, 0, 1, comm);
}
static int op_sendrecv(MPI_Comm comm)
{
    return MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, values, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
}
static int op_probe(MPI_Comm comm)
{
    return MPI_Probe(0, 1, comm, statuses);
}
static int op_mprobe(MPI_Comm comm)
{
    return MPI_Mprobe(0, 1, comm, &message, statuses);
}
/* Also when the revoke was faster: its completion tells of that. */
static void two_receives(MPI_Comm comm)
{
    OK(MPI_Irecv(&values[0], 1, MPI_INT, 0, 1, comm, &requests[0]));
    OK(MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[1]));
}
/* Whatever is left of them after one of them was released. */
static int rest(int code)
{
    for (int i = 0; i < 2; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            FAILS(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    return code;
}
static int op_wait(MPI_Comm comm)
{
    two_receives(comm);
    return rest(CODE(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)));
}
static int op_waitall(MPI_Comm comm)
{
    two_receives(comm);
    FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPIX_ERR_REVOKED && statuses[1].MPI_ERROR == MPIX_ERR_REVOKED);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    return MPIX_ERR_REVOKED;
}
static int op_waitany(MPI_Comm comm)
{
    int index = -1, code;
    two_receives(comm);
    code = CODE(MPI_Waitany(2, requests, &index, statuses));
    CHECK(index == 0 || index == 1);
    return rest(code);
}
static int op_waitsome(MPI_Comm comm)
{
    int indices[2], count = 0;
    two_receives(comm);
    FAILS(MPI_Waitsome(2, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
    CHECK(count >= 1 && statuses[0].MPI_ERROR == MPIX_ERR_REVOKED);
    return rest(MPIX_ERR_REVOKED);
}
static int op_test(MPI_Comm comm)
{
    int flag = 0, code = MPI_SUCCESS;
    two_receives(comm);
    while (!flag && code == MPI_SUCCESS)
        code = CODE(MPI_Test(&requests[1], &flag, statuses));
    return rest(code);
}
static int op_barrier(MPI_Comm comm)
{
    return MPI_Barrier(comm);
}
static int op_bcast(MPI_Comm comm)
{
    return MPI_Bcast(&value, 1, MPI_INT, 0, comm);
}
static int op_allreduce(MPI_Comm comm)
{
    return MPI_Allreduce(&value, values, 1, MPI_INT, MPI_SUM, comm);
}
static int op_ibarrier(MPI_Comm comm)
{
    int code = MPI_Ibarrier(comm, requests);
    return code == MPI_SUCCESS ? CODE(MPI_Wait(requests, MPI_STATUS_IGNORE)) : code;
}
static int op_dup(MPI_Comm comm)
{
    MPI_Comm made;
    return MPI_Comm_dup(comm, &made);
}
static int op_split(MPI_Comm comm)
{
    MPI_Comm made;
    return MPI_Comm_split(comm, me % 2, 0, &made);
}

static int op_create(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Group group;
    OK(MPI_Comm_group(comm, &group));
    int code = CODE(MPI_Comm_create(comm, group, &made));
    OK(MPI_Group_free(&group));
    return code;
}
static int op_create_group(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Group group;
    OK(MPI_Comm_group(comm, &group));
    int code = CODE(MPI_Comm_create_group(comm, group, 1, &made));
    OK(MPI_Group_free(&group));
    return code;
}

static const struct {
    const char *name;
    int (*call)(MPI_Comm comm);
} ops[] = {{"recv", op_recv},
           {"recv_any", op_recv_any},
           {"ssend", op_ssend},
           {"sendrecv", op_sendrecv},
           {"probe", op_probe},
           {"mprobe", op_mprobe},
           {"wait", op_wait},
           {"waitall", op_waitall},
           {"waitany", op_waitany},
           {"waitsome", op_waitsome},
           {"test", op_test},
           {"barrier", op_barrier},
           {"bcast", op_bcast},
           {"allreduce", op_allreduce},
           {"ibarrier", op_ibarrier},
           {"dup", op_dup},
           {"split", op_split},
           {"create", op_create},
           {"create_group", op_create_group}};
enum { OPS = sizeof ops / sizeof *ops };

static void released(int op)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    if (me == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); /* the others are likely to wait by now */
        OK(MPIX_Comm_revoke(comm));
    } else {
        AT(ops[op].name);
        int code = ops[op].call(comm);
        if (code != MPIX_ERR_REVOKED)
            fprintf(stderr, "rank %d: pending %s returned %d after the revoke\n", me, ops[op].name, code);
        CHECK(code == MPIX_ERR_REVOKED);
    }
    OK(MPI_Comm_free(&comm));
}

/* ---- after the revoke -------------------------------------------------------------------------------------------------------- */

static void later_calls(void)
{
    MPI_Comm comm, living;
    MPI_Group group;
    int flag = 0, rank, size;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK(!flag);
    meet(MPI_COMM_WORLD);
    OK(MPIX_Comm_revoke(comm));
    OK(MPIX_Comm_revoke(comm)); /* twice is once */
    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK(flag);
    FAILS(MPI_Send(&value, 1, MPI_INT, me, 1, comm), MPIX_ERR_REVOKED);
    FAILS(MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, statuses), MPIX_ERR_REVOKED);
    for (int op = 0; op < OPS; op++)
        FAILS(ops[op].call(comm), MPIX_ERR_REVOKED);
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    CHECK(rank == me && size == all);
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_free(&group));
    flag = me == 1 ? 6 : 3;
    OK(MPIX_Comm_agree(comm, &flag));
    CHECK(flag == 2);
    OK(MPIX_Comm_shrink(comm, &living));
    OK(MPI_Barrier(living));
    OK(MPIX_Comm_is_revoked(living, &flag));
    CHECK(!flag);
    OK(MPI_Comm_free(&living));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* others are not touched */
}

/* ---- the revoker dies at once: all the living hear of it, or none ------------------------------------------------------------- */

static void reliable(void)
{
    MPI_Comm comm;
    int flag = 0, anyone;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    if (me == 1)
        OK(MPIX_Comm_revoke(comm));
    die_if(me == 1);
    int code = CODE(MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE));
    CHECK(code == MPIX_ERR_REVOKED || code == MPIX_ERR_PROC_FAILED);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    OK(MPIX_Comm_is_revoked(comm, &flag));
    OK(MPI_Allreduce(&flag, &anyone, 1, MPI_INT, MPI_MAX, living));
    while (AT("the word of a revoke that another has"), anyone && !flag)
        OK(MPIX_Comm_is_revoked(comm, &flag));
    OK(MPI_Barrier(living));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 30);
    for (int op = 0; op < OPS; op++)
        released(op);
    later_calls();
    reliable();
    return end();
}
