/* p2p.h: from the program's ranks and tags to processes and native tags. */
#ifndef KNELL_MPI_P2P_P2P_H
#define KNELL_MPI_P2P_P2P_H

#include "mpi/wait/wait.h"

enum { PEER_NONE = -3 }; /* peer of an operation with MPI_PROC_NULL */

/* What one end of a message is natively. */
struct p2p_end {
    int native; /* rank on the context */
    int peer;   /* as in struct op */
    int tag;
    int code;
};

/* Why nobody can send: the remote group of an intercommunicator is empty, since a shrink. */
RARE int p2p_no_sender(const struct comm *comm);

static inline struct p2p_end p2p_end_of(const struct comm *comm, int rank, int tag, bool receiving)
{
    struct p2p_end end = {.tag = tag + comm->place.stamp, .code = MPI_SUCCESS};
    if (LIKELY((unsigned)rank < (unsigned)comm->size))
        end.native = end.peer = comm->process_of[rank];
    else if (rank == MPI_PROC_NULL)
        end.native = MPI_PROC_NULL, end.peer = PEER_NONE;
    else if (receiving && rank == MPI_ANY_SOURCE)
        end.native = MPI_ANY_SOURCE, end.peer = PEER_ANY, end.code = comm->size ? MPI_SUCCESS : p2p_no_sender(comm);
    else
        end.code = MPI_ERR_RANK;
    if (RARELY((unsigned)tag > (unsigned)context_tag_ub)) {
        if (!receiving || tag != MPI_ANY_TAG)
            end.code = MPI_ERR_TAG;
        end.tag = tag;
    }
    return end;
}

typedef int native_isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request);

/* MPI_Isend, by this native one of its kin, and MPI_Irecv, as the program's ranks and tags; raised. */
int p2p_isend(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
              struct comm *comm, MPI_Request *request);
int p2p_irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, struct comm *comm,
              MPI_Request *request);

/* The status of a receive from `peer` as the program knows ranks and tags. That of MPI_Irecv from MPI_PROC_NULL is wrong on MPICH. */
static inline void p2p_status(const struct comm *comm, int peer, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE && RARELY(peer == PEER_NONE)) {
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
    }
    if (status == MPI_STATUS_IGNORE || status->MPI_SOURCE < 0)
        return;
    status->MPI_SOURCE = comm->rank_of[status->MPI_SOURCE];
    status->MPI_TAG -= comm->place.stamp;
}

#endif
