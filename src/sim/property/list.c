/* All properties, in the order they are judged. */
#include "sim/property/property.h"

const struct knell_property *const knell_properties[] = {
    &knell_property_accuracy,
    &knell_property_fence,
    &knell_property_left,
    &knell_property_agreement,
    &knell_property_validity,
    &knell_property_bound,
    &knell_property_completeness,
    &knell_property_ring,
    &knell_property_termination,
    &knell_property_revoke,
    NULL,
};

const struct knell_property *const knell_split_properties[] = {&knell_property_split, NULL};
