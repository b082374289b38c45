/* turn.c: how members of a window wait for each other, by words in the memory they share. Nobody waits for a process that is gone.
 *
 * The lock of a target is Lamport's bakery: who wants it takes a ticket and writes it into a word of its own; who has the lowest, or
 * conflicts with none that is lower, has the lock. So it is had in order of arrival, and a dead process needs no repair: its word does
 * not count any more. Nobody else ever writes it. */
#include "mpi/detector/neighbours.h"
#include "mpi/window/window.h"

/* A request: 0 for none; a ticket is being taken; the ticket with the kind of lock below it. */
enum { CHOOSING = 1, SHARED = 2, EXCLUSIVE = 3, KIND = 3, KIND_BITS = 2 };

/* A process that is stopped, and was taken for dead, may not come to rest before it is ended. */
enum { STOPPED_MS = 2000 };

/* ---- who is gone ------------------------------------------------------------------------------------------------------------- */

/* Does a dead process do nothing any more? The detector may know of a kill before its threads have ended. `since`: 0 at first. */
static bool has_ended(int process, int64_t *since)
{
    if (!side_is_dead(process))
        return false;
    if (!neighbour_is_at_work(process))
        return true;
    if (*since == 0)
        *since = now_ms();
    return now_ms() - *since > STOPPED_MS;
}

/* A ghost has left the program, though its process works. */
static bool is_gone(int process, int64_t *since)
{
    return self.ghosts ? side_is_dead(process) : has_ended(process, since);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------------------- */

/* Those who wait for this process to pass on their messages may be the ones that it waits for. */
static void let_messages_pass(void)
{
    int found;
    native.iprobe(self.process, context_notices_tag(), context_wire, &found, MPI_STATUS_IGNORE);
}

int turn_idle(struct op *op, unsigned *turns)
{
    if (op->code != MPI_SUCCESS || op_hit(op))
        return op->code;
    if (*turns >= WAIT_SPINS)
        let_messages_pass();
    wait_idle_op(turns, op);
    return MPI_SUCCESS;
}

/* ---- the lock of a target ---------------------------------------------------------------------------------------------------- */

static _Atomic uint64_t *request_of(const struct window *window, int target, int rank)
{
    return &window->control.request[(size_t)target * (size_t)window->comm->size + (size_t)rank];
}

static bool is_before(uint64_t other, uint64_t mine)
{
    if (other == 0 || other == CHOOSING)
        return other == CHOOSING;
    return other >> KIND_BITS < mine >> KIND_BITS && ((other & KIND) == EXCLUSIVE || (mine & KIND) == EXCLUSIVE);
}

static int wait_for_rank(struct window *window, int target, int rank, uint64_t mine, struct op *op)
{
    const _Atomic uint64_t *other = request_of(window, target, rank);
    int code = MPI_SUCCESS;
    int64_t since = 0;
    for (unsigned turns = 0; code == MPI_SUCCESS && is_before(atomic_load(other), mine);) {
        if (is_gone(window->comm->process_of[rank], &since))
            break;
        code = turn_idle(op, &turns);
    }
    return code;
}

int turn_take(struct window *window, int target, bool exclusive)
{
    const struct comm *comm = window->comm;
    struct op op = op_begin(window->comm, comm->process_of[target], REQUEST_TASK);
    _Atomic uint64_t *word = request_of(window, target, comm->rank);
    if (op.code != MPI_SUCCESS)
        return op.code;
    atomic_store(word, CHOOSING);
    uint64_t ticket = atomic_fetch_add(&window->control.target[target].tickets, 1) + 1;
    uint64_t mine = ticket << KIND_BITS | (exclusive ? EXCLUSIVE : SHARED);
    atomic_store(word, mine);
    for (int rank = 0; rank < comm->size && op.code == MPI_SUCCESS; rank++)
        if (rank != comm->rank && wait_for_rank(window, target, rank, mine, &op) != MPI_SUCCESS)
            turn_give(window, target);
    return op.code;
}

void turn_give(struct window *window, int target)
{
    atomic_store(request_of(window, target, window->comm->rank), 0);
}

/* ---- one at a time accumulates ------------------------------------------------------------------------------------------------- */

static bool take_from(_Atomic uint32_t *busy, uint32_t from)
{
    return atomic_compare_exchange_strong(busy, &from, (uint32_t)self.process + 1);
}

/* A ghost gives it back before it parks. */
void busy_take(struct window *window, int target)
{
    _Atomic uint32_t *busy = &window->control.target[target].busy;
    int64_t since = 0;
    for (unsigned turns = 0;; wait_idle_at(&turns, window->comm, window->comm->process_of[target], REQUEST_TASK)) {
        uint32_t holder = atomic_load(busy);
        bool is_free = holder == 0 || has_ended((int)holder - 1, &since);
        if (is_free && take_from(busy, holder))
            return;
    }
}

/* Unless it was taken away. */
void busy_give(struct window *window, int target)
{
    uint32_t mine = (uint32_t)self.process + 1;
    atomic_compare_exchange_strong(&window->control.target[target].busy, &mine, 0);
}
