/* directory: see directory.h. */
#include "runtime/directory.h"

#include <string.h>

size_t knell__directory_size(uint32_t ranks)
{
    return ranks * (sizeof(struct knell__directory_entry) + sizeof(knell_rank) + sizeof(uint32_t));
}

struct knell__directory knell__directory_at(void *memory, uint32_t ranks)
{
    struct knell__directory_entry *member = memory;
    knell_rank *order = (knell_rank *)(member + ranks);
    return (struct knell__directory){member, order, (uint32_t *)(order + ranks), ranks};
}

static bool is_same_host(const struct knell__rendezvous_point *a, const struct knell__rendezvous_point *b)
{
    return memcmp(a->host, b->host, KNELL__HOST_ID) == 0;
}

static void fill_member(struct knell__directory_entry *member, const struct knell__rendezvous_point *place, bool local)
{
    memset(member, 0, sizeof *member);
    memcpy(&member->address.as, place->address, place->address_size);
    member->address.size = place->address_size;
    member->beats = place->beats_port;
    member->local = local;
    if (local)
        member->process = (struct knell__process){place->pid, place->started};
}

/* On one host the natural order; on several, neighbours on the ring are on different hosts as far as there are such: the
 * first process of each host, then the second of each. So a host's death is many single ones, not one long gap. */
static void order_ring(struct knell__directory *directory, const struct knell__rendezvous_point *table)
{
    uint32_t *turn = directory->position; /* at first: how many of its host are before it */
    uint32_t placed = 0;
    for (uint32_t i = 0; i < directory->ranks; i++) {
        uint32_t j = i;
        while (j > 0 && !is_same_host(&table[i], &table[j - 1]))
            j--;
        turn[i] = j > 0 ? turn[j - 1] + 1 : 0;
    }
    for (uint32_t now = 0; placed < directory->ranks; now++)
        for (uint32_t i = 0; i < directory->ranks; i++)
            if (turn[i] == now)
                directory->order[placed++] = i;
    for (uint32_t i = 0; i < directory->ranks; i++)
        directory->position[directory->order[i]] = i;
}

int knell__directory_fill(struct knell__directory *directory, const struct knell__rendezvous_point *table,
                          knell_rank self, knell_rank *wrong)
{
    for (uint32_t i = 0; i < directory->ranks; i++) {
        if (table[i].address_size > sizeof table[i].address) {
            *wrong = i;
            return KNELL_EPEER;
        }
        fill_member(&directory->member[i], &table[i], is_same_host(&table[i], &table[self]));
    }
    order_ring(directory, table);
    return 0;
}

bool knell__directory_has_several_hosts(const struct knell__directory *directory)
{
    for (uint32_t i = 0; i < directory->ranks; i++)
        if (!directory->member[i].local)
            return true;
    return false;
}
