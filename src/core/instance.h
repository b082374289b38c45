/* instance.h: one instance of an agreement with all that belongs to it, as agree.c, leave.c and split.c pass it on. */
#ifndef KNELL_CORE_INSTANCE_H
#define KNELL_CORE_INSTANCE_H

#include "core/step.h"

struct knell__at {
    struct knell__step *step;
    const struct knell_group *group;
    struct knell__agreement *agreement;
    struct knell__slot *slot;
    uint32_t self; /* own index */
};

#endif
