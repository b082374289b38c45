/* See hashset.h. */
#include "sim/hashset.h"

#include <stdlib.h>
#include <string.h>

/* Multiply and fold, four lanes at a time: states are a few kilobytes and mostly equal. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = size, a, b;
    for (size_t i = 0; i + 16 <= size; i += 16) {
        memcpy(&a, at + i, 8);
        memcpy(&b, at + i + 8, 8);
        h = fold(h ^ a ^ UINT64_C(0x9e3779b97f4a7c15), b ^ UINT64_C(0xd1b54a32d192ed03));
    }
    if (size % 16) {
        memcpy(&a, at + size - 8, 8);
        h = fold(h ^ a, UINT64_C(0x94d049bb133111eb));
    }
    h = fold(h ^ UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x9e3779b97f4a7c15));
    return h ? h : 1;
}

static void insert(uint64_t *slot, uint64_t room, uint64_t h)
{
    uint64_t i = h & (room - 1);
    while (slot[i])
        i = (i + 1) & (room - 1);
    slot[i] = h;
}

static bool grow(struct knell_hashset *set)
{
    uint64_t room = set->room ? 2 * set->room : 1 << 16;
    uint64_t *slot = calloc(room, sizeof *slot);
    if (!slot)
        return false;
    for (uint64_t i = 0; i < set->room; i++)
        if (set->slot[i])
            insert(slot, room, set->slot[i]);
    free(set->slot);
    set->slot = slot;
    set->room = room;
    return true;
}

bool knell_hashset_add(struct knell_hashset *set, const void *bytes, size_t size, bool *added)
{
    if (set->count * 2 >= set->room && !grow(set))
        return false;
    uint64_t h = hash(bytes, size);
    for (uint64_t i = h & (set->room - 1); set->slot[i]; i = (i + 1) & (set->room - 1))
        if (set->slot[i] == h) {
            *added = false;
            return true;
        }
    insert(set->slot, set->room, h);
    set->count++;
    *added = true;
    return true;
}

void knell_hashset_free(struct knell_hashset *set)
{
    free(set->slot);
    *set = (struct knell_hashset){0};
}
