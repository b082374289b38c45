/* step: see step.h. */
#include "core/step.h"

void knell__send(struct knell__step *step, const knell_rank *to, uint32_t count, const struct knell_route *route,
                 const struct knell_body *body)
{
    if (count == 0)
        return;
    KNELL__COUNT(step->node, messages_sent, count);
    step->sink->send(step->sink->driver, to, count, route, body);
}

void knell__send_one(struct knell__step *step, knell_rank to, const struct knell_body *body)
{
    knell__send(step, &to, 1, &(struct knell_route){.from = step->node->self, .hops = 1}, body);
}

void knell__tell(struct knell__step *step, const struct knell_fact *fact)
{
    struct knell_fact told = *fact;
    told.when = step->now;
    step->sink->tell(step->sink->driver, &told);
}
