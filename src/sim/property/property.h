/* property.h: for the property files. */
#ifndef KNELL_SIM_PROPERTY_H
#define KNELL_SIM_PROPERTY_H

#include "sim/check.h"

extern const struct knell_property knell_property_accuracy, knell_property_completeness, knell_property_fence,
    knell_property_ring, knell_property_bound, knell_property_left, knell_property_agreement, knell_property_validity,
    knell_property_termination, knell_property_revoke, knell_property_split;

#endif
