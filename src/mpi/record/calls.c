/* calls.c: see calls.h. A record is made by plain stores into a mapped file. Room is taken from the file system piece by piece before
 * it is written to: on a full one a store would be a SIGBUS. */
#include "mpi/record/calls.h"
#include "job/record.h"
#include "mpi/base/lock.h"
#include "mpi/base/settings.h"
#include "mpi/comm/comm.h"
#include "mpi/detector/side.h"
#include "mpi/inject/inject.h"
#include "mpi/record/groups.h"
#include "mpi/record/stacks.h"
#include "mpi/report/tell.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 4096, NESTED = 8 };

/* Set by calls_start, constant after; LOCK_RECORD where threads grow the file. */
static struct {
    int file;
    struct job_record_head *head;
    struct job_record_call *call;
} record = {.file = -1};

static _Atomic unsigned threads;

/* The calls that this thread is inside of, outermost first. */
static _Thread_local struct {
    unsigned depth;
    unsigned number; /* of the thread, from 1 on; 0: not given yet */
    struct job_record_call *call[NESTED];
} inside __attribute__((tls_model("initial-exec")));

/* ---- the file -------------------------------------------------------------------------------------------------------------- */

static bool take_room(uint64_t first, uint64_t count)
{
    return posix_fallocate(record.file, (off_t)(JOB_RECORD_CALLS_AT + first * sizeof *record.call),
                           (off_t)(count * sizeof *record.call)) == 0;
}

static bool map(bool stacks)
{
    size_t size = JOB_RECORD_CALLS_AT + (size_t)JOB_RECORD_CALLS * sizeof *record.call;
    record.file = tell_open_calls();
    if (record.file < 0 || ftruncate(record.file, (off_t)size) != 0 ||
        posix_fallocate(record.file, 0, JOB_RECORD_CALLS_AT) != 0 || !take_room(0, PIECE))
        return false;
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, record.file, 0);
    if (memory == MAP_FAILED)
        return false;
    record.head = (struct job_record_head *)memory;
    record.call = (struct job_record_call *)(memory + JOB_RECORD_CALLS_AT);
    record.head->rank = self.process;
    record.head->ranks = self.processes;
    atomic_store(&record.head->room, PIECE);
    stacks_start(record.head, stacks);
    record.head->magic = JOB_RECORD_MAGIC;
    return true;
}

void calls_start(void)
{
    const char *wanted = settings_get("KNELL_CALLS");
    if (!wanted || !tell_is_heard())
        return;
    if (map(strcmp(wanted, "stacks") == 0))
        atomic_fetch_or(&layer_attention, ATTENTION_RECORD);
    else
        layer_say("there is no memory for the record of calls: the calls of this rank are not recorded");
}

/* False: the file system is full, or this was the last piece. */
static bool grow(uint64_t wanted)
{
    bool has_room = false;
    lock_take(LOCK_RECORD);
    uint64_t room = atomic_load(&record.head->room);
    if (wanted < room)
        has_room = true;
    else if (room < JOB_RECORD_CALLS && take_room(room, PIECE)) {
        atomic_store(&record.head->room, room + PIECE);
        has_room = wanted < room + PIECE; /* after failures the numbers are further ahead */
    }
    lock_give(LOCK_RECORD);
    return has_room;
}

/* The next record; NULL: there is no room, and it is counted only. */
static struct job_record_call *next(void)
{
    uint64_t number = self.threads ? atomic_fetch_add_explicit(&record.head->calls, 1, memory_order_relaxed)
                                   : atomic_load_explicit(&record.head->calls, memory_order_relaxed);
    if (!self.threads)
        atomic_store_explicit(&record.head->calls, number + 1, memory_order_relaxed);
    if (RARELY(number >= atomic_load_explicit(&record.head->room, memory_order_relaxed)) && !grow(number))
        return NULL;
    return &record.call[number];
}

/* ---- a call ---------------------------------------------------------------------------------------------------------------- */

static void fill_comm(struct job_record_call *made, struct job_call_shape shape, const int64_t *arguments)
{
    const struct comm *comm = shape.comm ? comm_of((MPI_Comm)(intptr_t)arguments[shape.comm - 1]) : NULL;
    made->group = comm ? comm->id : 0;
    made->size = comm ? comm->size : 0;
    made->peer = shape.peer ? (int32_t)arguments[shape.peer - 1] : JOB_RECORD_NO_PEER;
}

void calls_begin(enum job_call call, const int64_t *arguments, unsigned count, const void *from)
{
    struct job_call_shape shape = job_call_shape(call);
    struct job_record_call *made = next();
    groups_begin(call, arguments, count);
    if (inside.depth < NESTED)
        inside.call[inside.depth] = made;
    inside.depth++;
    if (RARELY(inside.number == 0))
        inside.number = atomic_fetch_add(&threads, 1) + 1;
    if (!made)
        return;
    fill_comm(made, shape.comm <= count && shape.peer <= count ? shape : (struct job_call_shape){0}, arguments);
    made->stack = stacks_find(from);
    made->call = (uint16_t)call;
    made->deaths = (uint16_t)side_deaths();
    made->thread = (uint16_t)(inside.number - 1);
    made->begin = knell__clock_now(); /* last: from here on it is complete */
}

void calls_end(int code)
{
    if (inside.depth == 0)
        return;
    groups_end(code);
    struct job_record_call *made = --inside.depth < NESTED ? inside.call[inside.depth] : NULL;
    if (!made)
        return;
    made->code = code;
    unsigned posted = inject_posted();
    made->posted = (uint16_t)(posted < UINT16_MAX ? posted : UINT16_MAX);
    made->end = knell__clock_now();
}
