/* copy.c: see copy.h. The MPI below knows how to get from one datatype to another: by a message to oneself, or by packing. */
#include "mpi/request/copy.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/native/native.h"

static int send_to_self(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
                        MPI_Datatype into_type, MPI_Status *status)
{
    lock_take(LOCK_COPY);
    int code =
        native.sendrecv(from, from_count, from_type, 0, 0, into, into_count, into_type, 0, 0, context_alone, status);
    lock_give(LOCK_COPY);
    return code;
}

int copy_data(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
              MPI_Datatype into_type)
{
    return send_to_self(from, from_count, from_type, into, into_count, into_type, MPI_STATUS_IGNORE);
}

/* MPICH's MPI_Pack takes MPI_BOTTOM for a missing buffer, its messages do not. */
int copy_pack(const void *from, int count, MPI_Datatype type, void *bytes, int room, int *used)
{
    MPI_Status status;
    *used = 0;
    if (from != MPI_BOTTOM)
        return native.pack(from, count, type, bytes, room, used, context_alone);
    int code = send_to_self(from, count, type, bytes, room, MPI_PACKED, &status);
    return code == MPI_SUCCESS ? native.get_count(&status, MPI_PACKED, used) : code;
}

int copy_unpack(const void *bytes, int size, void *into, int count, MPI_Datatype type)
{
    int position = 0;
    if (into != MPI_BOTTOM)
        return native.unpack(bytes, size, &position, into, count, type, context_alone);
    return send_to_self(bytes, size, MPI_PACKED, into, count, type, MPI_STATUS_IGNORE);
}
