/* points_persistent.h: for points.c: a ring of persistent requests, started twice. After a failure they are inactive, and freed. */
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

#endif
