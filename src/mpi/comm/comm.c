/* comm.c: see comm.h. */
#include "mpi/comm/comm.h"
#include "mpi/base/lock.h"
#include "mpi/comm/native_group.h"
#include "mpi/comm/past.h"
#include "mpi/comm/table.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct comm comm_world, comm_self;
_Atomic bool comm_ever_troubled;

enum { ENDERS_MOST = 4 };

static struct {
    struct comm *all; /* LOCK_COMM */
    MPI_Comm pristine;
    void (*forget_at_end[ENDERS_MOST])(const struct comm *comm);
    int enders;
} comms;

void comm_at_end(void (*forget)(const struct comm *comm))
{
    assert(comms.enders < ENDERS_MOST);
    comms.forget_at_end[comms.enders++] = forget;
}

/* ---- life ------------------------------------------------------------------------------------------------------------------ */

MPI_Comm comm_handle_make(void)
{
    MPI_Comm made;
    if (native.comm_dup(comms.pristine, &made) != MPI_SUCCESS)
        layer_die("the MPI cannot duplicate MPI_COMM_SELF");
    return made;
}

static void fill_group(struct comm *comm, const struct comm_group *group)
{
    int members = group->size + group->local;
    int *process_of = malloc((size_t)members * sizeof *process_of);
    int *rank_of = malloc((size_t)self.processes * sizeof *rank_of);
    if (!process_of || !rank_of)
        layer_die("out of memory");
    for (int i = 0; i < self.processes; i++)
        rank_of[i] = -1;
    for (int i = 0; i < members; i++) {
        process_of[i] = group->process[i];
        rank_of[process_of[i]] = i;
    }
    comm->size = group->size;
    comm->local = group->local;
    comm->members = members;
    comm->process_of = process_of;
    comm->rank_of = rank_of;
    comm->rank = rank_of[self.process] - (group->local > 0 ? group->size : 0);
}

static void add_handles(struct comm *comm)
{
    if (comm->handle != MPI_COMM_NULL)
        table_add(comm->handle, comm);
    if (comm->store != comm->handle && comm->store != MPI_COMM_NULL)
        table_add(comm->store, comm);
    if (comm->errors != comm->handle && comm->errors != MPI_COMM_NULL)
        table_add(comm->errors, comm);
}

/* What a death means for the communicator. */
static void note_death(struct comm *comm, int process)
{
    int64_t none = 0;
    bool member = comm->rank_of[process] >= 0;
    if (member) {
        atomic_compare_exchange_strong(&comm->failed_ns, &none, knell__clock_now());
        atomic_fetch_or(&comm->trouble, COMM_DEAD);
    }
    if (comm->hints.range == HINTS_RANGE_UNIVERSE || (member && comm->hints.range == HINTS_RANGE_GROUP))
        atomic_fetch_or(&comm->trouble, COMM_REVOKED);
}

/* In the list first, then the deaths that came before: one that comes meanwhile is seen here or there. */
static void publish(struct comm *comm)
{
    lock_take(LOCK_COMM);
    comm->next = comms.all;
    comms.all = comm;
    add_handles(comm);
    lock_give(LOCK_COMM);
    for (int i = 0; i < side_deaths(); i++)
        note_death(comm, side_death_at(i));
    if (comm->id != KNELL_WORLD && side_group(comm->id, comm->process_of, comm->members) != 0)
        layer_die("the detector refuses a group of %d processes", comm->members);
}

static void make(struct comm *comm, const struct comm_group *group, uint64_t id, const struct place *place)
{
    fill_group(comm, group);
    comm->place = place ? *place : (struct place){.slot = -1};
    comm->id = id;
    atomic_store(&comm->references, 1);
}

static void make_fixed(struct comm *comm, const int *process, int size, uint64_t id, int slot, MPI_Comm handle)
{
    struct place place = place_fixed(slot);
    make(comm, &(struct comm_group){process, size, 0}, id, &place);
    comm->handle = handle;
    comm->store = comm_handle_make();
    comm->errors = comm_handle_make();
    publish(comm);
}

void comm_make_predefined(void)
{
    int *process = malloc((size_t)self.processes * sizeof *process);
    if (!process || native.comm_dup(MPI_COMM_SELF, &comms.pristine) != MPI_SUCCESS)
        layer_die("out of memory");
    native.comm_set_errhandler(comms.pristine, MPI_ERRORS_RETURN);
    for (int i = 0; i < self.processes; i++)
        process[i] = i;
    native_group_begin();
    make_fixed(&comm_world, process, self.processes, KNELL_WORLD, 0, MPI_COMM_WORLD);
    make_fixed(&comm_self, &self.process, 1, UINT64_MAX, 1, MPI_COMM_SELF);
    free(process);
}

struct comm *comm_new(const struct comm_group *group, uint64_t id, const struct place *place, MPI_Comm handle)
{
    struct comm *comm = calloc(1, sizeof *comm);
    if (!comm)
        layer_die("out of memory");
    make(comm, group, id, place);
    comm->handle = comm->store = comm->errors = handle;
    publish(comm);
    return comm;
}

void comm_settle(struct comm *comm, const struct place *place, MPI_Comm handle)
{
    lock_take(LOCK_COMM);
    comm->place = *place;
    comm->handle = comm->store = comm->errors = handle;
    add_handles(comm);
    lock_give(LOCK_COMM);
}

void comm_hold(struct comm *comm)
{
    if (comm != &comm_world) /* which is there for ever */
        atomic_fetch_add_explicit(&comm->references, 1, memory_order_relaxed);
}

static void unlist(struct comm *comm)
{
    lock_take(LOCK_COMM);
    for (struct comm **at = &comms.all; *at; at = &(*at)->next)
        if (*at == comm) {
            *at = comm->next;
            break;
        }
    lock_give(LOCK_COMM);
}

void comm_unhandle(struct comm *comm)
{
    lock_take(LOCK_COMM);
    table_remove(comm->handle, comm);
    comm->handle = comm->store = comm->errors = MPI_COMM_NULL;
    lock_give(LOCK_COMM);
}

int comm_count(void)
{
    int count = 0;
    lock_take(LOCK_COMM);
    for (const struct comm *comm = comms.all; comm; comm = comm->next)
        count += comm->handle != MPI_COMM_NULL && !comm->owner && comm != &comm_world && comm != &comm_self;
    lock_give(LOCK_COMM);
    return count;
}

void comm_release(struct comm *comm)
{
    if (comm == &comm_world || atomic_fetch_sub(&comm->references, 1) > 1)
        return;
    unlist(comm);
    for (int i = 0; i < comms.enders; i++)
        comms.forget_at_end[i](comm);
    if (comm->place.slot >= 0)
        place_free(&comm->place, comm_trouble(comm) != 0);
    topology_release(comm->topology);
    comm->topology = NULL;
    past_keep(comm);
}

/* ---- failures ---------------------------------------------------------------------------------------------------------------- */

/* From now on waiters also do what others ask for. */
static void troubled(void)
{
    if (!atomic_exchange(&comm_ever_troubled, true))
        atomic_fetch_add(&layer_tasks, 1);
}

void comm_note_failure(int process)
{
    lock_take(LOCK_COMM);
    for (struct comm *comm = comms.all; comm; comm = comm->next)
        note_death(comm, process);
    troubled();
    lock_give(LOCK_COMM);
}

void comm_hint(struct comm *comm, const struct hints *hints)
{
    lock_take(LOCK_COMM);
    comm->hints = *hints;
    for (int i = 0; i < side_deaths(); i++)
        note_death(comm, side_death_at(i));
    lock_give(LOCK_COMM);
}

void comm_note_revoke(uint64_t id)
{
    lock_take(LOCK_COMM);
    for (struct comm *comm = comms.all; comm; comm = comm->next)
        if (comm->id == id)
            atomic_fetch_or(&comm->trouble, COMM_REVOKED);
    troubled();
    lock_give(LOCK_COMM);
}

/* ---- on the wire -------------------------------------------------------------------------------------------------------------- */

static const struct comm *find_on_wire(int wire)
{
    const struct comm *comm = comms.all;
    while (comm && (comm->place.slot < 0 || comm->place.wire != wire))
        comm = comm->next;
    return comm;
}

bool comm_is_on_wire(int wire)
{
    lock_take(LOCK_COMM);
    bool found = find_on_wire(wire) != NULL;
    lock_give(LOCK_COMM);
    return found;
}

/* Where there is trouble, no further collective begins. */
bool comm_collects(int wire)
{
    lock_take(LOCK_COMM);
    const struct comm *comm = find_on_wire(wire);
    bool collects = comm && (atomic_load(&comm->under_way) > 0 || !(comm_trouble(comm) & (COMM_DEAD | COMM_REVOKED)));
    lock_give(LOCK_COMM);
    return collects;
}

int comm_failed(const struct comm *comm, int *process, int room)
{
    int count = 0;
    for (int i = 0, known = side_deaths(); i < known; i++)
        if (comm->rank_of[side_death_at(i)] >= 0) {
            if (count < room)
                process[count] = side_death_at(i);
            count++;
        }
    return count;
}

/* Messages come from the group that process_of begins with. */
bool comm_lacks_sender(const struct comm *comm)
{
    int acked = comm->acked;
    for (int i = 0, count = 0, known = side_deaths(); i < known; i++) {
        int rank = comm->rank_of[side_death_at(i)];
        if (rank >= 0 && count++ >= acked && rank < comm->size)
            return true;
    }
    return false;
}
