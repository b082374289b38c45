/* See explore.h.
 *
 * A state is the bytes of all nodes (a node may be copied while no step runs), the messages on their way, and who is alive.
 * All steps happen in one workspace, so that equal states have equal bytes. A death is made known to each survivor by a
 * notice of its own, at any time after it: that covers every order in which the detector could tell, so its broadcasts are
 * not simulated. The same with a departure. Of an accusation all but the accused may learn at any time after it, whatever becomes of
 * the accuser, and at any time the accused is told, and ends: until then it speaks, and is heard by those who do not know. */
#include "sim/explore.h"

#include "sim/hashset.h"

#include <knell/core.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 64, NODE_BYTES = 800, DEPTH_MAX = 128, VALUE = 1 };

/* A message of the agreement, small and without pointers. */
struct letter {
    uint8_t to, from, type, flags;
    uint8_t root, value, size, dead; /* sets as bit masks */
    uint8_t left, agreed;
    uint64_t acked;
};

struct state {
    uint8_t node[KNELL_EXPLORE_NODES_MAX][NODE_BYTES];
    struct letter letter[MESSAGES_MAX]; /* sorted: their order means nothing */
    uint8_t letters;
    uint8_t alive, proposed, returned;    /* masks; returned: told its driver, dead or alive */
    uint8_t accused, leaving, left;       /* masks: though it lived; and while it did, or does; and got away */
    uint8_t crashed, accusations, leaves; /* how many so far */
    uint8_t value[KNELL_EXPLORE_NODES_MAX], flags[KNELL_EXPLORE_NODES_MAX],
        dead[KNELL_EXPLORE_NODES_MAX];     /* returned */
    uint8_t knew[KNELL_EXPLORE_NODES_MAX]; /* of the gone, when it proposed, and acknowledged: who is careful */
};

enum act { PROPOSE, DELIVER, NOTICE, CRASH, ACCUSE, FENCE, LEAVE };
struct choice {
    uint8_t act, who, what; /* what: letter, or the dead one */
    uint8_t sends;          /* crash after so many messages of the step; 255: survive it */
};

struct explorer {
    struct knell_explore_plan plan;
    struct knell_config config;
    struct knell_limits limits;
    struct state now; /* the workspace */
    struct state *saved;
    struct choice path[DEPTH_MAX];
    unsigned depth;
    unsigned sends, sent; /* allowed in this step, and made */
    struct knell_hashset seen;
    struct knell_explore_result *result;
    void (*progress)(void *, uint64_t);
    void *context;
};

static struct knell_node *node_at(struct explorer *e, unsigned i)
{
    return (struct knell_node *)e->now.node[i];
}

/* ---- violations --------------------------------------------------------------------------------------------------------------- */

static void tell_step(struct explorer *e, const struct choice *c, char **at, char *end)
{
    static const char *const acts[] = {
        "proposes", "takes", "learns of the death of", "crashes", "accuses", "is told that it is dead", "leaves"};
    int n;
    if (c->act == DELIVER || c->act == NOTICE || c->act == ACCUSE)
        n = snprintf(*at, (size_t)(end - *at), "  node %u %s %s%u", c->who, acts[c->act],
                     c->act == DELIVER ? "letter " : "node ", c->what);
    else
        n = snprintf(*at, (size_t)(end - *at), "  node %u %s", c->who, acts[c->act]);
    *at = n < end - *at ? *at + n : end - 1;
    n = c->sends == 255 ? snprintf(*at, (size_t)(end - *at), "\n")
                        : snprintf(*at, (size_t)(end - *at), " and crashes after %u messages\n", c->sends);
    *at = n < end - *at ? *at + n : end - 1;
    (void)e;
}

static void violation(struct explorer *e, const char *what, unsigned who)
{
    char *at = e->result->story, *end = at + KNELL_EXPLORE_STORY;
    if (e->result->violated)
        return;
    e->result->violated = true;
    for (unsigned i = 0; i <= e->depth; i++)
        tell_step(e, &e->path[i], &at, end);
    snprintf(at, (size_t)(end - at), "  VIOLATION: %s (node %u)\n", what, who);
}

/* ---- the nodes' world ----------------------------------------------------------------------------------------------------------- */

static uint8_t mask_of(const struct knell_range *range, uint32_t count)
{
    uint8_t mask = 0;
    for (uint32_t i = 0; i < count; i++)
        for (knell_rank rank = range[i].first; rank <= range[i].last; rank++)
            mask |= (uint8_t)(1u << rank);
    return mask;
}

static uint32_t ranges_of(uint8_t mask, struct knell_range range[KNELL_EXPLORE_NODES_MAX])
{
    uint32_t count = 0, before = 0;
    for (unsigned i = 0; i < KNELL_EXPLORE_NODES_MAX; i++) {
        if (!(mask >> i & 1))
            continue;
        if (count && range[count - 1].last + 1 == i)
            range[count - 1].last = i;
        else
            range[count++] = (struct knell_range){i, i, before};
        before++;
    }
    return count;
}

static int by_content(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct letter));
}

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    struct explorer *e = driver;
    if (body->type != KNELL_MESSAGE_UP && body->type != KNELL_MESSAGE_DOWN)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (e->sent++ >= e->sends || !(e->now.alive >> to[i] & 1))
            continue;
        assert(e->now.letters < MESSAGES_MAX);
        struct letter *letter = &e->now.letter[e->now.letters++];
        memset(letter, 0, sizeof *letter);
        letter->to = (uint8_t)to[i];
        letter->from = (uint8_t)route->from;
        letter->type = body->type;
        letter->flags = body->flags;
        letter->root = (uint8_t)body->root;
        letter->size = (uint8_t)body->value_size;
        letter->value = body->value_size ? body->value[0] : 0;
        letter->left = mask_of(body->dead.left, body->dead.left_ranges);
        letter->dead = mask_of(body->dead.gone, body->dead.gone_ranges);
        letter->agreed = mask_of(body->agreed, body->agreed_ranges);
        letter->acked = body->acked;
    }
}

static bool has(uint8_t set, unsigned node)
{
    return set >> node & 1;
}

/* Nodes that live and are held for nothing else. */
static uint8_t sound(const struct explorer *e)
{
    return e->now.alive & (uint8_t)~e->now.accused;
}

/* I8. Who left is bound like the living, unless somebody died, who may have been the last to hold what it returned. */
static void compare(struct explorer *e, unsigned who)
{
    uint8_t bound = sound(e) | (e->now.crashed || e->now.accused ? 0 : e->now.left);
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        bool same = e->now.value[i] == e->now.value[who] && e->now.flags[i] == e->now.flags[who] &&
                    e->now.dead[i] == e->now.dead[who];
        if (!has(e->now.returned, i) || same)
            continue;
        if (has(bound, i) && has(bound, who))
            violation(e, "returned another decision than a node that lives or left", who);
        else
            e->result->lost++;
    }
}

/* I9. Node i's contribution is all ones but for bit i. */
static void judge(struct explorer *e, unsigned who)
{
    uint8_t value = e->now.value[who], dead = e->now.dead[who], all = (uint8_t)((1u << e->plan.nodes) - 1);
    bool acked = e->now.flags[who] & KNELL_FLAG_ACKED, all_acked = true;
    if (value & sound(e) & e->now.proposed)
        violation(e, "a living node's contribution is missing in the value", who);
    if (~value & all & ~e->now.proposed)
        violation(e, "a contribution that nobody made is in the value", who);
    if (dead & sound(e))
        violation(e, "a living node is among the dead", who);
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        if (!has(e->now.proposed, i))
            continue;
        all_acked = all_acked && e->now.knew[i] == dead;
        if (has(sound(e), i) && (e->now.knew[i] & ~dead))
            violation(e, "a death that a contributor knew of is missing", who);
        if (has(sound(e), i) && acked && e->now.knew[i] != dead)
            violation(e, "said to be acknowledged by all, and is not", who);
    }
    if (all_acked && !acked)
        violation(e, "acknowledged by all, and not said to be", who);
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    struct explorer *e = driver;
    if (fact->type != KNELL_FACT_DECIDED || e->sent > e->sends)
        return; /* dead before it could return */
    unsigned who = fact->rank;
    if (has(e->now.returned, who))
        violation(e, "returned twice", who);
    e->now.value[who] = fact->value[0];
    e->now.flags[who] = fact->flags;
    e->now.dead[who] = mask_of(fact->dead, fact->dead_ranges);
    compare(e, who);
    if (has(sound(e), who))
        judge(e, who);
    e->now.returned |= (uint8_t)(1u << who);
}

static void step(struct explorer *e, unsigned who, struct knell_event *event, uint8_t sends)
{
    const struct knell_sink sink = {.driver = e, .send = on_send, .tell = on_tell};
    e->sends = sends == 255 ? UINT32_MAX : sends;
    e->sent = 0;
    int error = knell_node_step(node_at(e, who), event, &sink);
    assert(error == 0);
    (void)error;
}

/* It is there no more, for whatever reason. */
static void end(struct explorer *e, unsigned who)
{
    uint8_t kept = 0;
    e->now.alive &= (uint8_t) ~(1u << who);
    e->now.leaving &= (uint8_t) ~(1u << who);
    memset(e->now.node[who], 0, NODE_BYTES);
    for (unsigned i = 0; i < e->now.letters; i++)
        if (e->now.letter[i].to != who)
            e->now.letter[kept++] = e->now.letter[i];
    e->now.letters = kept;
}

static void deliver(struct explorer *e, unsigned which, uint8_t sends)
{
    struct letter letter = e->now.letter[which];
    struct knell_range dead[KNELL_EXPLORE_NODES_MAX], left[KNELL_EXPLORE_NODES_MAX], agreed[KNELL_EXPLORE_NODES_MAX];
    struct knell_body body = {
        .type = letter.type,
        .flags = letter.flags,
        .subject = KNELL_NOBODY,
        .acked = letter.acked,
        .root = letter.root,
        .value_size = letter.size,
        .value = &letter.value,
        .dead = {.gone = dead,
                 .gone_ranges = ranges_of(letter.dead, dead),
                 .left = left,
                 .left_ranges = ranges_of(letter.left, left),
                 .digest = (uint64_t)letter.dead << 56 | (uint64_t)letter.left << 48 | 1},
        .agreed = agreed,
        .agreed_ranges = ranges_of(letter.agreed, agreed),
    };
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE};
    event.as.message.route = (struct knell_route){.from = letter.from, .hops = 1};
    event.as.message.body = &body;
    e->now.letter[which] = e->now.letter[--e->now.letters];
    step(e, letter.to, &event, sends);
}

/* ---- choices -------------------------------------------------------------------------------------------------------------------- */

static void notice(struct explorer *e, const struct choice *c)
{
    struct knell_event event = {.type = KNELL_EVENT_SUSPECT};
    struct knell_body farewell = {
        .type = KNELL_MESSAGE_BROADCAST, .why = KNELL_WHY_LEFT, .source = c->what, .sequence = 1};
    farewell.subject = c->what;
    event.as.suspect.rank = c->what;
    event.as.suspect.why = KNELL_WHY_KERNEL;
    if (has(e->now.left, c->what)) {
        event.type = KNELL_EVENT_MESSAGE;
        event.as.message.route = (struct knell_route){.from = c->what, .hops = 1};
        event.as.message.body = &farewell;
    }
    step(e, c->who, &event, c->sends);
}

static void propose(struct explorer *e, const struct choice *c)
{
    struct knell_event event = {.type = KNELL_EVENT_PROPOSE};
    struct knell_node *node = node_at(e, c->who);
    struct knell_dead dead = knell_node_dead(node);
    uint8_t value = (uint8_t) ~(1u << c->who);
    e->now.proposed |= (uint8_t)(1u << c->who);
    e->now.knew[c->who] = e->plan.careful ? mask_of(dead.gone, dead.gone_ranges) : 0;
    event.as.propose.kind = KNELL_KIND_AGREE;
    event.as.propose.size = VALUE;
    event.as.propose.value = &value;
    event.as.propose.acked = e->plan.careful ? knell_node_failures(node, KNELL_WORLD) : 0;
    step(e, c->who, &event, c->sends);
}

static void accuse(struct explorer *e, const struct choice *c)
{
    struct knell_event event = {.type = KNELL_EVENT_SUSPECT};
    e->now.accusations++;
    e->now.accused |= (uint8_t)(1u << c->what);
    event.as.suspect.rank = c->what;
    event.as.suspect.why = KNELL_WHY_OPERATOR;
    step(e, c->who, &event, c->sends);
}

/* Who has been fenced ends, and so does who has left: it is missed by nobody. */
static void see_off(struct explorer *e, unsigned who)
{
    enum knell_state state = knell_node_state(node_at(e, who));
    if (state == KNELL_STATE_LEFT)
        e->now.left |= (uint8_t)(1u << who);
    if (state != KNELL_STATE_RUNNING)
        end(e, who);
}

static void take(struct explorer *e, const struct choice *c)
{
    switch (c->act) {
    case PROPOSE:
        propose(e, c);
        break;
    case DELIVER:
        deliver(e, c->what, c->sends);
        break;
    case NOTICE:
        notice(e, c);
        break;
    case ACCUSE:
        accuse(e, c);
        break;
    case LEAVE:
        e->now.leaves++;
        e->now.leaving |= (uint8_t)(1u << c->who);
        step(e, c->who, &(struct knell_event){.type = KNELL_EVENT_LEAVE}, c->sends);
        break;
    case CRASH:
        e->now.crashed++;
        end(e, c->who);
        return;
    case FENCE:
        end(e, c->who);
        return;
    }
    if (c->sends != 255) {
        e->now.crashed++;
        end(e, c->who);
    } else {
        see_off(e, c->who);
    }
}

/* What must happen sooner or later. */
static unsigned list_choices(struct explorer *e, struct choice *list)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        if (!has(e->now.alive, i))
            continue;
        if (!has(e->now.proposed | e->now.leaving, i))
            list[n++] = (struct choice){PROPOSE, i, 0, 255};
        if (has(e->now.accused, i))
            list[n++] = (struct choice){FENCE, i, 0, 255};
        for (unsigned d = 0; d < e->plan.nodes; d++)
            if (d != i && (!has(e->now.alive, d) || has(e->now.accused, d)) && !knell_node_is_gone(node_at(e, i), d))
                list[n++] = (struct choice){NOTICE, i, d, 255};
    }
    for (unsigned m = 0; m < e->now.letters; m++)
        if (m == 0 || by_content(&e->now.letter[m], &e->now.letter[m - 1]) != 0)
            list[n++] = (struct choice){DELIVER, e->now.letter[m].to, m, 255};
    return n;
}

/* What need not happen. */
static unsigned list_accidents(struct explorer *e, struct choice *list)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        if (!has(e->now.alive, i))
            continue;
        for (unsigned d = 0; d < e->plan.nodes && e->now.accusations < e->plan.accusations; d++)
            if (d != i && has(sound(e), d) && has(sound(e), i))
                list[n++] = (struct choice){ACCUSE, i, d, 255};
        if (e->now.leaves < e->plan.leaves && !has(e->now.leaving, i))
            list[n++] = (struct choice){LEAVE, i, 0, 255};
    }
    return n;
}

static bool is_new(struct explorer *e)
{
    qsort(e->now.letter, e->now.letters, sizeof *e->now.letter, by_content);
    memset(&e->now.letter[e->now.letters], 0, (MESSAGES_MAX - e->now.letters) * sizeof *e->now.letter);
    bool added = false;
    if (!knell_hashset_add(&e->seen, &e->now, sizeof e->now, &added))
        e->result->no_memory = true;
    return added;
}

/* I10: when nothing is left to happen, everybody alive has returned. */
static void check_end(struct explorer *e)
{
    e->result->ends++;
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        if (has(e->now.leaving, i))
            violation(e, "nothing more can happen, and a node never got away", i);
        else if (has(e->now.alive & (uint8_t)~e->now.returned, i))
            violation(e, "nothing more can happen, and a living node never returned", i);
    }
}

static void explore(struct explorer *e);

static void try(struct explorer *e, const struct choice *c)
{
    if (e->result->violated || e->result->no_memory)
        return;
    e->path[e->depth] = *c;
    e->result->steps++;
    take(e, c);
    if (!e->result->violated && is_new(e)) {
        e->depth++;
        explore(e);
        e->depth--;
    }
    e->now = e->saved[e->depth];
}

/* The step itself; then, if crashes are left, the same with a crash after each but the last of its messages. */
static void try_with_crashes(struct explorer *e, struct choice c)
{
    try(e, &c);
    if (e->now.crashed == e->plan.crashes)
        return;
    take(e, &c);
    unsigned sent = e->sent;
    e->now = e->saved[e->depth];
    for (unsigned sends = 1; sends < sent; sends++) {
        c.sends = (uint8_t)sends;
        try(e, &c);
    }
}

static void explore(struct explorer *e)
{
    struct choice list[KNELL_EXPLORE_NODES_MAX * (KNELL_EXPLORE_NODES_MAX + 2) + MESSAGES_MAX];
    assert(e->depth + 1 < DEPTH_MAX);
    e->saved[e->depth] = e->now;
    if (++e->result->states % 65536 == 0 && e->progress)
        e->progress(e->context, e->result->states);
    unsigned n = list_choices(e, list);
    if (n == 0)
        check_end(e);
    for (unsigned i = 0; i < n; i++)
        try_with_crashes(e, list[i]);
    n = list_accidents(e, list);
    for (unsigned i = 0; i < n; i++)
        try_with_crashes(e, list[i]);
    for (uint8_t i = 0; i < e->plan.nodes && e->now.crashed < e->plan.crashes; i++)
        if (has(e->now.alive, i))
            try(e, &(struct choice){CRASH, i, 0, 255});
}

static void begin(struct explorer *e)
{
    e->config =
        (struct knell_config){.ranks = e->plan.nodes, .eta = 10, .delta = 20, .tau = 1, .tree_bits = e->plan.tree_bits};
    e->limits = (struct knell_limits){.dead_ranges = 4, .sources = e->plan.leaves, .agreements = 1, .value_bytes = 8};
    assert(knell_node_size(&e->limits) <= NODE_BYTES);
    for (unsigned i = 0; i < e->plan.nodes; i++) {
        struct knell_node *node;
        int error = knell_node_init(e->now.node[i], &e->limits, &e->config, i, NULL, &node);
        assert(error == 0);
        (void)error;
        step(e, i, &(struct knell_event){.type = KNELL_EVENT_START}, 255);
    }
    e->now.alive = (uint8_t)((1u << e->plan.nodes) - 1);
}

void knell_explore_agreement(const struct knell_explore_plan *plan, void (*progress)(void *context, uint64_t states),
                             void *context, struct knell_explore_result *result)
{
    struct explorer *e = calloc(1, sizeof *e);
    memset(result, 0, sizeof *result);
    if (e)
        e->saved = calloc(DEPTH_MAX, sizeof *e->saved);
    if (!e || !e->saved) {
        result->no_memory = true;
        free(e);
        return;
    }
    e->plan = *plan;
    e->result = result;
    e->progress = progress;
    e->context = context;
    begin(e);
    if (is_new(e))
        explore(e);
    knell_hashset_free(&e->seen);
    free(e->saved);
    free(e);
}
