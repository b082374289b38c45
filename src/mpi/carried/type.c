/* type.c: datatypes: what lies in one piece goes as it is, everything else is packed and unpacked by the MPI below.
 *
 * The MPI's own datatypes are never freed, so what they are is asked once. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 64 };

static struct {
    MPI_Datatype type;
    int size;
} known[KNOWN]; /* a type is at its place or nowhere */
static bool known_begun;

static unsigned place_of(MPI_Datatype type)
{
    uint64_t key = 0;
    memcpy(&key, &type, sizeof type);
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

RARE static void begin(void)
{
    for (int i = 0; i < KNOWN; i++)
        known[i].type = MPI_DATATYPE_NULL;
    known_begun = true;
}

/* One of the MPI's own, in one piece. */
RARE static bool learn(MPI_Datatype type, int size)
{
    int integers, addresses, types, combiner;
    MPI_Aint lower, extent;
    if (!known_begun)
        begin();
    if (carried.below.type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED || carried.below.type_get_extent(type, &lower, &extent) != MPI_SUCCESS ||
        lower != 0 || extent != size)
        return false;
    known[place_of(type)].type = type;
    known[place_of(type)].size = size;
    return true;
}

int carried_type(MPI_Datatype type, int count, size_t *size, bool *plain)
{
    unsigned at = place_of(type);
    int one;
    if (RARELY(count < 0))
        return MPI_ERR_COUNT;
    if (LIKELY(known[at].type == type && type != MPI_DATATYPE_NULL && known_begun)) {
        *size = (size_t)count * (size_t)known[at].size;
        *plain = true;
        return MPI_SUCCESS;
    }
    if (type == MPI_DATATYPE_NULL || carried.below.type_size(type, &one) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    *size = (size_t)count * (size_t)one;
    *plain = learn(type, one);
    return MPI_SUCCESS;
}

/* ---- packing ----------------------------------------------------------------------------------------------------------------- */

/* By a message to oneself: from MPI_BOTTOM, which MPICH's MPI_Pack takes for a missing buffer, and where a message ends in the middle of
 * an element. */
static int by_message(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
                      MPI_Datatype into_type)
{
    lock_take(LOCK_COPY);
    int code = carried.below.sendrecv(from, from_count, from_type, 0, 0, into, into_count, into_type, 0, 0,
                                      context_alone, MPI_STATUS_IGNORE);
    lock_give(LOCK_COPY);
    return code;
}

int carried_pack(const void *buffer, int count, MPI_Datatype type, size_t size, void **packed)
{
    int position = 0;
    if (size > INT_MAX)
        return MPI_ERR_COUNT;
    *packed = malloc(size ? size : 1);
    if (!*packed)
        return MPI_ERR_NO_MEM;
    int code = buffer == MPI_BOTTOM
                   ? by_message(buffer, count, type, *packed, (int)size, MPI_PACKED)
                   : carried.below.pack(buffer, count, type, *packed, (int)size, &position, context_alone);
    if (code != MPI_SUCCESS) {
        free(*packed);
        *packed = NULL;
    }
    return code;
}

int carried_unpack(const void *bytes, size_t size, const struct carried *into)
{
    int one = 0, position = 0;
    if (size == 0)
        return MPI_SUCCESS;
    if (size > INT_MAX)
        return MPI_ERR_COUNT;
    carried.below.type_size(into->type, &one);
    if (into->buffer == MPI_BOTTOM || one == 0 || size % (size_t)one != 0)
        return by_message(bytes, (int)size, MPI_PACKED, into->buffer, into->count, into->type);
    return carried.below.unpack(bytes, (int)size, &position, into->buffer, (int)(size / (size_t)one), into->type,
                                context_alone);
}
