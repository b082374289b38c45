/* group.c: MPI_Comm_create_group: a communicator made by its members alone, whatever the other members of the parent do.
 * A revoke of the parent releases who waits (unborn.h): members that have not come yet never will. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/create/unborn.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"

#include <stdlib.h>

/* ---- its id ----------------------------------------------------------------------------------------------------------------- */

/* The same at all its members without a word: from parent, members, tag, and how many such calls there were before. */
static uint64_t group_id(struct comm *parent, const int *member, int size, int tag)
{
    uint64_t key = unborn_mix(parent->id, (uint64_t)tag);
    for (int i = 0; i < size; i++)
        key = unborn_mix(key, (uint64_t)member[i]);
    return unborn_mix(key, unborn_count(parent, key));
}

/* ---- the call --------------------------------------------------------------------------------------------------------------- */

static int parent_is_revoked(const struct unborn *unborn)
{
    const struct comm *parent = unborn->reason;
    return comm_trouble(parent) & COMM_REVOKED ? MPIX_ERR_REVOKED : MPI_SUCCESS;
}

static int make(struct comm *parent, const int *member, int size, int tag, MPI_Comm *newcomm)
{
    struct comm_group group = {member, size, 0};
    struct unborn unborn = {.comm = comm_new(&group, group_id(parent, member, size, tag), NULL, MPI_COMM_NULL),
                            .leaves = parent_is_revoked,
                            .reason = parent};
    return unborn_bear(&unborn, parent, newcomm);
}

int mpi_comm_create_group(MPI_Comm handle, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    int *member, size;
    if (!comm)
        return native.comm_create_group(handle, group, tag, newcomm);
    *newcomm = MPI_COMM_NULL;
    if ((unsigned)tag > (unsigned)context_tag_ub || comm_is_inter(comm))
        return error_raise(comm, comm_is_inter(comm) ? MPI_ERR_COMM : MPI_ERR_TAG);
    int code = create_members(comm, group, &member, &size);
    if (code != MPI_SUCCESS)
        return error_raise(comm, code);
    if (comm_trouble(comm) & COMM_REVOKED)
        code = MPIX_ERR_REVOKED;
    else if (size > 0)
        code = make(comm, member, size, tag, newcomm);
    free(member);
    return error_raise(comm, code);
}
