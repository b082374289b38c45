/* check_act: what a plan makes happen, and how nodes go through their operations; see check.h. */
#include "sim/check.h"
#include "sim/outage.h"

#include <assert.h>
#include <string.h>

/* ---- operations ----------------------------------------------------------------------------------------------------------------- */

/* Before they drop a group its members agree that they are through: nobody waits for the last operation, and who returns from it
 * knows that everybody has returned from those before. */
static bool is_the_last(const struct knell_check *check, uint32_t op)
{
    uint32_t g = check->plan.op[op].group;
    bool last = check->plan.drops[g];
    for (uint32_t later = op + 1; later < check->plan.ops; later++)
        last = last && check->plan.op[later].group != g;
    return last;
}

bool knell__check_may_wait(const struct knell_check *check, uint32_t op)
{
    uint32_t g = check->plan.op[op].group;
    bool disturbed = check->dead | check->left | check->condemned || check->revoke_began[g];
    return disturbed && check->dropped[g] && is_the_last(check, op);
}

/* Operations of the same queue wait for each other at a node: all of them, or those of one group and kind. */
static uint32_t queue_of(const struct knell_check *check, uint32_t op)
{
    const struct knell_op *this = &check->plan.op[op];
    uint32_t kind = check->plan.drops[this->group] ? 0 : this->kind;
    return check->plan.at_a_time ? this->group * KNELL_KIND_END + kind : 0;
}

static void enter(struct knell_check *check, knell_rank node, uint32_t op)
{
    struct knell_event propose = {.type = KNELL_EVENT_PROPOSE};
    const struct knell_op *this = &check->plan.op[op];
    struct knell_outcome *outcome = &check->outcome[op][node];
    outcome->asked = true;
    outcome->brought = ~(UINT64_C(1) << node);
    outcome->knew = check->failed_told[node] | check->left_told[node];
    outcome->acked = knell__has(check->plan.careless, node) ? 0 : outcome->knew & check->plan.member[this->group];
    propose.as.propose.group = check->group[this->group].id;
    propose.as.propose.kind = this->kind;
    propose.as.propose.size = knell__has(check->plan.brief, node) ? 4 : sizeof outcome->brought;
    propose.as.propose.value = (const uint8_t *)&outcome->brought;
    if (outcome->acked)
        propose.as.propose.acked = knell_node_failures(check->world->node[node], propose.as.propose.group);
    knell__check_note(check, "node %u enters operation %u, kind %d in group %u", node, op, this->kind, this->group);
    knell_world_step(check->world, node, &propose);
}

static bool is_out(const struct knell_check *check, knell_rank node)
{
    return !check->world->alive[node] ||
           knell__has(check->fenced | check->split_off | check->leaving | check->departs, node);
}

static void drop_what_is_over(struct knell_check *check, knell_rank node)
{
    struct knell_event event = {.type = KNELL_EVENT_DROP};
    for (uint32_t g = 1; g < check->plan.groups && !is_out(check, node); g++) {
        bool over = check->plan.drops[g] && knell__has(check->registered[g] & ~check->dropped[g], node);
        for (uint32_t op = 0; op < check->plan.ops; op++)
            over = over && (check->plan.op[op].group != g || check->outcome[op][node].decided);
        if (!over)
            continue;
        knell__check_note(check, "node %u drops group %u", node, g);
        check->dropped[g] |= knell__one(node);
        event.as.drop.id = check->group[g].id;
        int error = knell_world_step(check->world, node, &event);
        assert(error == 0 || !check->world->alive[node]);
        (void)error;
    }
}

/* Enters what it can: the first of every queue that it has not returned from. */
static void proceed(struct knell_check *check, knell_rank node)
{
    uint32_t busy = 0;
    for (uint32_t op = 0; op < check->plan.ops; op++) {
        uint32_t g = check->plan.op[op].group, queue = UINT32_C(1) << queue_of(check, op);
        if (!knell__has(check->plan.member[g], node) || check->outcome[op][node].decided)
            continue;
        if (!(busy & queue) && !check->outcome[op][node].asked && knell__has(check->registered[g], node) &&
            check->world->now >= check->plan.op_time[op] && !is_out(check, node))
            enter(check, node, op);
        if (!check->outcome[op][node].decided && !is_the_last(check, op))
            busy |= queue;
    }
    drop_what_is_over(check, node);
}

bool knell__check_is_done(const struct knell_check *check, knell_rank node)
{
    for (uint32_t op = 0; op < check->plan.ops; op++)
        if (knell__has(check->plan.member[check->plan.op[op].group], node) && !check->outcome[op][node].decided &&
            !knell__check_may_wait(check, op))
            return false;
    return true;
}

static uint32_t find_operation(const struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    for (uint32_t op = 0; op < check->plan.ops; op++)
        if (check->group[check->plan.op[op].group].id == fact->group && check->plan.op[op].kind == fact->kind &&
            check->outcome[op][node].asked && !check->outcome[op][node].decided)
            return op;
    assert(!"a decision that nobody asked for");
    return 0;
}

void knell__check_on_decided(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    check->returned = find_operation(check, node, fact);
    struct knell_outcome *outcome = &check->outcome[check->returned][node];
    outcome->decided = true;
    outcome->flags = fact->flags;
    outcome->when = check->world->now;
    outcome->value_size = fact->value_size;
    assert(fact->value_size <= sizeof outcome->value);
    if (fact->value_size)
        memcpy(&outcome->value, fact->value, fact->value_size);
    for (uint32_t r = 0; r < fact->dead_ranges; r++)
        for (knell_rank rank = fact->dead[r].first; rank <= fact->dead[r].last; rank++)
            outcome->dead |= knell__one(rank);
    bool departs = check->plan.leaves_after[node] == check->returned + 1 && !knell__has(check->leaving, node);
    check->departs |= departs ? knell__one(node) : 0;
    knell_world_alarm(check->world, check->world->now + !departs); /* what is next, but not from within a step */
}

/* ---- acts ----------------------------------------------------------------------------------------------------------------------- */

static void act_register(struct knell_check *check, knell_rank node, uint32_t g)
{
    struct knell_event event = {.type = KNELL_EVENT_GROUP};
    event.as.group.group = &check->group[g];
    check->registered[g] |= knell__one(node);
    knell_world_step(check->world, node, &event);
    proceed(check, node);
}

static void act_suspect(struct knell_check *check, knell_rank node, knell_rank whom, bool accuse)
{
    struct knell_event event = {.type = KNELL_EVENT_SUSPECT};
    if (node == whom || (!accuse && check->world->alive[whom]))
        return;
    /* On one host who is held for dead has been ended: it tells of nobody. From elsewhere it is not told of who held it for dead. */
    if (check->plan.splits && knell__has(check->failed_told[whom], node))
        return;
    if (accuse && check->world->alive[whom] && !knell__has(check->condemned, whom)) {
        knell__check_note(check, "node %u accuses %u falsely", node, whom);
        check->condemned |= knell__one(whom);
    }
    event.as.suspect.rank = whom;
    event.as.suspect.why = accuse ? KNELL_WHY_OPERATOR : KNELL_WHY_KERNEL;
    knell_world_step(check->world, node, &event);
}

static void act_revoke(struct knell_check *check, knell_rank node, uint32_t g)
{
    struct knell_event event = {.type = KNELL_EVENT_REVOKE};
    event.as.revoke.group = check->group[g].id;
    if (!knell__has(check->registered[g] & ~check->dropped[g], node))
        return;
    knell__check_note(check, "node %u revokes group %u", node, g);
    check->revoke_began[g] = true;
    knell_world_step(check->world, node, &event);
}

static void act_leave(struct knell_check *check, knell_rank node)
{
    knell__check_note(check, "node %u leaves", node);
    check->departs &= ~knell__one(node);
    check->leaving |= knell__one(node);
    check->left |= knell__one(node);
    knell_world_step(check->world, node, &(struct knell_event){.type = KNELL_EVENT_LEAVE});
}

/* Not before all that they said is on its way. */
void knell__check_see_off(struct knell_check *check)
{
    const struct knell_world *world = check->world;
    for (knell_rank node = 0; check->leaving >> node; node++)
        if (knell__has(check->leaving, node) && knell_node_state(world->node[node]) == KNELL_STATE_LEFT &&
            (!world->send_free || world->send_free[node] <= world->now))
            knell_world_crash(check->world, node);
}

static void act_trigger(struct knell_check *check, knell_rank node)
{
    knell__check_note(check, "node %u has itself declared dead", node);
    check->condemned |= knell__one(node);
    knell_world_step(check->world, node, &(struct knell_event){.type = KNELL_EVENT_TRIGGER});
    knell_world_crash(check->world, node);
}

static void act_split(struct knell_check *check, const struct knell_act *act)
{
    bool cuts = act->type == KNELL_ACT_CUT;
    knell__check_note(check, cuts ? "the network splits" : "the network is whole");
    for (knell_rank node = 0; cuts && node < check->plan.config.ranks; node++)
        knell__check_note(check, "node %u of host %u is on side %u", node, check->plan.host[node],
                          check->plan.side[act->number][node]);
    knell_outage_split(check->world, cuts ? check->plan.side[act->number] : NULL);
}

static void perform(struct knell_check *check, const struct knell_act *act)
{
    struct knell_event event = {.type = KNELL_EVENT_RESUMED};
    if (act->type == KNELL_ACT_CUT || act->type == KNELL_ACT_HEAL) {
        act_split(check, act);
        return;
    }
    bool order = act->type >= KNELL_ACT_REGISTER || act->type == KNELL_ACT_LEAVE;
    if (!check->world->alive[act->node] || knell__has(check->fenced, act->node) || (order && is_out(check, act->node)))
        return;
    switch (act->type) {
    case KNELL_ACT_CRASH:
        knell_world_crash(check->world, act->node);
        return;
    case KNELL_ACT_DOOM:
        knell_world_doom(check->world, act->node, act->number);
        return;
    case KNELL_ACT_LEAVE:
        act_leave(check, act->node);
        return;
    case KNELL_ACT_TRIGGER:
        act_trigger(check, act->node);
        return;
    case KNELL_ACT_REPORT:
    case KNELL_ACT_ACCUSE:
        act_suspect(check, act->node, act->number, act->type == KNELL_ACT_ACCUSE);
        return;
    case KNELL_ACT_RESUME:
        event.as.resumed.gap = act->number;
        knell_world_step(check->world, act->node, &event);
        return;
    case KNELL_ACT_REGISTER:
        act_register(check, act->node, act->number);
        return;
    case KNELL_ACT_PROCEED:
        proceed(check, act->node);
        return;
    case KNELL_ACT_REVOKE:
        act_revoke(check, act->node, act->number);
        return;
    case KNELL_ACT_CUT:
    case KNELL_ACT_HEAL:
        return;
    }
}

static bool has_begun(const struct knell_check *check, knell_rank node)
{
    for (uint32_t op = 0; op < check->plan.ops; op++)
        if (check->outcome[op][node].decided)
            return true;
    return false;
}

void knell__check_on_alarm(void *context, struct knell_world *world)
{
    struct knell_check *check = context;
    while (check->next_act < check->plan.acts && check->plan.act[check->next_act].time <= world->now)
        perform(check, &check->plan.act[check->next_act++]);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        if (knell__has(check->fenced | check->split_off, node))
            knell_world_crash(world, node);
        if (knell__has(check->departs, node) && world->alive[node])
            act_leave(check, node);
        if (has_begun(check, node))
            proceed(check, node);
    }
}
