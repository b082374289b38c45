/* native_group.c: see native_group.h. */
#include "mpi/comm/native_group.h"
#include "mpi/native/native.h"

static MPI_Group world_group;

void native_group_begin(void)
{
    native.comm_group(MPI_COMM_WORLD, &world_group);
}

MPI_Group native_group_of(const int *process, int count)
{
    MPI_Group made = MPI_GROUP_EMPTY;
    native.group_incl(world_group, count, process, &made);
    return made;
}

int native_group_processes(MPI_Group group, int count, int *process)
{
    for (int i = 0; i < count; i++) {
        int code = native.group_translate_ranks(group, 1, &i, world_group, &process[i]);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}
