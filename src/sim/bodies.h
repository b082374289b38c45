/* bodies: what is in the messages on their way. One body is shared by all copies of a message and by all who forward it;
 * at 256,000 nodes a broadcast of 8.7 million messages is one body. */
#ifndef KNELL_SIM_BODIES_H
#define KNELL_SIM_BODIES_H

#include <knell/core.h>

struct knell_stored_body;

/* All zero is empty. */
struct knell_bodies {
    struct knell_stored_body **item;
    uint32_t room;
    uint32_t free_list;
    uint32_t used;
};

#define KNELL_NO_BODY UINT32_MAX

/* Copies a body with all it points to; its index, held by nobody yet. KNELL_NO_BODY: no memory. */
uint32_t knell_bodies_add(struct knell_bodies *bodies, const struct knell_body *body);

const struct knell_body *knell_bodies_get(const struct knell_bodies *bodies, uint32_t index);

void knell_bodies_hold(struct knell_bodies *bodies, uint32_t index, uint32_t times);

/* Gives one hold back; the last one frees the body. */
void knell_bodies_release(struct knell_bodies *bodies, uint32_t index);

/* Forgets all of them. */
void knell_bodies_clear(struct knell_bodies *bodies);
void knell_bodies_free(struct knell_bodies *bodies);

#endif
