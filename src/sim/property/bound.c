/* I6: f <= f_max overlapping failures are known to all within T(f). */
#include "sim/property/property.h"

#include "sim/ring.h"

/* Own missing time, accusations and departures are not in the theorem. */
static bool applies(const struct knell_check *check)
{
    return !check->plan.accuses && !check->plan.resumes && !check->plan.leaves && check->condemned == 0;
}

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    knell_time bound = knell_ring_bound(&check->plan.config, check->unstable_deaths);
    (void)node;
    if (fact->type == KNELL_FACT_FAILED && applies(check) && check->unstable_since != KNELL_NEVER &&
        bound != KNELL_NEVER && check->world->now - check->unstable_since > bound)
        knell_check_violate(check, &knell_property_bound, "%u failures took longer than T(f)", check->unstable_deaths);
}

const struct knell_property knell_property_bound = {
    .name = "bound", .says = "f <= f_max failures are known to all within T(f)", .fact = on_fact};
