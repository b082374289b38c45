/* two_nodes: a driver of the core in its smallest form. Node 1 falls silent after 1.5 s; node 0 finds out. */
#include <knell/core.h>
#include <stdio.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

static struct letter {
    knell_rank to;
    struct knell_route route;
    struct knell_body body;
} mail[16];
static unsigned letters;

/* A heartbeat points to nothing, so a plain copy will do here. Real drivers encode messages with knell/wire.h. */
static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    (void)driver;
    for (uint32_t i = 0; i < count && letters < 16; i++)
        mail[letters++] = (struct letter){to[i], *route, *body};
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    (void)driver;
    if (fact->type == KNELL_FACT_FAILED)
        printf("%d ms: node %u is dead, says node %u (%s)\n", (int)(fact->when / MS), fact->rank, fact->by,
               knell_why_text(fact->why));
}

int main(void)
{
    const struct knell_config config = {.ranks = 2, .eta = 100 * MS, .delta = 1000 * MS, .tau = 1 * MS};
    const struct knell_limits limits = knell_limits_default();
    const struct knell_sink sink = {.send = on_send, .tell = on_tell};
    struct knell_node *node[2];
    for (knell_rank r = 0; r < 2; r++) {
        void *memory = malloc(knell_node_size(&limits));
        if (!memory || knell_node_init(memory, &limits, &config, r, NULL, &node[r]) != 0)
            return 1;
        knell_node_step(node[r], &(struct knell_event){.type = KNELL_EVENT_START}, &sink);
    }
    for (knell_time now = 0; now < 3000 * MS; now += MS) {
        bool alive[2] = {true, now < 1500 * MS};
        while (letters > 0) {                  /* messages first, */
            struct letter l = mail[--letters]; /* a step may send: take it out first */
            struct knell_event event = {
                .type = KNELL_EVENT_MESSAGE, .now = now, .as.message = {.route = l.route, .body = &l.body}};
            if (alive[l.to])
                knell_node_step(node[l.to], &event, &sink);
        }
        for (knell_rank r = 0; r < 2; r++) /* then timers */
            if (alive[r] && knell_node_deadline(node[r]) <= now)
                knell_node_step(node[r], &(struct knell_event){.type = KNELL_EVENT_TICK, .now = now}, &sink);
    }
    free(node[0]);
    free(node[1]);
    return 0;
}
