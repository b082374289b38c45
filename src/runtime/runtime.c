/* runtime: what the program may ask and order. Each call steps the node itself, under the lock: an error is known at once, and
 * an agreement does not wait for another thread to be scheduled. The thread is woken when there is something for it to do. */
#include "runtime/state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int knell__runtime_enter(struct knell_runtime *runtime)
{
    if (runtime->inert)
        return KNELL_ESTOPPED;
    pthread_mutex_lock(&runtime->lock);
    knell_time now = knell__clock_now();
    runtime->now = now > runtime->now ? now : runtime->now;
    return 0;
}

int knell__leave(struct knell_runtime *runtime, int result)
{
    knell__outbox_flush(runtime);
    bool wake = knell__loop_deadline(runtime) < runtime->asked || runtime->watch_again ||
                (runtime->config.on_fact && knell__facts_are_there(&runtime->facts));
    pthread_mutex_unlock(&runtime->lock);
    if (wake) {
        ssize_t written = write(runtime->wake, &(uint64_t){1}, sizeof(uint64_t));
        (void)written;
    }
    return result;
}

static int step_with(struct knell_runtime *runtime, struct knell_event *event)
{
    int error = knell__runtime_enter(runtime);
    return error ? error : knell__leave(runtime, knell__drive(runtime, event));
}

/* ---- facts ------------------------------------------------------------------------------------------------------------- */

int knell_runtime_poll(struct knell_runtime *runtime, struct knell_fact *fact)
{
    if (runtime->inert)
        return KNELL_ESTOPPED;
    pthread_mutex_lock(&runtime->lock);
    bool taken = knell__facts_take(&runtime->facts, fact);
    if (taken && !knell__facts_are_there(&runtime->facts)) {
        uint64_t count;
        ssize_t size = read(runtime->facts_fd, &count, sizeof count);
        (void)size;
    }
    pthread_mutex_unlock(&runtime->lock);
    return taken;
}

int knell_runtime_fd(const struct knell_runtime *runtime)
{
    return runtime->facts_fd;
}

/* ---- questions --------------------------------------------------------------------------------------------------------- */

int knell_runtime_is_gone(struct knell_runtime *runtime, knell_rank rank)
{
    int result = rank < runtime->config.ranks ? knell__runtime_enter(runtime) : KNELL_EINVAL;
    if (result)
        return result;
    result = knell_node_is_gone(runtime->node, rank);
    pthread_mutex_unlock(&runtime->lock);
    return result;
}

int knell_runtime_view(struct knell_runtime *runtime, struct knell_range *range, size_t room, size_t *count)
{
    int error = knell__runtime_enter(runtime);
    if (error)
        return error;
    struct knell_dead dead = knell_node_dead(runtime->node);
    *count = dead.gone_ranges;
    if (dead.gone_ranges <= room && dead.gone_ranges)
        memcpy(range, dead.gone, dead.gone_ranges * sizeof *range);
    pthread_mutex_unlock(&runtime->lock);
    return dead.gone_ranges <= room ? 0 : KNELL_ESPACE;
}

uint64_t knell_runtime_failures(struct knell_runtime *runtime, uint64_t group)
{
    if (knell__runtime_enter(runtime) != 0)
        return 0;
    uint64_t digest = knell_node_failures(runtime->node, group);
    pthread_mutex_unlock(&runtime->lock);
    return digest;
}

int knell_runtime_counters(struct knell_runtime *runtime, struct knell_runtime_counters *counters)
{
    int error = knell__runtime_enter(runtime);
    if (error)
        return error;
    const struct knell__channel_counters *channel = &runtime->channel.counters;
    *counters = runtime->counters;
    counters->core = runtime->core_counters;
    counters->repeated = channel->repeated;
    counters->duplicates = channel->duplicates;
    counters->refused_format = channel->refused_format;
    counters->refused_tag = channel->refused_tag;
    counters->lost_full += channel->lost_full + knell_wire_join_given_up(runtime->join);
    counters->facts_lost = runtime->facts.lost;
    pthread_mutex_unlock(&runtime->lock);
    return 0;
}

/* ---- orders ------------------------------------------------------------------------------------------------------------ */

int knell_runtime_suspect(struct knell_runtime *runtime, knell_rank rank, enum knell_why why)
{
    return step_with(runtime, &(struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {rank, why}});
}

static int name_process(struct knell_runtime *runtime, knell_rank rank, pid_t pid)
{
    uint32_t at = 0;
    while (at < runtime->names && runtime->named[at].rank != rank)
        at++;
    if (at == runtime->names) {
        struct knell__named *grown = realloc(runtime->named, (at + 1) * sizeof *grown);
        if (!grown)
            return KNELL_ESYSTEM;
        runtime->named = grown;
        runtime->names++;
    }
    runtime->named[at] = (struct knell__named){rank, pid};
    return 0;
}

int knell_runtime_watch_pid(struct knell_runtime *runtime, knell_rank rank, pid_t pid)
{
    if (rank >= runtime->config.ranks || rank == runtime->config.rank || pid <= 0)
        return KNELL_EINVAL;
    int error = knell__runtime_enter(runtime);
    if (error)
        return error;
    error = name_process(runtime, rank, pid);
    runtime->watch_again = !error;
    return knell__leave(runtime, error);
}

int knell_runtime_group(struct knell_runtime *runtime, uint64_t id, const knell_rank *member, uint32_t size)
{
    if (!member || size == 0 || size > runtime->config.ranks)
        return KNELL_EINVAL;
    struct knell__registered *made = malloc(sizeof *made + size * sizeof *member);
    if (!made)
        return KNELL_ESYSTEM;
    memcpy(made->member, member, size * sizeof *member);
    made->group = (struct knell_group){.id = id, .size = size, .member = made->member};
    int error = knell__runtime_enter(runtime);
    if (!error) {
        error = knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_GROUP, .as.group = {&made->group}});
        if (!error) {
            made->next = runtime->groups;
            runtime->groups = made;
        }
        knell__leave(runtime, 0);
    }
    if (error)
        free(made);
    return error;
}

int knell_runtime_drop(struct knell_runtime *runtime, uint64_t id)
{
    int error = knell__runtime_enter(runtime);
    if (error)
        return error;
    error = knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_DROP, .as.drop = {id}});
    struct knell__registered **at = &runtime->groups, *dropped = NULL;
    while (*at && (*at)->group.id != id)
        at = &(*at)->next;
    if (!error && *at) {
        dropped = *at;
        *at = dropped->next;
    }
    knell__leave(runtime, 0);
    free(dropped);
    return error;
}

int knell_runtime_propose(struct knell_runtime *runtime, uint64_t group, enum knell_kind kind, uint8_t operation,
                          const void *value, uint32_t size, uint64_t acked)
{
    return step_with(runtime, &(struct knell_event){.type = KNELL_EVENT_PROPOSE,
                                                    .as.propose = {group, kind, operation, size, value, acked}});
}

int knell_runtime_revoke(struct knell_runtime *runtime, uint64_t group)
{
    return step_with(runtime, &(struct knell_event){.type = KNELL_EVENT_REVOKE, .as.revoke = {group}});
}

int knell_runtime_hear(struct knell_runtime *runtime, knell_rank from, const void *bytes, size_t size)
{
    int error = from < runtime->config.ranks ? knell__runtime_enter(runtime) : KNELL_EINVAL;
    return error ? error : knell__leave(runtime, knell__drive_carried(runtime, from, bytes, size) ? 0 : KNELL_EWIRE);
}

int knell_runtime_trigger(struct knell_runtime *runtime)
{
    return step_with(runtime, &(struct knell_event){.type = KNELL_EVENT_TRIGGER});
}
