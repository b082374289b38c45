/* native_group.c: see native_group.h. */
#include "mpi/comm/native_group.h"
#include "mpi/native/native.h"

static MPI_Group world_group;

void knell__groups_make(void)
{
    knell__native.comm_group(MPI_COMM_WORLD, &world_group);
}

MPI_Group knell__native_group(const int *process, int count)
{
    MPI_Group made = MPI_GROUP_EMPTY;
    knell__native.group_incl(world_group, count, process, &made);
    return made;
}

int knell__native_group_processes(MPI_Group group, int count, int *process)
{
    for (int i = 0; i < count; i++) {
        int code = knell__native.group_translate_ranks(group, 1, &i, world_group, &process[i]);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}
