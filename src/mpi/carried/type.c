/* type.c: datatypes: what lies in one piece goes as it is, everything else is packed and unpacked by the MPI below.
 *
 * The MPI's own datatypes are never freed, so what they are is asked once. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 64, PLACES = 4 };

/* A type is at one of its places, or at none if they were full. What is there stays. */
static struct {
    _Atomic(MPI_Datatype) type; /* stored last */
    int size;
} known[KNOWN];

static unsigned place_of(MPI_Datatype type, unsigned number)
{
    uint64_t key = 0;
    memcpy(&key, &type, sizeof type);
    return ((unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 58) + number) % KNOWN;
}

void carried_types_begin(void)
{
    for (int i = 0; i < KNOWN; i++)
        atomic_store(&known[i].type, MPI_DATATYPE_NULL);
}

/* -1: not known. */
static inline int known_size(MPI_Datatype type)
{
    for (unsigned i = 0; i < PLACES; i++) {
        unsigned at = place_of(type, i);
        if (LIKELY(atomic_load_explicit(&known[at].type, memory_order_acquire) == type))
            return known[at].size;
    }
    return -1;
}

static void remember(MPI_Datatype type, int size)
{
    carried_enter();
    for (unsigned i = 0; i < PLACES; i++) {
        unsigned at = place_of(type, i);
        if (atomic_load_explicit(&known[at].type, memory_order_relaxed) != MPI_DATATYPE_NULL)
            continue;
        known[at].size = size;
        atomic_store_explicit(&known[at].type, type, memory_order_release);
        break;
    }
    carried_leave();
}

/* One of the MPI's own, in one piece. */
RARE static bool learn(MPI_Datatype type, MPI_Count size)
{
    int integers, addresses, types, combiner;
    MPI_Aint lower, extent;
    if (carried.below.type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED || carried.below.type_get_extent(type, &lower, &extent) != MPI_SUCCESS ||
        lower != 0 || extent != size)
        return false;
    if (known_size(type) < 0)
        remember(type, (int)size);
    return true;
}

int carried_type(MPI_Datatype type, int count, size_t *size, bool *plain)
{
    MPI_Count one;
    if (RARELY(count < 0))
        return MPI_ERR_COUNT;
    if (RARELY(type == MPI_DATATYPE_NULL))
        return MPI_ERR_TYPE;
    int known_one = known_size(type);
    if (LIKELY(known_one >= 0)) {
        *size = (size_t)count * (size_t)known_one;
        *plain = true;
        return MPI_SUCCESS;
    }
    if (carried.below.type_size_x(type, &one) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    if (one > INT_MAX)
        return MPI_ERR_COUNT; /* MPI_Pack has no room for it */
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

/* The MPI's pack counts bytes in an int: what is longer goes in parts of whole elements. */
struct parts {
    int at_most; /* elements */
    size_t one;  /* bytes of one, packed */
    MPI_Aint extent;
};

static struct parts parts_of(MPI_Datatype type)
{
    struct parts parts = {.at_most = INT_MAX};
    MPI_Aint lower;
    int one;
    carried.below.type_size(type, &one);
    carried.below.type_get_extent(type, &lower, &parts.extent);
    parts.one = (size_t)one;
    if (one > 0)
        parts.at_most = INT_MAX / one;
    return parts;
}

/* MPI_BOTTOM is NULL, and addresses may go beyond what C calls an object. */
static void *element(const void *buffer, int number, const struct parts *parts)
{
    return (void *)((intptr_t)buffer + number * parts->extent);
}

static int pack_part(const void *from, int count, MPI_Datatype type, void *into, int size)
{
    int position = 0;
    if (from == MPI_BOTTOM)
        return by_message(from, count, type, into, size, MPI_PACKED);
    return carried.below.pack(from, count, type, into, size, &position, context_alone);
}

int carried_pack(const void *buffer, int count, MPI_Datatype type, size_t size, void **packed)
{
    struct parts parts = parts_of(type);
    int code = MPI_SUCCESS;
    char *into = malloc(size ? size : 1);
    if (!into)
        return MPI_ERR_NO_MEM;
    for (int done = 0, now; done < count && size > 0 && code == MPI_SUCCESS; done += now) {
        now = count - done < parts.at_most ? count - done : parts.at_most;
        code = pack_part(element(buffer, done, &parts), now, type, into + (size_t)done * parts.one,
                         (int)((size_t)now * parts.one));
    }
    if (code != MPI_SUCCESS)
        free(into);
    *packed = code == MPI_SUCCESS ? into : NULL;
    return code;
}

/* `count`: elements that are there for `size` bytes, of which the last may end in the middle of one. */
static int unpack_part(const void *bytes, int size, void *into, int count, MPI_Datatype type, size_t one)
{
    int position = 0;
    if (into == MPI_BOTTOM || (size_t)size % one != 0)
        return by_message(bytes, size, MPI_PACKED, into, count, type);
    return carried.below.unpack(bytes, size, &position, into, (int)((size_t)size / one), type, context_alone);
}

int carried_unpack(const void *bytes, size_t size, const struct carried *into)
{
    struct parts parts = parts_of(into->type);
    int code = MPI_SUCCESS;
    size_t most = (size_t)parts.at_most * parts.one, part;
    if (size == 0 || parts.one == 0)
        return MPI_SUCCESS;
    for (size_t done = 0; done < size && code == MPI_SUCCESS; done += part) {
        int number = (int)(done / parts.one);
        part = size - done < most ? size - done : most;
        code = unpack_part((const char *)bytes + done, (int)part, element(into->buffer, number, &parts),
                           into->count - number, into->type, parts.one);
    }
    return code;
}
