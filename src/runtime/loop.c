/* loop: the detector's thread: wait, listen, tick. Wiring only.
 *
 * Time is read once per turn, before anything is listened to, and the turn happens at that time. So whatever had come by
 * then is heard before a suspicion that was due by then: messages before timers, however late the thread is. When it
 * runs later than it asked for by more than eta / 2, the node is told so, and suspects nobody for that time. */
#include "os/thread.h"
#include "runtime/state.h"

#include <sys/syscall.h>
#include <unistd.h>

static void account_for_absence(struct knell_runtime *runtime)
{
    knell_time gap = runtime->asked == KNELL_NEVER ? 0 : runtime->now - runtime->asked;
    if (gap <= runtime->config.eta / 2)
        return;
    runtime->counters.starved++;
    if (gap > runtime->counters.starved_most)
        runtime->counters.starved_most = gap;
    knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_RESUMED, .as.resumed = {gap}});
}

/* A silent emitter of this host is not merely held for dead: it is ended, and in a split that is certain. */
static void end_silent(struct knell_runtime *runtime)
{
    knell_rank emitter = knell_node_emitter(runtime->node);
    if (runtime->config.on_split != KNELL_SPLIT_END || !knell__local_can_end(runtime, emitter))
        return;
    runtime->core_counters.suspicions++;
    knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {emitter, KNELL_WHY_ENDED}});
}

/* Heartbeats go out in any case; a suspicion waits until everything was heard. */
static void tick(struct knell_runtime *runtime, bool all)
{
    knell_time late = runtime->now - knell_node_deadline(runtime->node);
    knell_time overdue = runtime->now - knell_node_suspicion(runtime->node);
    if (all && overdue >= 0 && knell__local_doubts(runtime))
        knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_RESUMED,
                                                    .as.resumed = {overdue + runtime->config.delta}});
    else if (all && overdue >= 0)
        end_silent(runtime);
    if (!all)
        knell__drive(runtime,
                     &(struct knell_event){.type = KNELL_EVENT_RESUMED, .as.resumed = {late + runtime->config.eta}});
    knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_TICK});
}

/* True when everything that had come by runtime->now was heard, as far as it matters now: heartbeats when one's own is due,
 * all when somebody is about to be suspected. */
static bool hear(struct knell_runtime *runtime, unsigned heard)
{
    bool all = true;
    knell__local_hear(runtime); /* first: what the dead said comes before their death */
    if (heard & KNELL__HEARD_CONTROL)
        all = knell__inbox_hear_control(runtime);
    if (runtime->beats_come && (heard & KNELL__HEARD_BEATS || knell_node_deadline(runtime->node) <= runtime->now))
        all = knell__inbox_hear_beats(runtime) && all;
    knell__local_look(runtime);
    if (!(heard & KNELL__HEARD_CONTROL) && knell_node_suspicion(runtime->node) <= runtime->now)
        all = knell__inbox_hear_control(runtime) && all;
    return all;
}

static void turn(struct knell_runtime *runtime, unsigned heard)
{
    knell_time now = knell__clock_now();
    runtime->now = now > runtime->now ? now : runtime->now;
    runtime->counters.wakeups++;
    account_for_absence(runtime);
    bool all = hear(runtime, heard);
    if (heard & KNELL__HEARD_END)
        knell__local_ended(runtime);
    knell__local_watch(runtime);
    if (knell_node_deadline(runtime->node) <= runtime->now)
        tick(runtime, all);
    knell__local_watch(runtime);
    knell__channel_tick(&runtime->channel, runtime->now);
    knell__outbox_flush(runtime);
    runtime->asked = all ? knell__loop_deadline(runtime) : runtime->now;
}

knell_time knell__loop_deadline(const struct knell_runtime *runtime)
{
    knell_time node = knell_node_deadline(runtime->node), channel = knell__channel_deadline(&runtime->channel);
    knell_time deadline = node < channel ? node : channel;
    return runtime->leaving && runtime->linger < deadline ? runtime->linger : deadline;
}

/* Who leaves waits until its node has left and those it told have acknowledged, but not for ever. */
static bool has_left(struct knell_runtime *runtime)
{
    bool stays = knell_node_state(runtime->node) == KNELL_STATE_RUNNING;
    if (!runtime->leaving || ((stays || runtime->channel.entries > 0) && runtime->now < runtime->linger))
        return false;
    if (stays)
        knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_LEAVE});
    for (knell_rank rank = 0; rank < runtime->config.ranks; rank++) {
        const struct knell__peer *peer = &runtime->channel.peer[rank];
        if (peer->in_high > 0 || peer->out_last > 0) /* also one that has left: it may wait for this very word */
            knell__channel_send_once(&runtime->channel, KNELL__FRAME_BYE, rank, NULL, 0);
    }
    knell__outbox_flush(runtime);
    return true;
}

/* Facts to the callback, in order and one at a time, without the lock. */
void knell__call_back(struct knell_runtime *runtime)
{
    struct knell_fact fact;
    if (!runtime->config.on_fact || runtime->calling)
        return; /* whoever is calling comes to these as well */
    runtime->calling = true;
    while (knell__facts_take(&runtime->facts, &fact)) {
        pthread_mutex_unlock(&runtime->lock);
        runtime->config.on_fact(runtime->config.on_fact_context, &fact);
        pthread_mutex_lock(&runtime->lock);
    }
    runtime->calling = false;
}

/* Until a datagram, an end, an order of the program or the deadline; returns what there is to hear. */
static unsigned wait_for_work(const struct knell_runtime *runtime, knell_time deadline)
{
    unsigned heard = knell__ears_wait(runtime->ears, deadline);
    if (heard & KNELL__HEARD_WISH) {
        uint64_t count;
        ssize_t size = read(runtime->wake, &count, sizeof count);
        (void)size;
    }
    return heard;
}

void *knell__loop(void *argument)
{
    struct knell_runtime *runtime = argument;
    unsigned heard = 0;
    knell__thread_be_prompt(runtime->config.ordinary_priority);
    pthread_mutex_lock(&runtime->lock);
    runtime->thread_id = (uint32_t)syscall(SYS_gettid);
    for (;;) {
        turn(runtime, heard);
        knell__call_back(runtime);
        if (has_left(runtime))
            break;
        knell_time deadline = knell__loop_deadline(runtime); /* a callback may have brought it forward */
        runtime->asked = deadline = deadline < runtime->asked ? deadline : runtime->asked;
        pthread_mutex_unlock(&runtime->lock);
        heard = wait_for_work(runtime, deadline);
        pthread_mutex_lock(&runtime->lock);
    }
    runtime->ended = true;
    pthread_mutex_unlock(&runtime->lock);
    return NULL;
}
