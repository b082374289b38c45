/* hosts.c: `hosts` of a place: "a,b:2,c": a name, or a name and how many slots are there. Hosts without a number share equally what the others leave;
 * the first ones get one more. As --hosts of `knell run`. */
#include "cli/leader/leader.h"

#include <stdlib.h>
#include <string.h>

/* The next entry of the list; false: there is none. `count` 0: it has no number. */
static bool next_entry(const char **at, char name[CHANNEL_HOST_NAME], uint32_t *count)
{
    size_t length = strcspn(*at, ","), letters = strcspn(*at, ",:");
    if (!**at)
        return false;
    snprintf(name, CHANNEL_HOST_NAME, "%.*s", (int)letters, *at);
    *count = letters < length ? (uint32_t)strtoul(*at + letters + 1, NULL, 10) : 0;
    *at += length;
    *at += **at == ',';
    return true;
}

/* Of the hosts without a number, `open` is how many there are, `left` what they share. */
static void measure(const struct knell_fail_place *place, uint32_t *open, uint32_t *left)
{
    char name[CHANNEL_HOST_NAME];
    uint32_t count, taken = 0;
    *open = 0;
    for (const char *at = place->hosts; next_entry(&at, name, &count);) {
        taken += count;
        *open += count == 0;
    }
    *left = taken < place->size ? place->size - taken : 0;
}

bool leader_slot_host(const struct knell_fail_place *place, uint32_t slot, char host[CHANNEL_HOST_NAME])
{
    uint32_t open, left, count;
    if (!place->hosts)
        return false;
    measure(place, &open, &left);
    for (const char *at = place->hosts; next_entry(&at, host, &count);) {
        if (count == 0) {
            count = (left + open - 1) / open;
            left -= count;
            open--;
        }
        if (slot < count)
            return true;
        slot -= count;
    }
    return false;
}

bool leader_has_room(const struct knell_fail_place *place)
{
    char host[CHANNEL_HOST_NAME];
    return !place->hosts || leader_slot_host(place, place->size - 1, host);
}

bool leader_is_same_host(const char *a, const char *b)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return length > 0 && strncmp(a, b, length) == 0 && (!a[length] || a[length] == '.') &&
           (!b[length] || b[length] == '.');
}

unsigned leader_find(const struct leader *leader, const char *host)
{
    for (unsigned i = 0; i < leader->agents; i++)
        if (leader_is_same_host(leader->agent[i].host, host))
            return i;
    return leader->agents;
}
