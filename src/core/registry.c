/* registry: see registry.h. */
#include "core/registry.h"
#include "core/memory.h"

struct knell__member *knell__members(struct knell_node *node)
{
    return (struct knell__member *)((char *)node + knell__areas_of(&node->limits).groups);
}

struct knell__member *knell__group_find(struct knell_node *node, uint64_t id)
{
    struct knell__member *member = knell__members(node);
    if (id == KNELL_WORLD)
        return member;
    for (uint32_t i = 1; i < node->groups; i++)
        if (member[i].id == id)
            return &member[i];
    return NULL;
}

const struct knell_group *knell__group_at(const struct knell_node *node, const struct knell__member *member)
{
    return member->id == KNELL_WORLD ? &node->world : member->group;
}

const struct knell_group *knell__group_of(struct knell_node *node, uint64_t id)
{
    struct knell__member *member = knell__group_find(node, id);
    return member ? knell__group_at(node, member) : NULL;
}
