/* agree.h: one instance of agreement with all that belongs to it, for agree.c and leave.c. */
#ifndef KNELL_CORE_AGREE_H
#define KNELL_CORE_AGREE_H

#include "core/node.h"

struct knell__at {
    struct knell__step *step;
    const struct knell_group *group;
    struct knell__agreement *agreement;
    struct knell__slot *slot;
    uint32_t self; /* own index */
};
struct knell__at knell__at_make(struct knell__step *step, const struct knell_group *group,
                                struct knell__agreement *agreement, struct knell__slot *slot);

/* UP: what has been folded so far; DOWN: the decision. */
void knell__agree_fill(struct knell__at *at, enum knell_message type, struct knell_body *body);

#endif
