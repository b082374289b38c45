/* lock.h: the locks of the layer, in the order in which a thread takes them: a thread that holds a lock takes only locks that stand further
 * down. `lock_try` may be called at any time, since it does not wait.
 *
 * Builds with KNELL_CHECK_LOCKS (all presets but release and deb) end the process with both names when a thread breaks the order. */
#ifndef KNELL_MPI_BASE_LOCK_H
#define KNELL_MPI_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

/* X(name, what it protects) */
#define LOCKS(X)                                                                                                   \
    X(ACKNOWLEDGE, "how many failures of a communicator are acknowledged: ulfm/ulfm.c")                            \
    X(TASKS, "the tasks behind requests; held while they are advanced: request/request.c")                         \
    X(GROUP_CALLS, "how often communicators were asked for the same new one: create/unborn.c")                     \
    X(LETTERS, "letters on their way, and those that have come: create/letter.c")                                  \
    X(BUFFERED, "buffered sends, and the room that is attached: p2p/buffered.c")                                   \
    X(NOTICES, "notices on their way out and in; held while one is heard: abandon/notice.c")                       \
    X(DRAIN, "what other processes want taken: abandon/drain.c")                                                   \
    X(MATCHING, "messages taken off their context, and receives that the layer matches: p2p/matching.h")           \
    X(OUT, "which members are out of which collectives: coll/out.c")                                               \
    X(DISCARD, "messages that are taken and thrown away: abandon/discard.c")                                       \
    X(SHIELD, "how often faults are paused: inject/shield.c")                                                      \
    X(FLIP, "copies with wrong bits that requests still read: inject/flip.c")                                      \
    X(CARRY, "messages of agreements on the MPI below: detector/carry.c")                                          \
    X(TOLD, "may deaths that others know of still be told to the detector? detector/told.c")                       \
    X(RUNTIME, "the detector's own lock: held while it tells the layer something: detector/side.c")                \
    X(COMM, "the list of communicators, writing the table of handles: comm/comm.c")                                \
    X(FILES, "the table of files: file/table.c")                                                                   \
    X(WINDOWS, "the table of windows, and making native ones: window/table.c")                                     \
    X(PAST, "communicators that are freed here and perhaps not elsewhere: comm/past.c")                            \
    X(AGREE, "agreements under way: detector/agree.c")                                                             \
    X(CARRIED, "messages of this host and their requests; with threads only: carried/state.h")                     \
    X(CONTEXT, "slots that are free, held or offered: context/context.c")                                          \
    X(REQUESTS, "what requests stand for, nonblocking receives among them; with threads only: request/request.c")  \
    X(KEPT, "datatypes and operations that nonblocking collectives still use: request/kept.c")                     \
    X(COPY, "messages of this process to itself: request/copy.c")                                                  \
    X(RECORD, "room and stacks of the record of calls; stacks with threads only: record/calls.c, record/stacks.c") \
    X(HANDLER, "functions of the program's error handlers: error/handler.c")                                       \
    X(INJECT, "the desk, while a thread is held at a call, or within one: inject/inject.c")                        \
    X(VARIABLES, "variables that the program has registered: inject/variables.c")

enum lock {
#define LOCK_NUMBER(name, protects) LOCK_##name,
    LOCKS(LOCK_NUMBER)
#undef LOCK_NUMBER
        LOCK_END
};

/* Each in a cache line of its own. */
struct lock_line {
    _Alignas(64) pthread_mutex_t mutex;
};
extern struct lock_line lock_line[LOCK_END];

/* Bit by bit, those that this thread has. */
_Static_assert(LOCK_END <= 32, "a thread's locks are the bits of an unsigned");
extern _Thread_local unsigned lock_held __attribute__((tls_model("initial-exec")));

static inline bool lock_is_mine(enum lock lock)
{
    return lock_held >> lock & 1;
}

static inline void lock_note_taken(enum lock lock)
{
    lock_held |= 1u << lock;
}

static inline void lock_note_given(enum lock lock)
{
    lock_held &= ~(1u << lock);
}

#ifdef KNELL_CHECK_LOCKS
/* This thread may take the lock now. */
void lock_check(enum lock lock);
#else
static inline void lock_check(enum lock lock)
{
    (void)lock;
}
#endif

static inline void lock_take(enum lock lock)
{
    lock_check(lock);
    pthread_mutex_lock(&lock_line[lock].mutex);
    lock_note_taken(lock);
}

/* False: another thread has it, or this one. */
static inline bool lock_try(enum lock lock)
{
    if (pthread_mutex_trylock(&lock_line[lock].mutex) != 0)
        return false;
    lock_note_taken(lock);
    return true;
}

static inline void lock_give(enum lock lock)
{
    lock_note_given(lock);
    pthread_mutex_unlock(&lock_line[lock].mutex);
}

#endif
