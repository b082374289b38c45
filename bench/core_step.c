/* One step of the protocol core by what the node is given, at 256,000 ranks, in cache: a heartbeat, a broadcast seen
 * before, one seen for the first time (and forwarded to its neighbours), and one that brings a new death too. */
#include "bench.h"

#include <knell/core.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400000, SELF = 1000, SOURCE = 77, DEAD = 76, KINDS = 4 };

struct load {
    const char *what;
    struct knell_body body;
    int64_t later;     /* how much is added to the emission time at each step */
    uint32_t sequence; /* and to the sequence */
    bool fresh;        /* a node that knows nothing yet, at each step */
};

static uint64_t sent;

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    (void)driver, (void)to, (void)route, (void)body;
    sent += count;
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    (void)driver, (void)fact;
}

static const struct knell_config config = {
    .ranks = 256000,
    .eta = INT64_C(10000000000),
    .delta = INT64_C(60000000000),
    .tau = 1000,
    .beats = KNELL_BEATS_POSTED,
};
static const struct knell_sink sink = {.send = on_send, .tell = on_tell};

static void check(int error)
{
    if (error) {
        fprintf(stderr, "bench: %s\n", knell_error_text(error));
        exit(1);
    }
}

/* Nanoseconds a step. The new node of a fresh load is a copy of one that has just started: a memcpy of some 300 bytes. */
static double run(const struct load *load, size_t size, const void *started, void *memory)
{
    struct knell_body body = load->body;
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE, .now = 1};
    struct knell_node *node = memory;

    memcpy(memory, started, size);
    event.as.message.body = &body;
    event.as.message.route =
        (struct knell_route){.from = load->body.type == KNELL_MESSAGE_HEARTBEAT ? SELF - 1 : SOURCE, .hops = 1};
    check(knell_node_step(node, &event, &sink));
    double begun = bench_cpu_s();
    for (int i = 0; i < STEPS; i++) {
        if (load->fresh)
            memcpy(memory, started, size);
        body.emitted += load->later;
        body.sequence += load->sequence;
        event.now = body.emitted + 1;
        check(knell_node_step(node, &event, &sink));
    }
    return (bench_cpu_s() - begun) * 1e9 / STEPS;
}

/* A started node, and the digest that its list has once DEAD is in it, learned from a broadcast. */
static void prepare(void *memory, const struct knell_limits *limits, struct knell_body *broadcast)
{
    struct knell_node *node;
    struct knell_event start = {.type = KNELL_EVENT_START};
    void *other = malloc(knell_node_size(limits));

    check(knell_node_init(other, limits, &config, SOURCE, NULL, &node));
    check(knell_node_step(node, &start, &sink));
    struct knell_event suspect = {.type = KNELL_EVENT_SUSPECT, .now = 1};
    suspect.as.suspect.rank = DEAD;
    suspect.as.suspect.why = KNELL_WHY_KERNEL;
    check(knell_node_step(node, &suspect, &sink));
    broadcast->dead = knell_node_dead(node); /* `other` stays: the list is in it */
    check(knell_node_init(memory, limits, &config, SELF, NULL, &node));
    check(knell_node_step(node, &start, &sink));
}

int main(void)
{
    struct knell_limits limits = knell_limits_default();
    size_t size = knell_node_size(&limits);
    void *started = aligned_alloc(64, (size + 63) & ~(size_t)63),
         *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);
    struct knell_body broadcast = {
        .type = KNELL_MESSAGE_BROADCAST, .why = KNELL_WHY_TIMEOUT, .source = SOURCE, .sequence = 1, .subject = DEAD};
    prepare(started, &limits, &broadcast);
    const struct load loads[KINDS] = {
        {"heartbeat", {.type = KNELL_MESSAGE_HEARTBEAT, .subject = KNELL_NOBODY}, 1000, 0, false},
        {"broadcast, a copy seen before", broadcast, 0, 0, false},
        {"broadcast, first seen, the death known", broadcast, 0, 1, false},
        {"broadcast, first seen, the death new", broadcast, 0, 0, true},
    };
    struct bench_series series[KINDS] = {0};
    double copies[KINDS];
    FILE *csv = bench_begin("core_step", "One step of the core, 256,000 ranks, circulant");

    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        for (int k = 0; k < KINDS; k++) {
            sent = 0;
            bench_add(&series[k], run(&loads[k], size, started, memory));
            copies[k] = (double)sent / STEPS;
        }
    }
    for (int k = 0; k < KINDS; k++) {
        char what[80];
        snprintf(what, sizeof what, "%s (%.0f sent)", loads[k].what, copies[k]);
        bench_row(csv, what, "ns", &series[k], NULL, false);
    }
    bench_end(csv);
    free(started);
    free(memory);
    return 0;
}
