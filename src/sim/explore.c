/* See explore.h.
 *
 * A state is the bytes of all nodes (a node may be copied while no step runs), the messages on their way, and who is alive.
 * All steps happen in one workspace, so that equal states have equal bytes. A death is made known to each survivor by a
 * notice of its own, at any time after it: that covers every order in which the detector could tell, so its broadcasts are
 * not simulated. */
#include "sim/explore.h"

#include "sim/hashset.h"

#include <knell/core.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 48, NODE_BYTES = 704, DEPTH_MAX = 96, VALUE = 1 };

/* A message of the agreement, small and without pointers. */
struct letter {
    uint8_t to, from, type, flags;
    uint8_t root, value, dead, agreed; /* sets as bit masks */
    uint64_t acked;
};

struct state {
    uint8_t node[KNELL_EXPLORE_NODES_MAX][NODE_BYTES];
    struct letter letter[MESSAGES_MAX]; /* sorted: their order means nothing */
    uint8_t letters;
    uint8_t alive, proposed, crashed; /* masks; crashed: how many */
    uint8_t returned, holds;          /* masks: told its driver; dead or alive */
    uint8_t value[KNELL_EXPLORE_NODES_MAX];
};

enum act { PROPOSE, DELIVER, NOTICE, CRASH };
struct choice {
    uint8_t act, who, what; /* what: letter, or the dead one */
    uint8_t sends;          /* crash after so many messages of the step; 255: survive it */
};

struct explorer {
    uint32_t nodes, crashes, tree_bits;
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
    static const char *const acts[] = {"proposes", "takes", "learns of the death of", "crashes"};
    int n;
    if (c->act == DELIVER || c->act == NOTICE)
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
        letter->value = body->value[0];
        letter->dead = mask_of(body->dead.gone, body->dead.gone_ranges);
        letter->agreed = mask_of(body->agreed, body->agreed_ranges);
        letter->acked = body->acked;
    }
}

/* I8 and I9, the moment a node returns. Node i's contribution is all ones but for bit i. */
static void on_tell(void *driver, const struct knell_fact *fact)
{
    struct explorer *e = driver;
    if (fact->type != KNELL_FACT_DECIDED || e->sent > e->sends)
        return; /* dead before it could return */
    unsigned who = fact->rank;
    uint8_t value = fact->value[0], all = (uint8_t)((1u << e->nodes) - 1);
    if (e->now.returned >> who & 1)
        violation(e, "returned twice", who);
    for (unsigned i = 0; i < e->nodes; i++) {
        if (!(e->now.returned >> i & 1) || e->now.value[i] == value)
            continue;
        if (e->now.alive >> i & 1)
            violation(e, "returned another value than a living node", who);
        else
            e->result->lost++;
    }
    if (value & e->now.alive & e->now.proposed)
        violation(e, "a living node's contribution is missing in the value", who);
    if (~value & all & ~e->now.proposed)
        violation(e, "a contribution that nobody made is in the value", who);
    e->now.returned |= (uint8_t)(1u << who);
    e->now.value[who] = value;
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

static void crash(struct explorer *e, unsigned who)
{
    uint8_t kept = 0;
    e->now.alive &= (uint8_t)~(1u << who);
    e->now.crashed++;
    memset(e->now.node[who], 0, NODE_BYTES);
    for (unsigned i = 0; i < e->now.letters; i++)
        if (e->now.letter[i].to != who)
            e->now.letter[kept++] = e->now.letter[i];
    e->now.letters = kept;
}

static void deliver(struct explorer *e, unsigned which, uint8_t sends)
{
    struct letter letter = e->now.letter[which];
    struct knell_range dead[KNELL_EXPLORE_NODES_MAX], agreed[KNELL_EXPLORE_NODES_MAX];
    struct knell_body body = {
        .type = letter.type,
        .flags = letter.flags,
        .subject = KNELL_NOBODY,
        .acked = letter.acked,
        .root = letter.root,
        .value_size = VALUE,
        .value = &letter.value,
        .dead = {.gone = dead, .gone_ranges = ranges_of(letter.dead, dead), .digest = (uint64_t)letter.dead << 56 | 1},
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

static void take(struct explorer *e, const struct choice *c)
{
    struct knell_event event = {.type = KNELL_EVENT_PROPOSE};
    uint8_t value = (uint8_t)~(1u << c->who);
    switch (c->act) {
    case PROPOSE:
        e->now.proposed |= (uint8_t)(1u << c->who);
        event.as.propose.kind = KNELL_KIND_AGREE;
        event.as.propose.size = VALUE;
        event.as.propose.value = &value;
        step(e, c->who, &event, c->sends);
        break;
    case DELIVER:
        deliver(e, c->what, c->sends);
        break;
    case NOTICE:
        event.type = KNELL_EVENT_SUSPECT;
        event.as.suspect.rank = c->what;
        event.as.suspect.why = KNELL_WHY_KERNEL;
        step(e, c->who, &event, c->sends);
        break;
    case CRASH:
        crash(e, c->who);
        return;
    }
    if (c->sends != 255)
        crash(e, c->who);
}

static unsigned list_choices(struct explorer *e, struct choice *list)
{
    unsigned n = 0;
    for (uint8_t i = 0; i < e->nodes; i++) {
        if (!(e->now.alive >> i & 1))
            continue;
        if (!(e->now.proposed >> i & 1))
            list[n++] = (struct choice){PROPOSE, i, 0, 255};
        for (uint8_t d = 0; d < e->nodes; d++)
            if (!(e->now.alive >> d & 1) && !knell_node_is_gone(node_at(e, i), d))
                list[n++] = (struct choice){NOTICE, i, d, 255};
    }
    for (uint8_t m = 0; m < e->now.letters; m++)
        if (m == 0 || by_content(&e->now.letter[m], &e->now.letter[m - 1]) != 0)
            list[n++] = (struct choice){DELIVER, e->now.letter[m].to, m, 255};
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
    for (unsigned i = 0; i < e->nodes; i++)
        if ((e->now.alive & ~e->now.returned) >> i & 1)
            violation(e, "nothing more can happen, and a living node never returned", i);
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
    if (e->now.crashed == e->crashes)
        return;
    take(e, &c);
    unsigned sent = e->sent;
    e->now = e->saved[e->depth];
    for (uint8_t sends = 1; sends < sent; sends++) {
        c.sends = sends;
        try(e, &c);
    }
}

static void explore(struct explorer *e)
{
    struct choice list[KNELL_EXPLORE_NODES_MAX * (KNELL_EXPLORE_NODES_MAX + 1) + MESSAGES_MAX];
    assert(e->depth + 1 < DEPTH_MAX);
    e->saved[e->depth] = e->now;
    if (++e->result->states % 65536 == 0 && e->progress)
        e->progress(e->context, e->result->states);
    unsigned n = list_choices(e, list);
    if (n == 0)
        check_end(e);
    for (unsigned i = 0; i < n; i++)
        try_with_crashes(e, list[i]);
    for (uint8_t i = 0; i < e->nodes && e->now.crashed < e->crashes; i++)
        if (e->now.alive >> i & 1)
            try(e, &(struct choice){CRASH, i, 0, 255});
}

static void begin(struct explorer *e)
{
    e->config = (struct knell_config){.ranks = e->nodes, .eta = 10, .delta = 20, .tau = 1, .tree_bits = e->tree_bits};
    e->limits = (struct knell_limits){.dead_ranges = 4, .sources = 1, .agreements = 1, .value_bytes = 8};
    assert(knell_node_size(&e->limits) <= NODE_BYTES);
    for (unsigned i = 0; i < e->nodes; i++) {
        struct knell_node *node;
        int error = knell_node_init(e->now.node[i], &e->limits, &e->config, i, NULL, &node);
        assert(error == 0);
        (void)error;
        step(e, i, &(struct knell_event){.type = KNELL_EVENT_START}, 255);
    }
    e->now.alive = (uint8_t)((1u << e->nodes) - 1);
}

void knell_explore_agreement(uint32_t nodes, uint32_t crashes, uint32_t tree_bits,
                             void (*progress)(void *context, uint64_t states), void *context,
                             struct knell_explore_result *result)
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
    e->nodes = nodes;
    e->crashes = crashes;
    e->tree_bits = tree_bits;
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
