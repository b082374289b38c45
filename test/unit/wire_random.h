/* wire_random: random messages to encode, and what "the same message" means. Shared by the tests of the wire codec. */
#ifndef KNELL_TEST_WIRE_RANDOM_H
#define KNELL_TEST_WIRE_RANDOM_H

#include "util/prng.h"

#include <knell/wire.h>

#define WIRE_RANGES 600

struct wire_message {
    struct knell_route route;
    struct knell_body body; /* points into the rest */
    struct knell_range gone[WIRE_RANGES], left[WIRE_RANGES], settled[WIRE_RANGES], agreed[WIRE_RANGES];
    uint8_t value[KNELL_VALUE_MAX];
};

/* A message of this type with every field it uses drawn at random, extremes often, and up to `ranges` ranges a list. */
void wire_random(struct wire_message *m, struct knell_prng *g, enum knell_message type, uint32_t ranks,
                 uint32_t ranges);

/* The longest message there is before its ranges: every number at its highest. */
void wire_longest(struct wire_message *m, enum knell_message type, uint32_t ranges);

/* Whether what was read is what was written. */
bool wire_same(const struct wire_message *written, const struct knell_route *route, const struct knell_body *body);

#endif
