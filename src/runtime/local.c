/* local: this host. Heartbeats by the board, ends by the kernel, fencing by SIGKILL; docs/design/runtime.md.
 *
 * Each process watches the living one before it among those of its host. On one host that is its emitter on the ring; with
 * several hosts the ring leads elsewhere, and the pidfd sees what the ring would see delta later. */
#include "runtime/state.h"

#include <unistd.h>

enum { DOUBTS = 2 };

/* As the program has named it; else as it said itself. Several detectors in one process end together: there is nothing to
 * watch, and nobody to kill but oneself. */
struct knell__process knell__local_process(const struct knell_runtime *runtime, knell_rank rank)
{
    struct knell__process process = runtime->directory.member[rank].process;
    for (uint32_t i = 0; i < runtime->names; i++)
        if (runtime->named[i].rank == rank)
            return (struct knell__process){.pid = runtime->named[i].pid};
    return process.pid == getpid() ? (struct knell__process){0} : process;
}

/* It may have said farewell just before: what it said comes before its end. */
static void suspect_ended(struct knell_runtime *runtime, knell_rank rank)
{
    knell__local_hear(runtime);
    if (knell_node_is_gone(runtime->node, rank))
        return;
    knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {rank, KNELL_WHY_KERNEL}});
}

/* ---- the sentinel, in its own thread ------------------------------------------------------------------------------------ */

static void on_bell(void *context)
{
    struct knell_runtime *runtime = context;
    if (knell__runtime_enter(runtime) != 0)
        return;
    knell__local_hear(runtime);
    knell__call_back(runtime);
    knell__leave(runtime, 0);
}

static void on_end(void *context, knell_rank rank)
{
    struct knell_runtime *runtime = context;
    if (knell__runtime_enter(runtime) != 0)
        return;
    suspect_ended(runtime, rank);
    knell__call_back(runtime);
    knell__leave(runtime, 0);
}

void knell__local_begin(struct knell_runtime *runtime)
{
    const struct knell__sentinel_calls calls = {on_bell, on_end, runtime};
    pthread_mutex_lock(&runtime->lock);
    knell__news_open(&runtime->news, knell__board_wall(&runtime->board), runtime->config.ranks);
    knell__sentinel_start(&runtime->sentinel, &runtime->board, knell__news_bell(&runtime->news), runtime->config.rank,
                          runtime->config.ordinary_priority, &calls);
    if (runtime->watched != KNELL_NOBODY)
        knell__sentinel_watch(&runtime->sentinel, runtime->watched);
    pthread_mutex_unlock(&runtime->lock);
}

void knell__local_hear(struct knell_runtime *runtime)
{
    if (!runtime->news.wall)
        return;
    runtime->by_news = true;
    knell__news_read(&runtime->news, knell__drive_news, runtime);
    runtime->by_news = false;
}

/* ---- heartbeats --------------------------------------------------------------------------------------------------------- */

void knell__local_post(struct knell_runtime *runtime, const struct knell_body *body)
{
    struct knell__beat beat = {body->emitted, body->dead.digest, body->dead.size, runtime->thread_id};
    knell__board_store(&runtime->board, runtime->config.rank, &beat);
    runtime->counters.board_beats++;
}

void knell__local_look(struct knell_runtime *runtime)
{
    struct knell__beat beat;
    knell_rank emitter = knell_node_emitter(runtime->node);
    if (!runtime->shortcuts || emitter == KNELL_NOBODY || !runtime->directory.member[emitter].local ||
        !knell__board_load(&runtime->board, emitter, &beat) || beat.emitted <= runtime->other[emitter].heard)
        return;
    runtime->other[emitter].heard = beat.emitted;
    knell__drive_heartbeat(runtime, emitter, beat.emitted, beat.size, beat.digest);
}

/* ---- ends --------------------------------------------------------------------------------------------------------------- */

static void stop_watching(struct knell_runtime *runtime)
{
    if (runtime->watch_fd >= 0) {
        knell__ears_remove(runtime->ears, runtime->watch_fd);
        close(runtime->watch_fd);
    }
    runtime->watch_fd = -1;
    runtime->watched = KNELL_NOBODY;
}

static knell_rank living_before(const struct knell_runtime *runtime)
{
    uint32_t ranks = runtime->config.ranks;
    for (uint32_t i = 1; i < ranks; i++) {
        knell_rank rank = (runtime->config.rank + ranks - i) % ranks;
        if (knell__local_process(runtime, rank).pid > 0 && !knell_node_is_gone(runtime->node, rank))
            return rank;
    }
    return KNELL_NOBODY;
}

/* Each turn but the last finds one more ended: it ends. */
void knell__local_watch(struct knell_runtime *runtime)
{
    while (runtime->watch_again) {
        runtime->watch_again = false;
        if (!runtime->shortcuts || knell_node_state(runtime->node) != KNELL_STATE_RUNNING)
            return;
        knell_rank before = living_before(runtime);
        if (before == runtime->watched)
            return;
        stop_watching(runtime);
        if (before == KNELL_NOBODY)
            return;
        struct knell__process process = knell__local_process(runtime, before);
        int fd = knell__watch_open(&process);
        if (fd >= 0) {
            runtime->watched = before;
            runtime->watch_fd = fd;
            knell__ears_add(runtime->ears, fd, KNELL__HEARD_END); /* refused: the ring and the sentinel are there */
            knell__sentinel_watch(&runtime->sentinel, before);
        } else if (fd == -1) {
            suspect_ended(runtime, before);
            runtime->watch_again = knell_node_is_gone(runtime->node, before);
        }
    }
}

/* Another may be watched by now than when the thread was woken. */
void knell__local_ended(struct knell_runtime *runtime)
{
    knell_rank ended = runtime->watched;
    if (runtime->watch_fd < 0 || !knell__pidfd_has_ended(runtime->watch_fd))
        return;
    stop_watching(runtime);
    runtime->watch_again = true;
    suspect_ended(runtime, ended);
}

/* A process that does not get the processor is as silent as one that hangs, and the kernel knows the difference to one that was
 * stopped. It is given DOUBTS more deltas, not more: a thread that exists and never runs again is no use to anybody. One that a debugger
 * holds is given all the time its user takes. */
bool knell__local_doubts(struct knell_runtime *runtime)
{
    struct knell__beat beat = {0};
    knell_rank emitter = knell_node_emitter(runtime->node);
    if (!runtime->shortcuts || emitter == KNELL_NOBODY)
        return false;
    struct knell__process process = knell__local_process(runtime, emitter);
    const struct knell__other *other = &runtime->other[emitter];
    if (process.pid <= 0)
        return false;
    if (runtime->doubted != emitter || runtime->doubted_heard != other->heard)
        runtime->doubts = 0;
    knell__board_load(&runtime->board, emitter, &beat);
    enum knell__silence silence = knell__process_silence(&process, beat.thread);
    if (silence == KNELL__SILENCE_STOPPED || (silence == KNELL__SILENCE_STARVED && runtime->doubts == DOUBTS))
        return false;
    runtime->doubted = emitter;
    runtime->doubted_heard = other->heard;
    runtime->doubts += silence == KNELL__SILENCE_STARVED;
    runtime->counters.doubts++;
    return true;
}

bool knell__local_can_end(const struct knell_runtime *runtime, knell_rank rank)
{
    return runtime->shortcuts && !runtime->config.spare_the_dead && rank != KNELL_NOBODY &&
           runtime->directory.member[rank].local &&
           (rank == runtime->watched || knell__local_process(runtime, rank).started);
}

/* Before its death is published: whoever is held for dead must be. */
bool knell__local_kill(struct knell_runtime *runtime, knell_rank rank)
{
    if (!knell__local_can_end(runtime, rank))
        return false;
    if (rank == runtime->watched) {
        knell__pidfd_kill(runtime->watch_fd);
        return true;
    }
    struct knell__process process = knell__local_process(runtime, rank);
    int fd = knell__watch_open(&process);
    if (fd >= 0) {
        knell__pidfd_kill(fd);
        close(fd);
    }
    return fd >= 0 || fd == -1;
}
