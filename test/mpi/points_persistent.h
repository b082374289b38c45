/* points_persistent.h: for points.c: persistent requests, started twice: a ring, and collectives. After a failure they are inactive, and
 * freed. And MPI_Isendrecv, where the MPI has it. */
#ifndef KNELL_TEST_MPI_POINTS_PERSISTENT_H
#define KNELL_TEST_MPI_POINTS_PERSISTENT_H

#include "points_coll.h"

static int by_persistent(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int before = (rank + size - 1) % size, after = (rank + 1) % size, code = MPI_SUCCESS;
    block = MUCH;
    OK(MPI_Recv_init(into, MUCH, MPI_INT, before, 3, comm, &request[0]));
    OK(MPI_Send_init(from, MUCH, MPI_INT, after, 3, comm, &request[1]));
    for (int round = 0; round < 2 && code == MPI_SUCCESS; round++) {
        prepare(NULL);
        OK(MPI_Startall(2, request));
        while (CODE(MPI_Waitall(2, request, status)) != MPI_SUCCESS) { /* what is pending then ends by the revoke */
            OK(MPIX_Comm_revoke(comm));
            code = MPIX_ERR_PROC_FAILED;
        }
        if (code == MPI_SUCCESS)
            check_each(MUCH, 0, value, before);
    }
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
    return code;
}

#if MPI_VERSION < 4
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

/* Three at once, which the ranks start in different orders. */
static int by_persistent_coll(void)
{
    enum { KINDS = 3 };
    MPI_Request request[KINDS];
    int sums[LITTLE], root[LITTLE], blocks_of_all[PEERS], code = MPI_SUCCESS;
    OK(PERSISTENT(Allreduce_init)(from, sums, LITTLE, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]));
    OK(PERSISTENT(Bcast_init)(root, LITTLE, MPI_INT, 0, comm, MPI_INFO_NULL, &request[1]));
    OK(PERSISTENT(Allgather_init)(&rank, 1, MPI_INT, blocks_of_all, 1, MPI_INT, comm, MPI_INFO_NULL, &request[2]));
    for (int round = 0; round < 2 && code == MPI_SUCCESS; round++) {
        for (int i = 0; i < LITTLE; i++)
            from[i] = root[i] = value(rank, i + round);
        for (int i = 0; i < KINDS; i++)
            OK(MPI_Start(&request[(i + rank) % KINDS]));
        for (int i = 0; i < KINDS; i++) {
            int ended = CODE(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
            code = code == MPI_SUCCESS ? ended : code;
        }
        for (int i = 0; i < LITTLE && code == MPI_SUCCESS; i++)
            CHECK(sums[i] == sum(size - 1, i + round) && root[i] == value(0, i + round));
        for (int r = 0; r < size && code == MPI_SUCCESS; r++)
            CHECK(blocks_of_all[r] == r);
    }
    for (int i = 0; i < KINDS; i++)
        OK(MPI_Request_free(&request[i]));
    return code;
}

/* Each half fails for itself: who has its own may leave while its neighbour waits, and all see that at the end of the act. */
static int by_isendrecv(void)
{
    int before = (rank + size - 1) % size, after = (rank + 1) % size, code;
    block = MUCH;
    prepare(NULL);
#if MPI_VERSION >= 4
    MPI_Request request;
    code = CODE(MPI_Isendrecv(from, MUCH, MPI_INT, after, 4, into, MUCH, MPI_INT, before, 4, comm, &request));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        check_each(MUCH, 0, value, before);
    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < MUCH; i++)
        into[i] = value(rank, i);
    code = CODE(MPI_Isendrecv_replace(into, MUCH, MPI_INT, after, 5, before, 5, comm, &request));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
#else
    for (int i = 0; i < MUCH; i++)
        into[i] = value(rank, i);
    code = CODE(MPI_Sendrecv_replace(into, MUCH, MPI_INT, after, 5, before, 5, comm, MPI_STATUS_IGNORE));
#endif
    if (code == MPI_SUCCESS)
        check_each(MUCH, 0, value, before);
    return code;
}

#endif
