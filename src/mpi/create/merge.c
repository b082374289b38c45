/* merge.c: MPI_Intercomm_merge: one communicator of both groups, those first who say that they are low. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/create/handle.h"
#include "mpi/error/error.h"

#include <stdlib.h>
#include <string.h>

/* One round: every member hears from one of the remote group, which takes the members of this one in turn. */
static bool ask_step(struct coll *coll)
{
    const struct comm *comm = coll->comm;
    if (coll->round > 0 || comm->size == 0)
        return false;
    for (int i = comm->rank; i < comm->size; i += comm->local)
        coll_send(coll, coll->args->send, 1, MPI_INT, i);
    coll_recv(coll, coll->args->recv, 1, MPI_INT, comm->rank % comm->size);
    return true;
}

static int ask_remote(struct comm *comm, int mine, int *theirs)
{
    struct coll coll;
    *theirs = mine;
    coll_begin(&coll, comm, ask_step, &(struct coll_args){.send = &mine, .recv = theirs});
    return coll_run(&coll);
}

/* Where both say the same, the order of all members decides. */
static bool local_first(const struct comm *comm, bool high, bool remote_high)
{
    return high == remote_high ? comm_goes_first(comm) : !high;
}

int mpi_intercomm_merge(MPI_Comm handle, int high, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    int remote_high, mine = high != 0;
    if (!comm)
        return native.intercomm_merge(handle, high, newcomm);
    *newcomm = MPI_COMM_NULL;
    if (!comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    int *process = malloc((size_t)comm->members * sizeof *process);
    if (!process)
        layer_die("out of memory");
    int code = ask_remote(comm, mine, &remote_high);
    int local_at = local_first(comm, mine, remote_high) ? 0 : comm->size, remote_at = local_at ? 0 : comm->local;
    memcpy(process + local_at, comm_local(comm), (size_t)comm->local * sizeof *process);
    memcpy(process + remote_at, comm->process_of, (size_t)comm->size * sizeof *process);
    code = create_by_all(comm, &(struct comm_group){process, comm->members, 0}, code, newcomm);
    free(process);
    return code;
}
