/* bodies: see bodies.h. */
#include "sim/bodies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct knell_stored_body {
    struct knell_body body;
    uint32_t holds;
    uint32_t next_free;
    size_t room; /* bytes in `data` */
    char *data;  /* gone, left, settled, agreed, value */
};

static char *append(char **at, const void *bytes, size_t size)
{
    char *here = *at;
    if (size)
        memcpy(here, bytes, size);
    *at += size;
    return here;
}

static bool copy_body(struct knell_stored_body *stored, const struct knell_body *body)
{
    size_t gone = body->dead.gone_ranges * sizeof(struct knell_range);
    size_t left = body->dead.left_ranges * sizeof(struct knell_range);
    size_t settled = body->dead.settled_ranges * sizeof(struct knell_range);
    size_t agreed = body->agreed_ranges * sizeof(struct knell_range);
    size_t size = gone + left + settled + agreed + body->value_size;
    if (size > stored->room) {
        char *data = realloc(stored->data, size);
        if (!data)
            return false;
        stored->data = data;
        stored->room = size;
    }
    char *at = stored->data;
    stored->body = *body;
    if (size == 0)
        return true;
    stored->body.dead.gone = (const struct knell_range *)append(&at, body->dead.gone, gone);
    stored->body.dead.left = (const struct knell_range *)append(&at, body->dead.left, left);
    stored->body.dead.settled = (const struct knell_range *)append(&at, body->dead.settled, settled);
    stored->body.agreed = (const struct knell_range *)append(&at, body->agreed, agreed);
    stored->body.value = (const uint8_t *)append(&at, body->value, body->value_size);
    return true;
}

/* Items keep their address when the table grows: a node may be reading one. */
static bool grow(struct knell_bodies *bodies)
{
    uint32_t room = bodies->room ? 2 * bodies->room : 64;
    struct knell_stored_body **item = realloc(bodies->item, room * sizeof *item);
    if (!item)
        return false;
    memset(item + bodies->room, 0, (room - bodies->room) * sizeof *item);
    bodies->item = item;
    bodies->room = room;
    return true;
}

static uint32_t take_free(struct knell_bodies *bodies)
{
    if (bodies->used == 0 && bodies->room == 0)
        bodies->free_list = KNELL_NO_BODY;
    uint32_t index = bodies->free_list;
    if (index != KNELL_NO_BODY) {
        bodies->free_list = bodies->item[index]->next_free;
        return index;
    }
    if (bodies->used == bodies->room && !grow(bodies))
        return KNELL_NO_BODY;
    if (!bodies->item[bodies->used]) {
        bodies->item[bodies->used] = calloc(1, sizeof **bodies->item);
        if (!bodies->item[bodies->used])
            return KNELL_NO_BODY;
    }
    return bodies->used++;
}

uint32_t knell_bodies_add(struct knell_bodies *bodies, const struct knell_body *body)
{
    uint32_t index = take_free(bodies);
    if (index == KNELL_NO_BODY || !copy_body(bodies->item[index], body))
        return KNELL_NO_BODY;
    bodies->item[index]->holds = 0;
    return index;
}

const struct knell_body *knell_bodies_get(const struct knell_bodies *bodies, uint32_t index)
{
    return &bodies->item[index]->body;
}

void knell_bodies_hold(struct knell_bodies *bodies, uint32_t index, uint32_t times)
{
    bodies->item[index]->holds += times;
}

void knell_bodies_release(struct knell_bodies *bodies, uint32_t index)
{
    struct knell_stored_body *stored = bodies->item[index];
    assert(stored->holds > 0);
    if (--stored->holds)
        return;
    stored->next_free = bodies->free_list;
    bodies->free_list = index;
}

void knell_bodies_clear(struct knell_bodies *bodies)
{
    bodies->used = 0;
    bodies->free_list = KNELL_NO_BODY;
}

void knell_bodies_free(struct knell_bodies *bodies)
{
    for (uint32_t i = 0; i < bodies->room; i++) {
        if (bodies->item[i])
            free(bodies->item[i]->data);
        free(bodies->item[i]);
    }
    free(bodies->item);
    *bodies = (struct knell_bodies){0};
}
