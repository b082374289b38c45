/* tree.c: see tree.h. */
#include "core/tree.h"
#include "core/dead.h"
#include "util/rankset.h"

uint32_t knell__members_below(const struct knell_group *group, knell_rank rank)
{
    uint32_t low = 0, high = group->size;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->member[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t knell__tree_index(const struct knell_group *group, knell_rank rank)
{
    if (!group->member)
        return rank < group->size ? rank : KNELL_NOBODY;
    uint32_t below = knell__members_below(group, rank);
    return below < group->size && group->member[below] == rank ? below : KNELL_NOBODY;
}

knell_rank knell__tree_rank(const struct knell_group *group, uint32_t index)
{
    return group->member ? group->member[index] : index;
}

static bool is_dead(const struct knell_node *node, const struct knell_group *group, uint32_t index)
{
    return node->gone_size && knell__is_gone(node, knell__tree_rank(group, index));
}

uint32_t knell__tree_child(const struct knell_node *node, const struct knell_group *group, uint32_t at, uint32_t end)
{
    while (at < end && is_dead(node, group, at)) {
        if (group->member) {
            at++;
        } else { /* the world: index is rank, step over the whole stretch */
            const struct knell_range *gone = knell__gone((struct knell_node *)node);
            at = gone[knell__ranges_find(gone, node->gone_ranges, at)].last + 1;
        }
    }
    return at < end ? at : end;
}

static uint32_t digit_bits(const struct knell_node *node)
{
    return node->config->tree_bits ? node->config->tree_bits : 1;
}

/* The place value of its lowest digit that is not 0. */
uint32_t knell__tree_width(const struct knell_node *node, uint32_t index)
{
    uint32_t bits = digit_bits(node), zeros = (uint32_t)__builtin_ctz(index);
    return UINT32_C(1) << zeros / bits * bits;
}

static uint32_t without_digit(const struct knell_node *node, uint32_t index)
{
    uint32_t ones = (UINT32_C(1) << digit_bits(node)) - 1;
    return index & ~(ones * knell__tree_width(node, index));
}

uint32_t knell__tree_root(const struct knell_node *node, const struct knell_group *group)
{
    return knell__tree_child(node, group, 0, group->size);
}

uint32_t knell__tree_parent(const struct knell_node *node, const struct knell_group *group, uint32_t index)
{
    for (uint32_t above = index; above;) {
        above = without_digit(node, above);
        if (!is_dead(node, group, above))
            return above;
    }
    uint32_t root = knell__tree_root(node, group);
    return root == index ? KNELL_NOBODY : root;
}

uint32_t knell__tree_end(const struct knell_node *node, const struct knell_group *group, uint32_t index)
{
    if (index == knell__tree_root(node, group))
        return group->size;
    uint32_t width = knell__tree_width(node, index);
    return width < group->size - index ? index + width : group->size;
}
