/* effect.c: the effector: events of processes go to the interpreter, its actions to processes. As include/knell/fail.h says, what a record
 * arms is armed before its actions are carried out. */
#include "agent/state.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD_NS INT64_C(20000000) /* of slow(): running and resting together */

/* ---- arming ------------------------------------------------------------------------------------------------------ */

static bool means(const struct agent_point *point, uint32_t function)
{
    for (unsigned i = 0; i < point->functions; i++)
        if (point->function[i] == function)
            return true;
    return false;
}

static unsigned wanted_at(const struct agent_process *process, const struct agent_point *point)
{
    unsigned wanted = point->armed & POINT_LOADER;
    for (uint32_t i = 0; i < process->probes; i++)
        if (process->probe[i].type != KNELL_FAIL_WATCH && means(point, process->probe[i].subject))
            wanted |= process->probe[i].type == KNELL_FAIL_BEFORE ? POINT_BEFORE : POINT_AFTER;
    return wanted;
}

static bool are_same(const struct agent *agent, const struct agent_process *process, uint32_t count)
{
    if (count != process->probes)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (process->probe[i].type != agent->probe[i].type || process->probe[i].subject != agent->probe[i].subject)
            return false;
    return true;
}

void effect_arm(struct agent *agent, struct agent_process *process)
{
    uint32_t count = knell_fail_armed(agent->world, process->instance, agent->probe, agent->probe_room);
    if (are_same(agent, process, count))
        return;
    if (!process->probe)
        process->probe = calloc(agent->probe_room, sizeof *process->probe);
    if (!process->probe)
        return;
    memcpy(process->probe, agent->probe, count * sizeof *process->probe);
    process->probes = count;
    for (unsigned i = 0; i < process->image->points; i++) {
        struct agent_point *point = process->image->point[i];
        point->armed = wanted_at(process, point);
        if (!point_settle(process->image, point) && point->armed)
            agent_say(agent, false, "no breakpoint can be put at %s in process %ld", point->symbol, (long)process->pid);
    }
    watch_set(agent, process);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static void halt(struct agent *agent, struct agent_process *process)
{
    agent->slot[process->instance] = NULL; /* from now on another process may come here */
    process->instance = NO_SLOT;
    process->loaded = process->held = false;
    process->halted = true;
    kill(process->pid, SIGKILL);
}

static void apply(struct agent *agent, struct agent_process *process, const struct knell_fail_action *action)
{
    switch (action->type) {
    case KNELL_FAIL_HALT:
        halt(agent, process);
        break;
    case KNELL_FAIL_STOP:
        process->held = true;
        break;
    case KNELL_FAIL_CONTINUE:
        process->held = false;
        return;
    case KNELL_FAIL_SIGNAL:
        if (kill(process->pid, (int)action->value) != 0)
            agent_say(agent, false, "signal(%lld): there is no such signal", (long long)action->value);
        break;
    case KNELL_FAIL_SLOW:
        process->percent = (int)action->value;
        process->turn_at = agent_now(agent);
        process->resting &= process->percent < 100;
        break;
    case KNELL_FAIL_SET:
        variable_write(agent, process, action->subject, action->value);
        break;
    case KNELL_FAIL_FLIP:
        variable_flip(agent, process, action->subject, (uint64_t)action->value);
        break;
    default:
        return;
    }
    agent->counters.faults++;
}

static void send_away(const struct agent *agent, uint32_t from, const struct knell_fail_action *action)
{
    for (uint32_t to = action->first; to < action->first + action->count; to++)
        if (!agent_hosts(agent, to))
            agent->config.send(agent->config.driver, from, to, action->subject);
}

static void carry_out(struct agent *agent, const struct knell_fail_record *record)
{
    struct agent_process *process = agent->slot[record->instance];
    agent->config.record(agent->config.driver, record);
    for (uint32_t i = 0; i < record->action_count; i++)
        if (record->actions[i].type == KNELL_FAIL_SEND && record->actions[i].remote)
            send_away(agent, record->instance, &record->actions[i]);
    if (!process)
        return;
    process->dirty = true;
    if (record->entered || record->event.type == KNELL_FAIL_ONLOAD)
        effect_arm(agent, process);
    for (uint32_t i = 0; i < record->action_count && process->instance != NO_SLOT; i++)
        if (!record->actions[i].vain)
            apply(agent, process, &record->actions[i]);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The clock may stand still between two events; it never runs backwards. */
void effect_feed(struct agent *agent, struct agent_process *process, struct knell_fail_event event)
{
    struct knell_fail_record record;
    event.instance = process->instance;
    if (event.type == KNELL_FAIL_ONEXIT || event.type == KNELL_FAIL_ONERROR)
        agent->slot[process->instance] = NULL;
    else
        process->held = true;
    process->dirty = true;
    if (knell_fail_step(agent->world, agent_now(agent), &event, &record) == 1)
        carry_out(agent, &record);
}

void effect_deliver(struct agent *agent, uint32_t from, uint32_t to, uint32_t message)
{
    struct knell_fail_record record;
    struct knell_fail_event event = {.type = KNELL_FAIL_MESSAGE, .instance = to, .subject = message, .sender = from};
    if (knell_fail_step(agent->world, agent_now(agent), &event, &record) == 1)
        carry_out(agent, &record);
}

/* A slow process runs and rests by turns. */
static knell_time turn_slow(struct agent *agent)
{
    knell_time now = agent_now(agent), next = KNELL_NEVER;
    for (struct agent_process *process = agent->process; process; process = process->next) {
        if (process->percent == 100)
            continue;
        if (process->turn_at <= now) {
            process->resting = !process->resting;
            process->dirty = true;
            process->turn_at = now + PERIOD_NS / 100 * (process->resting ? 100 - process->percent : process->percent);
        }
        next = process->turn_at < next ? process->turn_at : next;
    }
    return next;
}

knell_time effect_due(struct agent *agent)
{
    struct knell_fail_record record;
    if (!agent->begun)
        return KNELL_NEVER;
    knell_time next = knell_fail_deadline(agent->world);
    if (next != KNELL_NEVER && next <= agent_now(agent))
        while (knell_fail_step(agent->world, agent_now(agent), NULL, &record) == 1)
            carry_out(agent, &record);
    knell_time slow = turn_slow(agent);
    next = knell_fail_deadline(agent->world);
    return slow < next ? slow : next;
}
