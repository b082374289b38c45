/* wire_join.c: puts the parts of split messages together, in the caller's memory.
 *
 * A block is the joiner, its slots, then per slot a row of ranges, then one more row in which datagrams are read. As a
 * part says at which place of the row its ranges go, they are put there as they come; a place that is taken stays as it
 * is, so copies change nothing. Only a complete row is checked as a whole. There is no time here: a message whose part
 * was lost stays until its slot is needed. */
#include <knell/wire.h>

#include "core/wire_ranges.h"

#include <string.h>

enum slot_state { SLOT_FREE, SLOT_DONE, SLOT_OPEN }; /* in the order in which they are taken for another message */

struct slot {
    uint64_t since; /* when it was opened, in messages */
    enum slot_state state;
    uint32_t filled; /* places of the row that are taken */
    struct knell_wire_part part;
    struct knell_route route;
    struct knell_body body; /* without what it points to */
    uint8_t value[KNELL_VALUE_MAX];
};

struct knell_wire_join {
    uint64_t opened;
    uint64_t given_up;
    uint32_t ranks;
    uint32_t slots;
    uint32_t ranges;
};

static struct slot *slots_of(struct knell_wire_join *join)
{
    return (struct slot *)(join + 1);
}

/* The row of slot `index`; that of index == slots is the one to read into. */
static struct knell_range *row_of(struct knell_wire_join *join, uint32_t index)
{
    return (struct knell_range *)(slots_of(join) + join->slots) + (size_t)index * join->ranges;
}

size_t knell_wire_join_size(uint32_t slots, uint32_t ranges)
{
    const uint32_t most_slots = UINT32_C(1) << 16, most_ranges = UINT32_C(1) << 31;
    if (slots < 1 || slots > most_slots || ranges < 1 || ranges > most_ranges)
        return 0;
    return sizeof(struct knell_wire_join) + slots * sizeof(struct slot) +
           ((size_t)slots + 1) * ranges * sizeof(struct knell_range);
}

int knell_wire_join_init(void *memory, uint32_t ranks, uint32_t slots, uint32_t ranges, struct knell_wire_join **join)
{
    if (knell_wire_join_size(slots, ranges) == 0 || ranks < 2 || ranks > KNELL_RANKS_MAX)
        return KNELL_EINVAL;
    struct knell_wire_join *made = memory;
    *made = (struct knell_wire_join){.ranks = ranks, .slots = slots, .ranges = ranges};
    memset(slots_of(made), 0, slots * sizeof(struct slot));
    *join = made;
    return 0;
}

static struct slot *find(struct knell_wire_join *join, knell_rank from, uint32_t number)
{
    struct slot *slot = slots_of(join);
    for (uint32_t i = 0; i < join->slots; i++)
        if (slot[i].state != SLOT_FREE && slot[i].route.from == from && slot[i].part.number == number)
            return &slot[i];
    return NULL;
}

/* A free slot, else the oldest completed one, else the oldest of all. */
static struct slot *pick(struct knell_wire_join *join)
{
    struct slot *slot = slots_of(join), *picked = slot;
    for (uint32_t i = 1; i < join->slots; i++)
        if (slot[i].state < picked->state || (slot[i].state == picked->state && slot[i].since < picked->since))
            picked = &slot[i];
    return picked;
}

static struct slot *open_slot(struct knell_wire_join *join, const struct knell_wire_part *part,
                              const struct knell_route *route, const struct knell_body *body)
{
    struct slot *slot = pick(join);
    if (slot->state == SLOT_OPEN)
        join->given_up++;
    slot->since = join->opened++;
    slot->state = SLOT_OPEN;
    slot->filled = 0;
    slot->part = *part;
    slot->route = *route;
    slot->body = *body;
    /* All bits set is no range: first would be KNELL_NOBODY. */
    memset(row_of(join, (uint32_t)(slot - slots_of(join))), 0xff, knell__part_total(part) * sizeof(struct knell_range));
    return slot;
}

static bool is_same(const struct slot *slot, const struct knell_wire_part *part, const struct knell_body *body)
{
    return slot->part.gone == part->gone && slot->part.left == part->left && slot->part.settled == part->settled &&
           slot->part.agreed == part->agreed && slot->body.type == body->type;
}

static void fill(struct slot *slot, struct knell_range *row, const struct knell_wire_part *part,
                 const struct knell_range *ranges, const struct knell_route *route, const struct knell_body *body)
{
    if (part->offset == 0 && row[0].first == KNELL_NOBODY) {
        slot->route = *route;
        slot->body = *body;
        if (body->value_size)
            memcpy(slot->value, body->value, body->value_size);
    }
    for (uint32_t i = 0; i < part->count; i++) {
        struct knell_range *place = &row[part->offset + i];
        if (place->first == KNELL_NOBODY) {
            *place = ranges[i];
            slot->filled++;
        }
    }
}

/* All places are taken, the first among them: so the first part was there. */
static int finish(struct knell_wire_join *join, struct slot *slot, struct knell_range *row, struct knell_route *route,
                  struct knell_body *body)
{
    slot->state = SLOT_DONE;
    if (!knell__row_settle(&slot->part, join->ranks, row, &slot->body)) {
        slot->state = SLOT_FREE;
        return KNELL_EWIRE;
    }
    slot->body.value = slot->body.value_size ? slot->value : NULL;
    *route = slot->route;
    *body = slot->body;
    return 0;
}

int knell_wire_join_feed(struct knell_wire_join *join, const uint8_t *bytes, size_t size, bool *whole,
                         struct knell_route *route, struct knell_body *body)
{
    struct knell_wire_part part;
    struct knell_route came;
    struct knell_body read;
    struct knell_range *ranges = row_of(join, join->slots);
    int error = knell_wire_decode(bytes, size, join->ranks, ranges, join->ranges, &part, &came, &read);
    if (error)
        return error;
    if (part.whole) {
        *whole = true;
        *route = came;
        *body = read;
        return 0;
    }
    if (knell__part_total(&part) > join->ranges)
        return KNELL_ESPACE;
    struct slot *slot = find(join, came.from, part.number);
    if (!slot)
        slot = open_slot(join, &part, &came, &read);
    else if (!is_same(slot, &part, &read))
        return KNELL_EWIRE;
    struct knell_range *row = row_of(join, (uint32_t)(slot - slots_of(join)));
    bool open = slot->state == SLOT_OPEN;
    if (open)
        fill(slot, row, &part, ranges, &came, &read);
    bool complete = open && slot->filled == knell__part_total(&part);
    error = complete ? finish(join, slot, row, route, body) : 0;
    if (error == 0)
        *whole = complete;
    return error;
}

uint64_t knell_wire_join_given_up(const struct knell_wire_join *join)
{
    return join->given_up;
}
