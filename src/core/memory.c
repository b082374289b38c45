/* memory.c: the node's block: layout, making, moving into a larger one. */
#include "core/memory.h"

#include <assert.h>
#include <string.h>

#define LIMIT_MAX (UINT32_C(1) << 30)

static size_t align8(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

struct knell__areas knell__areas_of(const struct knell_limits *limits)
{
    size_t ranges = (size_t)limits->dead_ranges * sizeof(struct knell_range);
    struct knell__areas a;
    a.sources = sizeof(struct knell_node);
    a.gone = a.sources + (size_t)limits->sources * sizeof(struct knell__source);
    a.left = a.gone + ranges;
    a.settled = a.left + ranges;
    a.groups = a.settled + ranges;
    a.dropped = a.groups + ((size_t)limits->groups + 1) * sizeof(struct knell__member);
    a.agreements = a.dropped + (size_t)limits->dropped * sizeof(struct knell__ids);
    a.stores = a.agreements + (size_t)limits->agreements * sizeof(struct knell__agreement);
    a.pending = a.stores + (size_t)limits->agreements * 2 * align8(ranges + limits->value_bytes);
    a.end = align8(a.pending + limits->pending_bytes);
    return a;
}

struct knell_limits knell_limits_default(void)
{
    return (struct knell_limits){.dead_ranges = 4, .sources = 4};
}

size_t knell_node_size(const struct knell_limits *limits)
{
    if (limits->dead_ranges < 1 || limits->dead_ranges > LIMIT_MAX || limits->sources > LIMIT_MAX ||
        limits->groups > LIMIT_MAX || limits->agreements > LIMIT_MAX || limits->value_bytes > KNELL_VALUE_MAX ||
        limits->pending_bytes > LIMIT_MAX || limits->dropped > LIMIT_MAX)
        return 0;
    return knell__areas_of(limits).end;
}

int knell_node_init(void *memory, const struct knell_limits *limits, const struct knell_config *config, knell_rank self,
                    struct knell_counters *counters, struct knell_node **node)
{
    size_t size = knell_node_size(limits);
    if (size == 0 || knell_config_check(config, NULL) || self >= config->ranks)
        return KNELL_EINVAL;
    assert((uintptr_t)memory % 8 == 0);
    memset(memory, 0, size);
    struct knell_node *made = memory;
    made->config = config;
    made->counters = counters;
    made->self = self;
    made->emitter = KNELL_NOBODY;
    made->observer = KNELL_NOBODY;
    made->suspicion = KNELL_NEVER;
    made->beat_next = KNELL_NEVER;
    made->beat_last = INT64_MIN;
    made->limits = *limits;
    made->groups = 1;
    made->world = (struct knell_group){.id = KNELL_WORLD, .size = config->ranks};
    *node = made;
    return 0;
}

/* Enough for the step that was refused and, so that moves stay rare, at least twice what there was. */
static void widen(uint32_t *limit, uint32_t needed, uint32_t most)
{
    if (needed <= *limit)
        return;
    uint64_t doubled = 2 * (uint64_t)*limit + 2;
    if (doubled > most)
        doubled = most;
    *limit = needed > doubled ? needed : (uint32_t)doubled;
}

struct knell_limits knell_node_wanted(const struct knell_node *node)
{
    struct knell_limits wanted = node->limits;
    widen(&wanted.dead_ranges, node->needed.dead_ranges, LIMIT_MAX);
    widen(&wanted.sources, node->needed.sources, LIMIT_MAX);
    widen(&wanted.groups, node->needed.groups, LIMIT_MAX);
    widen(&wanted.agreements, node->needed.agreements, LIMIT_MAX);
    widen(&wanted.value_bytes, node->needed.value_bytes, KNELL_VALUE_MAX);
    widen(&wanted.pending_bytes, node->needed.pending_bytes, LIMIT_MAX);
    widen(&wanted.dropped, node->needed.dropped, LIMIT_MAX);
    return wanted;
}

static bool shrinks(const struct knell_limits *from, const struct knell_limits *to)
{
    return to->dead_ranges < from->dead_ranges || to->sources < from->sources || to->groups < from->groups ||
           to->agreements < from->agreements || to->value_bytes < from->value_bytes ||
           to->pending_bytes < from->pending_bytes || to->dropped < from->dropped;
}

/* Stores are spaced by the limits: each slot's ranges and value go to their new places apart. */
static void move_stores(const struct knell_node *from, struct knell_node *to)
{
    struct knell__areas a = knell__areas_of(&from->limits), b = knell__areas_of(&to->limits);
    size_t ranges_a = (size_t)from->limits.dead_ranges * sizeof(struct knell_range);
    size_t ranges_b = (size_t)to->limits.dead_ranges * sizeof(struct knell_range);
    size_t each_a = align8(ranges_a + from->limits.value_bytes), each_b = align8(ranges_b + to->limits.value_bytes);
    for (uint32_t i = 0; i < 2 * from->agreements; i++) {
        const char *source = (const char *)from + a.stores + i * each_a;
        char *target = (char *)to + b.stores + i * each_b;
        memcpy(target, source, ranges_a);
        memcpy(target + ranges_b, source + ranges_a, from->limits.value_bytes);
    }
}

int knell_node_move(const struct knell_node *node, void *memory, const struct knell_limits *limits,
                    struct knell_node **moved)
{
    size_t size = knell_node_size(limits);
    if (size == 0 || shrinks(&node->limits, limits))
        return KNELL_EINVAL;
    struct knell__areas a = knell__areas_of(&node->limits), b = knell__areas_of(limits);
    char *to = memory;
    const char *from = (const char *)node;
    memset(memory, 0, size);
    memcpy(to, from, sizeof *node);
    ((struct knell_node *)memory)->limits = *limits;
    ((struct knell_node *)memory)->needed = (struct knell_limits){0};
    memcpy(to + b.sources, from + a.sources, a.gone - a.sources);
    memcpy(to + b.gone, from + a.gone, a.left - a.gone);
    memcpy(to + b.left, from + a.left, a.settled - a.left);
    memcpy(to + b.settled, from + a.settled, a.groups - a.settled);
    memcpy(to + b.groups, from + a.groups, a.dropped - a.groups);
    memcpy(to + b.dropped, from + a.dropped, a.agreements - a.dropped);
    memcpy(to + b.agreements, from + a.agreements, a.stores - a.agreements);
    move_stores(node, memory);
    memcpy(to + b.pending, from + a.pending, node->pending_used);
    *moved = memory;
    return 0;
}
