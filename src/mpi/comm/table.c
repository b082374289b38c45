/* table.c: see table.h. Open addressing with linear probing. Entries are filled and emptied in place: the
 * communicator first, the handle after, and a reader looks at them the other way round, so it never sees half of one. A
 * larger table takes the place of one that fills up; the old one stays, since a reader may be in it. All that stay are together
 * smaller than the one in use. */
#include "mpi/comm/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

struct entry {
    _Atomic(MPI_Comm) handle;    /* MPI_COMM_NULL: emptied */
    _Atomic(struct comm *) comm; /* NULL: never filled, the end of a chain */
};

struct table {
    size_t mask;
    size_t filled; /* once; emptied ones count */
    struct table *older;
    struct entry entry[];
};

static _Atomic(struct table *) table;

static size_t place_of(const struct table *in, MPI_Comm handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & in->mask;
}

struct comm *comm_find(MPI_Comm handle)
{
    const struct table *in = atomic_load_explicit(&table, memory_order_acquire);
    if (!in || handle == MPI_COMM_NULL)
        return NULL;
    for (size_t at = place_of(in, handle);; at = (at + 1) & in->mask) {
        MPI_Comm found = atomic_load_explicit(&in->entry[at].handle, memory_order_acquire);
        struct comm *comm = atomic_load_explicit(&in->entry[at].comm, memory_order_relaxed);
        if (!comm || found == handle)
            return comm;
    }
}

/* The entry of this handle; else the first one on its way that may be filled. A handle may still be there: the MPI below gives
 * it out again as soon as it is freed, which is before it is removed here. */
static struct entry *entry_for(struct table *in, MPI_Comm handle)
{
    struct entry *empty = NULL;
    for (size_t at = place_of(in, handle);; at = (at + 1) & in->mask) {
        struct entry *entry = &in->entry[at];
        if (entry->comm && entry->handle == handle)
            return entry;
        if (!empty && (!entry->comm || entry->handle == MPI_COMM_NULL))
            empty = entry;
        if (!entry->comm)
            return empty;
    }
}

static void fill(struct table *in, MPI_Comm handle, struct comm *comm)
{
    struct entry *entry = entry_for(in, handle);
    in->filled += !entry->comm;
    atomic_store_explicit(&entry->comm, comm, memory_order_relaxed);
    atomic_store_explicit(&entry->handle, handle, memory_order_release);
}

static struct table *make(size_t room)
{
    struct table *made = calloc(1, sizeof *made + room * sizeof made->entry[0]);
    if (!made)
        layer_die("out of memory for communicators");
    made->mask = room - 1;
    return made;
}

static struct table *larger(struct table *old)
{
    struct table *made = make(2 * (old->mask + 1));
    made->older = old;
    for (size_t at = 0; at <= old->mask; at++)
        if (old->entry[at].comm && old->entry[at].handle != MPI_COMM_NULL)
            fill(made, old->entry[at].handle, old->entry[at].comm);
    return made;
}

void table_add(MPI_Comm handle, struct comm *comm)
{
    struct table *in = atomic_load(&table);
    struct table *roomy = !in ? make(FIRST_ROOM) : 2 * in->filled > in->mask ? larger(in) : in;
    fill(roomy, handle, comm);
    atomic_store_explicit(&table, roomy, memory_order_release);
}

void table_remove(MPI_Comm handle, const struct comm *comm)
{
    struct entry *entry = entry_for(atomic_load(&table), handle);
    if (entry->handle == handle && entry->comm == comm)
        atomic_store_explicit(&entry->handle, MPI_COMM_NULL, memory_order_release);
}
