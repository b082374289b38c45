/* facts.h: facts on their way from the detector to the program, in order, with what they point to.
 *
 * One row of bytes: a fact, its value, its ranges. It grows while nobody takes them, up to a limit; then the oldest go.
 * No lock in here: the runtime's lock is around it. */
#ifndef KNELL_RUNTIME_FACTS_H
#define KNELL_RUNTIME_FACTS_H

#include <knell/core.h>

#define KNELL__FACTS_MAX (16u << 20)

struct knell__facts {
    uint8_t *bytes;
    size_t begin, end, room;
    uint64_t lost;
    uint8_t *taken; /* the fact taken last */
    size_t taken_room;
};

/* KNELL_ESYSTEM when there is no memory. */
int knell__facts_init(struct knell__facts *facts);
void knell__facts_free(struct knell__facts *facts);

bool knell__facts_are_there(const struct knell__facts *facts);
void knell__facts_put(struct knell__facts *facts, const struct knell_fact *fact);

/* False when there is none. What *fact points to lives until the next take. */
bool knell__facts_take(struct knell__facts *facts, struct knell_fact *fact);

#endif
