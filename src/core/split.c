/* split.c: which side of a network that split goes on (docs/design/protocol.md, "Splits", I13). With KNELL_SPLIT_END only.
 *
 * Who is silent may be dead, or may live on the other side of a cut and think the same of this one. A side goes on only if it has
 * more than the silent ones could be, or as many and the lowest rank. Not counted are those whose end is settled: it is certain, or
 * an agreement of all who live has left them behind. Whoever speaks in an agreement holds the same for gone as all others who do, so
 * each of them shuns those who were left behind. D carries the settled along, so that a side judges alike; D only grows, and a node
 * judges before anything follows from that: no agreement returns on the side that must end. */
#include "core/split.h"
#include "core/dead.h"
#include "util/rankset.h"

/* ---- the judgement -------------------------------------------------------------------------------------------------------- */

static knell_rank lowest_silent(struct knell_node *node)
{
    const struct knell_range *gone = knell__gone(node);
    for (uint32_t i = 0; i < node->gone_ranges; i++) {
        knell_rank first = gone[i].first, last = gone[i].last;
        if (knell__ranges_gap(knell__settled(node), node->settled_ranges, &first, &last))
            return first;
    }
    return KNELL_NOBODY;
}

struct knell_sides knell_node_sides(const struct knell_node *node)
{
    struct knell_node *block = (struct knell_node *)node;
    bool judges = node->config->on_split == KNELL_SPLIT_END;
    return (struct knell_sides){
        .here = node->config->ranks - node->gone_size,
        .silent = judges ? node->gone_size - knell__ranges_size(knell__settled(block), node->settled_ranges) : 0,
        .lowest_here = knell__ranges_absent(knell__gone(block), node->gone_ranges, 0),
        .lowest_silent = judges ? lowest_silent(block) : KNELL_NOBODY,
    };
}

bool knell__split_ends(struct knell__step *step)
{
    struct knell_node *node = step->node;
    if (node->config->on_split != KNELL_SPLIT_END || node->state != KNELL_STATE_RUNNING)
        return false;
    struct knell_sides sides = knell_node_sides(node);
    if (sides.here > sides.silent || (sides.here == sides.silent && sides.lowest_here < sides.lowest_silent))
        return false;
    knell__stop(node, KNELL_STATE_FENCED);
    knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_SPLIT, .rank = node->self, .sides = sides});
    return true;
}

/* ---- agreements that settle ------------------------------------------------------------------------------------------------ */

uint64_t knell__split_known(const struct knell_node *node)
{
    return node->config->on_split == KNELL_SPLIT_END ? node->gone_digest : 0;
}

/* Are all who live members? */
static bool is_everybody(const struct knell_node *node, const struct knell_group *group)
{
    uint32_t living = node->config->ranks - node->gone_size;
    if (!group->member)
        return true;
    if (group->size < living)
        return false;
    for (uint32_t i = 0; i < group->size; i++)
        living -= !knell__is_gone(node, group->member[i]);
    return living == 0;
}

uint8_t knell__split_settles(const struct knell__at *at)
{
    const struct knell_node *node = at->step->node;
    return node->config->on_split == KNELL_SPLIT_END && is_everybody(node, at->group) ? KNELL_FLAG_SETTLES : 0;
}

/* A peer may lie: only who is gone here can be settled. */
static void settle_gone(struct knell_node *node, knell_rank first, knell_rank last)
{
    const struct knell_range *gone = knell__gone(node);
    for (uint32_t i = knell__ranges_find(gone, node->gone_ranges, first);
         i < node->gone_ranges && gone[i].first <= last; i++)
        knell__settle(node, gone[i].first > first ? gone[i].first : first, gone[i].last < last ? gone[i].last : last);
}

void knell__split_decided(const struct knell__at *at, const struct knell_range *dead, uint32_t ranges)
{
    struct knell_node *node = at->step->node;
    if (node->config->on_split != KNELL_SPLIT_END || !(at->slot->flags & KNELL_FLAG_SETTLES))
        return;
    for (uint32_t i = 0; i < ranges; i++)
        settle_gone(node, dead[i].first, dead[i].last);
}
