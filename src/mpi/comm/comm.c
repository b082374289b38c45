/* comm.c: see comm.h. */
#include "mpi/comm/comm.h"
#include "mpi/comm/native_group.h"
#include "mpi/comm/past.h"
#include "mpi/comm/table.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct knell__comm knell__world, knell__selfish;
_Atomic bool knell__ever_troubled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the list, the table; inside the runtime's lock */
static struct knell__comm *all;
static MPI_Comm pristine;

enum { ENDERS_MOST = 4 };
static void (*forget_at_end[ENDERS_MOST])(const struct knell__comm *comm);
static int enders;

void knell__comm_at_end(void (*forget)(const struct knell__comm *comm))
{
    assert(enders < ENDERS_MOST);
    forget_at_end[enders++] = forget;
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

static void add_handles(struct knell__comm *comm)
{
    if (comm->handle != MPI_COMM_NULL)
        knell__table_add(comm->handle, comm);
    if (comm->store != comm->handle && comm->store != MPI_COMM_NULL)
        knell__table_add(comm->store, comm);
    if (comm->errors != comm->handle && comm->errors != MPI_COMM_NULL)
        knell__table_add(comm->errors, comm);
}

/* What a death means for the communicator. */
static void note_death(struct knell__comm *comm, int process)
{
    int64_t none = 0;
    bool member = comm->rank_of[process] >= 0;
    if (member) {
        atomic_compare_exchange_strong(&comm->failed_ns, &none, knell__now_ns());
        atomic_fetch_or(&comm->trouble, KNELL__DEAD);
    }
    if (comm->hints.range == KNELL__RANGE_UNIVERSE || (member && comm->hints.range == KNELL__RANGE_GROUP))
        atomic_fetch_or(&comm->trouble, KNELL__REVOKED);
}

/* In the list first, then the deaths that came before: one that comes meanwhile is seen here or there. */
static void publish(struct knell__comm *comm)
{
    pthread_mutex_lock(&lock);
    comm->next = all;
    all = comm;
    add_handles(comm);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < knell__deaths(); i++)
        note_death(comm, knell__death_at(i));
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
    comm->errors = knell__handle_make();
    publish(comm);
}

void knell__comms_make(void)
{
    int *process = malloc((size_t)knell__self.processes * sizeof *process);
    if (!process || knell__native.comm_dup(MPI_COMM_SELF, &pristine) != MPI_SUCCESS)
        knell__die("out of memory");
    knell__native.comm_set_errhandler(pristine, MPI_ERRORS_RETURN);
    for (int i = 0; i < knell__self.processes; i++)
        process[i] = i;
    knell__groups_make();
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
    comm->handle = comm->store = comm->errors = handle;
    publish(comm);
    return comm;
}

void knell__comm_settle(struct knell__comm *comm, const struct knell__place *place, MPI_Comm handle)
{
    pthread_mutex_lock(&lock);
    comm->place = *place;
    comm->handle = comm->store = comm->errors = handle;
    add_handles(comm);
    pthread_mutex_unlock(&lock);
}

void knell__comm_hold(struct knell__comm *comm)
{
    if (comm != &knell__world) /* which is there for ever */
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
    pthread_mutex_unlock(&lock);
}

void knell__comm_unhandle(struct knell__comm *comm)
{
    pthread_mutex_lock(&lock);
    knell__table_remove(comm->handle, comm);
    comm->handle = comm->store = comm->errors = MPI_COMM_NULL;
    pthread_mutex_unlock(&lock);
}

void knell__comm_release(struct knell__comm *comm)
{
    if (comm == &knell__world || atomic_fetch_sub(&comm->references, 1) > 1)
        return;
    unlist(comm);
    for (int i = 0; i < enders; i++)
        forget_at_end[i](comm);
    if (comm->place.slot >= 0)
        knell__place_free(&comm->place, knell__trouble(comm) != 0);
    knell__past_keep(comm);
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
        note_death(comm, process);
    troubled();
    pthread_mutex_unlock(&lock);
}

void knell__comm_hint(struct knell__comm *comm, const struct knell__hints *hints)
{
    pthread_mutex_lock(&lock);
    comm->hints = *hints;
    for (int i = 0; i < knell__deaths(); i++)
        note_death(comm, knell__death_at(i));
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

/* ---- on the wire -------------------------------------------------------------------------------------------------------------- */

static const struct knell__comm *find_on_wire(int wire)
{
    const struct knell__comm *comm = all;
    while (comm && (comm->place.slot < 0 || comm->place.wire != wire))
        comm = comm->next;
    return comm;
}

bool knell__comm_is_on_wire(int wire)
{
    pthread_mutex_lock(&lock);
    bool found = find_on_wire(wire) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Where there is trouble, no further collective begins. */
bool knell__comm_collects(int wire)
{
    pthread_mutex_lock(&lock);
    const struct knell__comm *comm = find_on_wire(wire);
    bool collects =
        comm && (atomic_load(&comm->under_way) > 0 || !(knell__trouble(comm) & (KNELL__DEAD | KNELL__REVOKED)));
    pthread_mutex_unlock(&lock);
    return collects;
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
