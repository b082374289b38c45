/* request.c: see request.h. The table: open addressing with linear probing and backward shift; its lock is taken with
 * MPI_THREAD_MULTIPLE only. Then tasks, whose lock is always taken. */
#include "mpi/request/request.h"
#include "mpi/base/lock.h"
#include "mpi/native/native.h"
#include "mpi/request/kept.h"
#include "mpi/request/persistent.h"

#include <stdlib.h>
#include <string.h>

enum { SERVE_EVERY = 8 };

/* LOCK_REQUESTS. */
static struct {
    struct request *entry; /* comm NULL: free */
    size_t mask, used;
    uint32_t last_number;
} table;

static void enter(void)
{
    if (RARELY(self.threads))
        lock_take(LOCK_REQUESTS);
}

static void leave(void)
{
    if (RARELY(self.threads))
        lock_give(LOCK_REQUESTS);
}

static size_t hash(MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & table.mask;
}

/* Where it is, or the free place where it would be. */
static size_t look(MPI_Request handle)
{
    size_t at = hash(handle);
    while (table.entry[at].comm && table.entry[at].handle != handle)
        at = (at + 1) & table.mask;
    return at;
}

static void grow(void)
{
    struct request *old = table.entry;
    size_t room = table.entry ? table.mask + 1 : 0, larger = room ? 2 * room : 64;
    table.entry = calloc(larger, sizeof *table.entry);
    if (!table.entry)
        layer_die("out of memory for requests");
    table.mask = larger - 1;
    for (size_t i = 0; i < room; i++)
        if (old[i].comm)
            table.entry[look(old[i].handle)] = old[i];
    free(old);
}

/* Field by field: a struct made elsewhere would be read as a whole just after it was written in pieces, which is slow. */
static void put(MPI_Request handle, enum request_kind kind, int peer, struct comm *comm, int tag, void *behind)
{
    comm_hold(comm);
    enter();
    if (RARELY(2 * table.used >= table.mask))
        grow();
    struct request *at = &table.entry[look(handle)];
    struct comm *before = at->comm;
    table.used += !before;
    at->handle = handle;
    at->kind = kind;
    at->number = ++table.last_number;
    at->peer = peer;
    at->comm = comm;
    if (behind)
        at->behind = behind;
    else
        at->tag = tag;
    leave();
    if (RARELY(before))
        comm_release(before); /* completed by a call the layer does not see */
}

void request_put(MPI_Request handle, enum request_kind kind, int peer, struct comm *comm, int tag)
{
    put(handle, kind, peer, comm, tag, NULL);
}

void request_put_persistent(MPI_Request handle, struct comm *comm, struct persistent *persistent)
{
    put(handle, REQUEST_PERSISTENT, PEER_ALL, comm, 0, persistent);
}

bool request_get(MPI_Request handle, struct request *request)
{
    bool found = false;
    enter();
    if (LIKELY(table.entry != NULL)) {
        size_t at = look(handle);
        *request = table.entry[at];
        request->place = (uint32_t)at;
        found = request->comm != NULL;
    }
    leave();
    return found;
}

static bool is(const struct request *at, const struct request *known)
{
    return at->comm && at->number == known->number && at->handle == known->handle;
}

/* Those behind it move up, unless they are where they belong. */
static void close_gap(size_t gap)
{
    for (size_t at = (gap + 1) & table.mask; table.entry[at].comm; at = (at + 1) & table.mask) {
        size_t home = hash(table.entry[at].handle);
        if (((at - home) & table.mask) < ((at - gap) & table.mask))
            continue;
        table.entry[gap] = table.entry[at];
        gap = at;
    }
    table.entry[gap].comm = NULL;
    table.used--;
}

void request_drop(const struct request *known)
{
    struct comm *comm = NULL;
    enter();
    size_t at = known->place & table.mask;
    if (RARELY(!is(&table.entry[at], known)))
        at = look(known->handle); /* others came or went meanwhile */
    if (LIKELY(is(&table.entry[at], known))) {
        comm = table.entry[at].comm;
        close_gap(at);
    }
    leave();
    if (comm)
        comm_release(comm);
}

int request_count(void)
{
    enter();
    int count = (int)table.used;
    leave();
    return count;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------------- */

static struct {
    struct task *first; /* LOCK_TASKS */
    bool (*serve)(void);
} tasks;

static int token_query(void *state, MPI_Status *status)
{
    const struct task *task = state;
    native.status_set_elements(status, MPI_BYTE, 0);
    native.status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    if (task->fill)
        task->fill(task, status);
    return MPI_SUCCESS;
}

static int token_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int token_cancel(void *state, int complete)
{
    struct task *task = state;
    if (!complete && task->cancel)
        task->cancel(task);
    return MPI_SUCCESS;
}

static int start_token(struct comm *comm, struct task *task, MPI_Request *handle)
{
    int code = native.grequest_start(token_query, token_free, token_cancel, task, handle);
    if (code != MPI_SUCCESS)
        return code;
    task->handle = *handle;
    put(*handle, REQUEST_TASK, task->any_source ? PEER_ANY : PEER_ALL, comm, 0, task);
    return MPI_SUCCESS;
}

int request_token(struct comm *comm, struct task *task, MPI_Request *handle)
{
    task->over = task->detached = false;
    int code = start_token(comm, task, handle);
    if (code != MPI_SUCCESS)
        return code;
    lock_take(LOCK_TASKS);
    task->next = tasks.first;
    tasks.first = task;
    atomic_fetch_add(&layer_tasks, 1);
    lock_give(LOCK_TASKS);
    return MPI_SUCCESS;
}

static void forget(struct task *task)
{
    struct request known;
    if (request_get(task->handle, &known))
        request_drop(&known);
    native.request_free(&(MPI_Request){task->handle});
    task->release(task);
}

/* The token completes natively too, so that a native test of it says so. From then on another thread may end the task. */
static void finish(struct task **at, int code)
{
    struct task *task = *at;
    MPI_Request handle = task->handle;
    bool detached = task->detached;
    *at = task->next;
    atomic_fetch_sub(&layer_tasks, 1);
    task->code = code;
    atomic_store_explicit(&task->over, true, memory_order_release);
    native.grequest_complete(handle);
    if (detached)
        forget(task);
}

int request_detach(MPI_Request *handle)
{
    struct request known;
    if (!request_get(*handle, &known))
        return native.request_free(handle);
    if (known.kind == REQUEST_PERSISTENT)
        return persistent_free(&known, handle);
    if (known.kind != REQUEST_TASK) {
        request_drop(&known);
        return native.request_free(handle);
    }
    lock_take(LOCK_TASKS);
    if (known.task->over)
        forget(known.task);
    else
        known.task->detached = true;
    lock_give(LOCK_TASKS);
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

void task_serve_by(bool (*by)(void))
{
    tasks.serve = by;
}

/* Every few turns is soon enough for the others, and costs a waiter little. No task: it goes on while a task waits. */
static void serve_others(void)
{
    static _Thread_local unsigned turns __attribute__((tls_model("initial-exec")));
    if (turns++ % SERVE_EVERY == 0)
        tasks.serve();
}

void task_advance_all(void)
{
    serve_others();
    if (!lock_try(LOCK_TASKS))
        return; /* another thread, or a task of this one that waits */
    for (struct task **at = &tasks.first; *at;) {
        bool done = false;
        struct task *task = *at;
        int code = task->advance(task, &done);
        if (done)
            finish(at, code);
        else
            at = &task->next;
    }
    lock_give(LOCK_TASKS);
    kept_free();
}

/* ---- requests whose end is known ------------------------------------------------------------------------------------------ */

struct settled {
    struct task task;
    MPI_Status status;
};

static void settled_fill(const struct task *task, MPI_Status *status)
{
    *status = ((const struct settled *)task)->status;
    status->MPI_ERROR = MPI_SUCCESS; /* of the query, not of the operation */
}

static void settled_release(struct task *task)
{
    free(task);
}

int request_settled(struct comm *comm, int code, const MPI_Status *status, MPI_Request *handle)
{
    struct settled *made = calloc(1, sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->task = (struct task){.release = settled_release, .code = code, .over = true};
    if (status) {
        made->status = *status;
        made->task.fill = settled_fill;
    }
    int refused = start_token(comm, &made->task, handle);
    if (refused != MPI_SUCCESS)
        free(made);
    else
        native.grequest_complete(*handle);
    return refused;
}
