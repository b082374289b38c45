/* comm.c: see comm.h. The table of handles is open addressing with linear probing; it is replaced as a whole when it grows
 * or a handle leaves, so that readers need no lock. */
#include "mpi/comm.h"
#include "mpi/anytag.h"
#include "mpi/native.h"
#include "mpi/request.h"
#include "mpi/side.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct knell__comm knell__world, knell__selfish;
_Atomic bool knell__ever_troubled;

/* ---- handle -> communicator --------------------------------------------------------------------------------------------------- */

struct table {
    struct table *older; /* readers may still be in it */
    size_t mask;
    struct {
        MPI_Comm handle;
        struct knell__comm *comm; /* NULL: free */
    } entry[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the list, the table; inside the runtime's lock */
static _Atomic(struct table *) table;
static struct knell__comm *all;
static MPI_Comm pristine;

static size_t hash(MPI_Comm handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

static void table_add(struct table *into, MPI_Comm handle, struct knell__comm *comm)
{
    size_t at = hash(handle) & into->mask;
    while (into->entry[at].comm)
        at = (at + 1) & into->mask;
    into->entry[at].handle = handle;
    into->entry[at].comm = comm;
}

/* Anew from the list. With threads a retired table is kept: a reader may be looking. */
static void table_rebuild(void)
{
    size_t count = 0, room = 16;
    for (struct knell__comm *c = all; c; c = c->next)
        count += 2;
    while (room < 2 * count)
        room *= 2;
    struct table *made = calloc(1, sizeof *made + room * sizeof made->entry[0]);
    if (!made)
        knell__die("out of memory");
    made->mask = room - 1;
    struct table *retired = atomic_load(&table);
    made->older = knell__self.threads ? retired : NULL;
    for (struct knell__comm *c = all; c; c = c->next) {
        if (c->handle != MPI_COMM_NULL)
            table_add(made, c->handle, c);
        if (c->store != c->handle && c->store != MPI_COMM_NULL)
            table_add(made, c->store, c);
    }
    atomic_store_explicit(&table, made, memory_order_release);
    if (!knell__self.threads)
        free(retired);
}

struct knell__comm *knell__comm_find(MPI_Comm handle)
{
    const struct table *now = atomic_load_explicit(&table, memory_order_acquire);
    if (!now || handle == MPI_COMM_NULL)
        return NULL;
    for (size_t at = hash(handle) & now->mask; now->entry[at].comm; at = (at + 1) & now->mask)
        if (now->entry[at].handle == handle)
            return now->entry[at].comm;
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------------------------------------ */

MPI_Comm knell__handle_make(void)
{
    MPI_Comm made;
    if (knell__native.comm_dup(pristine, &made) != MPI_SUCCESS)
        knell__die("the MPI cannot duplicate MPI_COMM_SELF");
    return made;
}

static void fill_group(struct knell__comm *comm, const int *process, int size)
{
    int *process_of = malloc((size_t)size * sizeof *process_of);
    int *rank_of = malloc((size_t)knell__self.processes * sizeof *rank_of);
    if (!process_of || !rank_of)
        knell__die("out of memory");
    for (int i = 0; i < knell__self.processes; i++)
        rank_of[i] = -1;
    for (int i = 0; i < size; i++) {
        process_of[i] = process[i];
        rank_of[process[i]] = i;
    }
    comm->size = size;
    comm->process_of = process_of;
    comm->rank_of = rank_of;
    comm->rank = rank_of[knell__self.process];
}

/* In the list first, then the deaths that came before: one that comes meanwhile is seen here or there. */
static void publish(struct knell__comm *comm)
{
    pthread_mutex_lock(&lock);
    comm->next = all;
    all = comm;
    table_rebuild();
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < knell__deaths(); i++)
        if (comm->rank_of[knell__death_at(i)] >= 0)
            atomic_fetch_or(&comm->trouble, KNELL__DEAD);
    if (comm->id != KNELL_WORLD && knell__side_group(comm->id, comm->process_of, comm->size) != 0)
        knell__die("the detector refuses a group of %d processes", comm->size);
}

static void make(struct knell__comm *comm, const int *process, int size, uint64_t id, const struct knell__place *place)
{
    fill_group(comm, process, size);
    comm->place = place ? *place : (struct knell__place){.slot = -1};
    comm->id = id;
    atomic_store(&comm->references, 1);
}

static void make_fixed(struct knell__comm *comm, const int *process, int size, uint64_t id, int slot, MPI_Comm handle)
{
    struct knell__place place = knell__place_fixed(slot);
    make(comm, process, size, id, &place);
    comm->handle = handle;
    comm->store = knell__handle_make();
    publish(comm);
}

void knell__comms_make(void)
{
    int *process = malloc((size_t)knell__self.processes * sizeof *process);
    if (!process || knell__native.comm_dup(MPI_COMM_SELF, &pristine) != MPI_SUCCESS)
        knell__die("out of memory");
    for (int i = 0; i < knell__self.processes; i++)
        process[i] = i;
    make_fixed(&knell__world, process, knell__self.processes, KNELL_WORLD, 0, MPI_COMM_WORLD);
    make_fixed(&knell__selfish, &knell__self.process, 1, UINT64_MAX, 1, MPI_COMM_SELF);
    free(process);
}

struct knell__comm *knell__comm_new(const int *process, int size, uint64_t id, const struct knell__place *place,
                                    MPI_Comm handle)
{
    struct knell__comm *comm = calloc(1, sizeof *comm);
    if (!comm)
        knell__die("out of memory");
    make(comm, process, size, id, place);
    comm->handle = comm->store = handle;
    publish(comm);
    return comm;
}

void knell__comm_settle(struct knell__comm *comm, const struct knell__place *place, MPI_Comm handle)
{
    pthread_mutex_lock(&lock);
    comm->place = *place;
    comm->handle = comm->store = handle;
    table_rebuild();
    pthread_mutex_unlock(&lock);
}

void knell__comm_hold(struct knell__comm *comm)
{
    atomic_fetch_add_explicit(&comm->references, 1, memory_order_relaxed);
}

static void unlist(struct knell__comm *comm)
{
    pthread_mutex_lock(&lock);
    for (struct knell__comm **at = &all; *at; at = &(*at)->next)
        if (*at == comm) {
            *at = comm->next;
            break;
        }
    table_rebuild();
    pthread_mutex_unlock(&lock);
}

void knell__comm_unhandle(struct knell__comm *comm)
{
    pthread_mutex_lock(&lock);
    comm->handle = comm->store = MPI_COMM_NULL;
    table_rebuild();
    pthread_mutex_unlock(&lock);
}

void knell__comm_release(struct knell__comm *comm)
{
    if (atomic_fetch_sub(&comm->references, 1) > 1)
        return;
    unlist(comm);
    if (comm->place.stamp)
        knell__anytag_forget(&comm->place);
    if (comm->place.slot >= 0)
        knell__place_free(&comm->place, knell__trouble(comm) != 0);
    free((void *)comm->process_of);
    free((void *)comm->rank_of);
    free(comm);
}

/* ---- failures ---------------------------------------------------------------------------------------------------------------- */

/* From now on waiters also do what others ask for. */
static void troubled(void)
{
    if (!atomic_exchange(&knell__ever_troubled, true))
        atomic_fetch_add(&knell__tasks_active, 1);
}

void knell__comms_failed(int process)
{
    pthread_mutex_lock(&lock);
    for (struct knell__comm *comm = all; comm; comm = comm->next)
        if (comm->rank_of[process] >= 0)
            atomic_fetch_or(&comm->trouble, KNELL__DEAD);
    troubled();
    pthread_mutex_unlock(&lock);
}

void knell__comms_revoked(uint64_t id)
{
    pthread_mutex_lock(&lock);
    for (struct knell__comm *comm = all; comm; comm = comm->next)
        if (comm->id == id)
            atomic_fetch_or(&comm->trouble, KNELL__REVOKED);
    troubled();
    pthread_mutex_unlock(&lock);
}

int knell__comm_failed(const struct knell__comm *comm, int *process, int room)
{
    int count = 0;
    for (int i = 0, known = knell__deaths(); i < known; i++)
        if (comm->rank_of[knell__death_at(i)] >= 0) {
            if (count < room)
                process[count] = knell__death_at(i);
            count++;
        }
    return count;
}
