/* A tiny driver of the installed core: node 0 of four starts, and its first heartbeat goes to node 1. */
#include <knell/core.h>
#include <stdio.h>
#include <stdlib.h>

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    int *heartbeats = driver;

    (void)route;
    if (body->type == KNELL_MESSAGE_HEARTBEAT && count == 1 && to[0] == 1)
        ++*heartbeats;
}

static void on_fact(void *driver, const struct knell_fact *fact)
{
    (void)driver;
    printf("unexpected fact %d\n", (int)fact->type);
}

int main(void)
{
    const struct knell_config config = {.ranks = 4, .eta = 100, .delta = 1000, .tau = 1};
    const struct knell_limits limits = knell_limits_default();
    struct knell_event start = {.type = KNELL_EVENT_START, .now = 0, .as.start.first_heartbeat = config.eta};
    struct knell_event tick = {.type = KNELL_EVENT_TICK, .now = config.eta};
    int heartbeats = 0;
    const struct knell_sink sink = {&heartbeats, on_send, on_fact};
    void *memory = malloc(knell_node_size(&limits));
    struct knell_node *node;
    int error;

    if (!memory || (error = knell_node_init(memory, &limits, &config, 0, NULL, &node)) != 0)
        return 1;
    if ((error = knell_node_step(node, &start, &sink)) != 0 || (error = knell_node_step(node, &tick, &sink)) != 0)
        printf("step: %s\n", knell_error_text(error));
    free(memory);
    printf("%d heartbeat\n", heartbeats);
    return error != 0 || heartbeats != 1;
}
