/* facts: see facts.h. */
#include "runtime/facts.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 4096, ALIGN = 8 };

/* How a fact lies in the row: this, its ranges, its value, padding. */
struct parcel {
    size_t size;
    struct knell_fact fact;
};

int knell__facts_init(struct knell__facts *facts)
{
    *facts = (struct knell__facts){.bytes = malloc(ROOM_FIRST), .room = ROOM_FIRST};
    facts->taken = malloc(ROOM_FIRST);
    facts->taken_room = ROOM_FIRST;
    if (facts->bytes && facts->taken)
        return 0;
    knell__facts_free(facts);
    return KNELL_ESYSTEM;
}

void knell__facts_free(struct knell__facts *facts)
{
    free(facts->bytes);
    free(facts->taken);
    *facts = (struct knell__facts){0};
}

bool knell__facts_are_there(const struct knell__facts *facts)
{
    return facts->begin != facts->end;
}

static void drop_oldest(struct knell__facts *facts)
{
    facts->begin += ((struct parcel *)(facts->bytes + facts->begin))->size;
    facts->lost++;
}

/* Room for `size` more bytes at the end, by moving to the front, growing, or forgetting. */
static bool make_room(struct knell__facts *facts, size_t size)
{
    while (facts->end - facts->begin + size > KNELL__FACTS_MAX && knell__facts_are_there(facts))
        drop_oldest(facts);
    if (facts->room - facts->end >= size)
        return true;
    memmove(facts->bytes, facts->bytes + facts->begin, facts->end - facts->begin);
    facts->end -= facts->begin;
    facts->begin = 0;
    size_t room = facts->room;
    while (room - facts->end < size)
        room *= 2;
    if (room == facts->room)
        return true;
    uint8_t *grown = realloc(facts->bytes, room);
    if (!grown)
        return false;
    facts->bytes = grown;
    facts->room = room;
    return true;
}

void knell__facts_put(struct knell__facts *facts, const struct knell_fact *fact)
{
    bool decided = fact->type == KNELL_FACT_DECIDED;
    size_t ranges = decided ? fact->dead_ranges * sizeof *fact->dead : 0, value = decided ? fact->value_size : 0;
    size_t size = (sizeof(struct parcel) + ranges + value + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!make_room(facts, size)) {
        facts->lost++;
        return;
    }
    struct parcel parcel = {size, *fact};
    uint8_t *at = facts->bytes + facts->end;
    memcpy(at, &parcel, sizeof parcel);
    if (ranges)
        memcpy(at + sizeof parcel, fact->dead, ranges);
    if (value)
        memcpy(at + sizeof parcel + ranges, fact->value, value);
    facts->end += size;
}

bool knell__facts_take(struct knell__facts *facts, struct knell_fact *fact)
{
    if (!knell__facts_are_there(facts))
        return false;
    const struct parcel *parcel = (const struct parcel *)(facts->bytes + facts->begin);
    if (parcel->size > facts->taken_room) {
        uint8_t *grown = realloc(facts->taken, parcel->size);
        if (!grown)
            return false; /* it stays; the next try may do better */
        facts->taken = grown;
        facts->taken_room = parcel->size;
    }
    memcpy(facts->taken, parcel, parcel->size);
    facts->begin += parcel->size;
    if (facts->begin == facts->end)
        facts->begin = facts->end = 0;
    *fact = ((struct parcel *)facts->taken)->fact;
    bool decided = fact->type == KNELL_FACT_DECIDED;
    const uint8_t *after = facts->taken + sizeof *parcel;
    fact->dead = decided && fact->dead_ranges ? (const struct knell_range *)after : NULL;
    fact->value = decided && fact->value_size ? after + fact->dead_ranges * sizeof *fact->dead : NULL;
    return true;
}
