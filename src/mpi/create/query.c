/* query.c: what is asked of a communicator, answered from its group. Native groups are of the native world's processes. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

int mpi_comm_size(MPI_Comm handle, int *size)
{
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_size(handle, size);
    *size = comm_local_size(comm);
    return MPI_SUCCESS;
}

int mpi_comm_rank(MPI_Comm handle, int *rank)
{
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_rank(handle, rank);
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int mpi_comm_group(MPI_Comm handle, MPI_Group *group)
{
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_group(handle, group);
    *group = native_group_of(comm_local(comm), comm_local_size(comm));
    return MPI_SUCCESS;
}

/* Both groups: process_of has the remote one of an intercommunicator first. */
static int compare(const struct comm *a, const struct comm *b)
{
    bool same_order = true;
    if (a == b)
        return MPI_IDENT;
    if (a->size != b->size || a->local != b->local)
        return MPI_UNEQUAL;
    for (int i = 0; i < a->members; i++) {
        int other = b->rank_of[a->process_of[i]];
        if (other < 0 || (other < b->size) != (i < a->size))
            return MPI_UNEQUAL;
        same_order = same_order && i == other;
    }
    return same_order ? MPI_CONGRUENT : MPI_SIMILAR;
}

int mpi_comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    const struct comm *a = comm_of(comm1), *b = comm_of(comm2);
    if (!a || !b)
        return native.comm_compare(comm1, comm2, result);
    *result = compare(a, b);
    return MPI_SUCCESS;
}

int mpi_comm_test_inter(MPI_Comm handle, int *flag)
{
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_test_inter(handle, flag);
    *flag = comm_is_inter(comm);
    return MPI_SUCCESS;
}

/* The name is kept natively. That there is one is noted: the MPI below names them too. */
int mpi_comm_set_name(MPI_Comm handle, const char *name)
{
    struct comm *comm = comm_of(handle);
    int code = native.comm_set_name(handle, name);
    if (comm)
        comm->named = code == MPI_SUCCESS && *name;
    return code;
}

int mpi_comm_remote_size(MPI_Comm handle, int *size)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_remote_size(handle, size);
    if (!comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    *size = comm->size;
    return MPI_SUCCESS;
}

int mpi_comm_remote_group(MPI_Comm handle, MPI_Group *group)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_remote_group(handle, group);
    if (!comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    *group = native_group_of(comm->process_of, comm->size);
    return MPI_SUCCESS;
}

/* Programs free the empty group that ULFM calls hand out; Open MPI aborts on that. */
int mpi_group_free(MPI_Group *group)
{
    if (*group != MPI_GROUP_EMPTY)
        return native.group_free(group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
