/* query.c: what is asked of a communicator, answered from its group. Native groups are of the native world's processes. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

int knell__mpi_comm_size(MPI_Comm handle, int *size)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_size(handle, size);
    *size = comm->size;
    return MPI_SUCCESS;
}

int knell__mpi_comm_rank(MPI_Comm handle, int *rank)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_rank(handle, rank);
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int knell__mpi_comm_group(MPI_Comm handle, MPI_Group *group)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_group(handle, group);
    *group = knell__native_group(comm->process_of, comm->size);
    return MPI_SUCCESS;
}

static int compare(const struct knell__comm *a, const struct knell__comm *b)
{
    bool same_order = true;
    if (a == b)
        return MPI_IDENT;
    if (a->size != b->size)
        return MPI_UNEQUAL;
    for (int i = 0; i < a->size; i++) {
        if (b->rank_of[a->process_of[i]] < 0)
            return MPI_UNEQUAL;
        same_order = same_order && a->process_of[i] == b->process_of[i];
    }
    return same_order ? MPI_CONGRUENT : MPI_SIMILAR;
}

int knell__mpi_comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    const struct knell__comm *a = knell__comm_of(comm1), *b = knell__comm_of(comm2);
    if (!a || !b)
        return knell__native.comm_compare(comm1, comm2, result);
    *result = compare(a, b);
    return MPI_SUCCESS;
}

int knell__mpi_comm_test_inter(MPI_Comm handle, int *flag)
{
    if (!knell__comm_of(handle))
        return knell__native.comm_test_inter(handle, flag);
    *flag = 0;
    return MPI_SUCCESS;
}

/* The name is kept natively. That there is one is noted: the MPI below names them too. */
int knell__mpi_comm_set_name(MPI_Comm handle, const char *name)
{
    struct knell__comm *comm = knell__comm_of(handle);
    int code = knell__native.comm_set_name(handle, name);
    if (comm)
        comm->named = code == MPI_SUCCESS && *name;
    return code;
}

/* There are no intercommunicators yet: these two are errors of the program. */
int knell__mpi_comm_remote_size(MPI_Comm handle, int *size)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? knell__raise(comm, MPI_ERR_COMM) : knell__native.comm_remote_size(handle, size);
}

int knell__mpi_comm_remote_group(MPI_Comm handle, MPI_Group *group)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? knell__raise(comm, MPI_ERR_COMM) : knell__native.comm_remote_group(handle, group);
}

int knell__mpi_topo_test(MPI_Comm handle, int *status)
{
    if (!knell__comm_of(handle))
        return knell__native.topo_test(handle, status);
    *status = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* Programs free the empty group that ULFM calls hand out; Open MPI aborts on that. */
int knell__mpi_group_free(MPI_Group *group)
{
    if (*group != MPI_GROUP_EMPTY)
        return knell__native.group_free(group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
