/* p2p.h: from the program's ranks and tags to processes and native tags. */
#ifndef KNELL_MPI_P2P_P2P_H
#define KNELL_MPI_P2P_P2P_H

#include "mpi/wait/wait.h"

enum { KNELL__NONE = -3 }; /* peer of an operation with MPI_PROC_NULL */

/* What one end of a message is natively. */
struct knell__end {
    int native; /* rank on the context */
    int peer;   /* as in struct knell__op */
    int tag;
    int code;
};

static inline struct knell__end knell__end_of(const struct knell__comm *comm, int rank, int tag, bool receiving)
{
    struct knell__end end = {.tag = tag + comm->place.stamp, .code = MPI_SUCCESS};
    if (KNELL__LIKELY((unsigned)rank < (unsigned)comm->size))
        end.native = end.peer = comm->process_of[rank];
    else if (rank == MPI_PROC_NULL)
        end.native = MPI_PROC_NULL, end.peer = KNELL__NONE;
    else if (receiving && rank == MPI_ANY_SOURCE)
        end.native = MPI_ANY_SOURCE, end.peer = KNELL__ANYBODY;
    else
        end.code = MPI_ERR_RANK;
    if (KNELL__RARELY((unsigned)tag > (unsigned)knell__tag_ub)) {
        if (!receiving || tag != MPI_ANY_TAG)
            end.code = MPI_ERR_TAG;
        end.tag = tag;
    }
    return end;
}

/* The status of a receive from `peer` as the program knows ranks and tags. That of MPI_Irecv from MPI_PROC_NULL is wrong on MPICH. */
static inline void knell__status_translate(const struct knell__comm *comm, int peer, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE && KNELL__RARELY(peer == KNELL__NONE)) {
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
    }
    if (status == MPI_STATUS_IGNORE || status->MPI_SOURCE < 0)
        return;
    status->MPI_SOURCE = comm->rank_of[status->MPI_SOURCE];
    status->MPI_TAG -= comm->place.stamp;
}

#endif
