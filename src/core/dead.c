/* dead.c: D, the set of processes a node holds for gone (docs/design/protocol.md, "The dead set").
 *
 * D only grows. `left` is its subset of clean departures and dominates: who is known to have left stays so, whoever
 * suspects it later. So does `settled`, its subset of those whose end is certain (split.c). Digests are sums of mixed ranks, so they do not depend on the order of learning. What a death means
 * for the ring and for groups is theirs to say: node.c passes it on, once per step. */
#include "core/dead.h"
#include "util/rankset.h"

#include <assert.h>

/* A fixed bijection of 64 bits (the finaliser of splitmix64): sums of it tell sets apart. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t knell_digest_of(knell_rank rank)
{
    return mix(rank);
}

struct knell_dead knell__dead(const struct knell_node *node)
{
    struct knell_node *block = (struct knell_node *)node;
    return (struct knell_dead){
        .gone = knell__gone(block),
        .left = knell__left(block),
        .settled = knell__settled(block),
        .gone_ranges = node->gone_ranges,
        .left_ranges = node->left_ranges,
        .settled_ranges = node->settled_ranges,
        .size = node->gone_size,
        .digest = knell__digest(node),
    };
}

bool knell__is_gone(const struct knell_node *node, knell_rank rank)
{
    return knell__ranges_contain(knell__gone((struct knell_node *)node), node->gone_ranges, rank);
}

bool knell__is_left(const struct knell_node *node, knell_rank rank)
{
    return node->left_ranges && knell__ranges_contain(knell__left((struct knell_node *)node), node->left_ranges, rank);
}

void knell__stop(struct knell_node *node, enum knell_state state)
{
    node->state = (uint8_t)state;
    node->emitter = KNELL_NOBODY;
    node->observer = KNELL_NOBODY;
    node->suspicion = KNELL_NEVER;
    node->beat_next = KNELL_NEVER;
}

/* Perfect means fenced (I3): who is told that it is dead ends, whoever is right. */
bool knell__fence_if_named(struct knell__step *step, knell_rank from, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    bool named = body->subject == node->self && body->type == KNELL_MESSAGE_BROADCAST;
    if (!named && body->dead.digest != knell__digest(node))
        named = knell__ranges_contain(body->dead.gone, body->dead.gone_ranges, node->self);
    if (!named)
        return false;
    knell__stop(node, KNELL_STATE_FENCED);
    KNELL__COUNT(node, fenced, 1);
    knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_FENCED, .rank = node->self, .by = from});
    return true;
}

static void add_gone(struct knell__step *step, knell_rank first, knell_rank last, knell_rank by, enum knell_why why)
{
    struct knell_node *node = step->node;
    assert(!(first <= node->self && node->self <= last)); /* I3 */
    node->gone_ranges = knell__ranges_insert(knell__gone(node), node->gone_ranges, first, last);
    assert(node->gone_ranges <= node->limits.dead_ranges); /* the room check saw to it */
    node->gone_size += last - first + 1;
    assert(node->gone_size < node->config->ranks);
    for (knell_rank rank = first;; rank++) {
        node->gone_digest += mix(rank);
        if (why != KNELL_WHY_LEFT)
            knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_FAILED, .rank = rank, .by = by, .why = why});
        if (rank == last)
            return;
    }
}

static void add_left(struct knell__step *step, knell_rank first, knell_rank last, knell_rank by)
{
    struct knell_node *node = step->node;
    node->left_ranges = knell__ranges_insert(knell__left(node), node->left_ranges, first, last);
    assert(node->left_ranges <= node->limits.dead_ranges);
    for (knell_rank rank = first;; rank++) {
        node->marks_digest += mix(~(uint64_t)rank);
        knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_LEFT, .rank = rank, .by = by, .why = KNELL_WHY_LEFT});
        if (rank == last)
            return;
    }
}

static void add_settled(struct knell_node *node, knell_rank first, knell_rank last)
{
    node->settled_ranges = knell__ranges_insert(knell__settled(node), node->settled_ranges, first, last);
    assert(node->settled_ranges <= node->limits.dead_ranges);
    for (knell_rank rank = first;; rank++) {
        node->marks_digest += mix(UINT64_C(1) << 32 | rank);
        if (rank == last)
            return;
    }
}

bool knell__settle(struct knell_node *node, knell_rank first, knell_rank last)
{
    bool news = false;
    knell_rank begin = first, end = last;
    while (begin <= last && knell__ranges_gap(knell__settled(node), node->settled_ranges, &begin, &end)) {
        add_settled(node, begin, end);
        news = true;
        begin = end + 1;
        end = last;
    }
    return news;
}

/* Not found out by silence: there is no other side on which it goes on. */
static bool is_certain(enum knell_why why)
{
    return why == KNELL_WHY_KERNEL || why == KNELL_WHY_ENDED || why == KNELL_WHY_TRIGGER || why == KNELL_WHY_HARDWARE ||
           why == KNELL_WHY_LEFT;
}

static bool learn_stretch(struct knell__step *step, knell_rank first, knell_rank last, knell_rank by,
                          enum knell_why why)
{
    struct knell_node *node = step->node;
    bool news = false;
    knell_rank begin = first, end = last;
    while (begin <= last && knell__ranges_gap(knell__gone(node), node->gone_ranges, &begin, &end)) {
        add_gone(step, begin, end, by, why);
        news = true;
        begin = end + 1;
        end = last;
    }
    begin = first;
    end = last;
    while (why == KNELL_WHY_LEFT && begin <= last &&
           knell__ranges_gap(knell__left(node), node->left_ranges, &begin, &end)) {
        add_left(step, begin, end, by);
        news = true;
        begin = end + 1;
        end = last;
    }
    if (node->config->on_split == KNELL_SPLIT_END && is_certain(why))
        news |= knell__settle(node, first, last);
    return news;
}

bool knell__learn(struct knell__step *step, knell_rank rank, knell_rank by, enum knell_why why)
{
    return learn_stretch(step, rank, rank, by, why);
}

bool knell__merge(struct knell__step *step, const struct knell_dead *dead, knell_rank by)
{
    struct knell_node *node = step->node;
    if (dead->digest == knell__digest(node))
        return false;
    bool news = false;
    for (uint32_t i = 0; i < dead->left_ranges; i++)
        news |= learn_stretch(step, dead->left[i].first, dead->left[i].last, by, KNELL_WHY_LEFT);
    uint32_t at = 0; /* both lists are sorted: what is known is passed over without a search */
    for (uint32_t i = 0; i < dead->gone_ranges; i++) {
        const struct knell_range *told = &dead->gone[i], *known = knell__gone(node);
        while (at < node->gone_ranges && known[at].last < told->first)
            at++;
        if (at == node->gone_ranges || known[at].first > told->first || known[at].last < told->last)
            news |= learn_stretch(step, told->first, told->last, by, KNELL_WHY_TOLD);
    }
    for (uint32_t i = 0; node->config->on_split == KNELL_SPLIT_END && i < dead->settled_ranges; i++)
        news |= knell__settle(node, dead->settled[i].first, dead->settled[i].last);
    return news;
}

uint64_t knell__digest_in(const struct knell_node *node, const struct knell_group *group)
{
    if (!group->member)
        return node->gone_digest;
    uint64_t digest = 0;
    for (uint32_t i = 0; i < group->size && node->gone_size > 0; i++)
        if (knell__is_gone(node, group->member[i]))
            digest += mix(group->member[i]);
    return digest;
}
