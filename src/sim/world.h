/* world: a platform of real protocol nodes under a simulated clock and network. The core does all the thinking; here are
 * time, delays, crashes, and the truth about who is alive.
 *
 * Heartbeats are simulated one by one (KNELL_BEATS_SENT) or elided (KNELL_BEATS_POSTED): then a node's last heartbeat is
 * handed to its observer when the node dies, and a heartbeat that would show two neighbours that their lists differ is
 * delivered once nothing else is on its way; all others would change nothing. */
#ifndef KNELL_SIM_WORLD_H
#define KNELL_SIM_WORLD_H

#include "sim/bodies.h"
#include "sim/queue.h"
#include "util/heap.h"
#include "util/prng.h"

enum knell_network {
    KNELL_NETWORK_LATENCY, /* a message takes a time uniform in (0, tau], whatever else happens */
    KNELL_NETWORK_ONEPORT, /* a message takes tau; a node sends one at a time and receives one at a time */
    KNELL_NETWORK_EXTREME, /* a message takes 1 ns or tau: the orders that hurt */
};

struct knell_world;
struct knell_outage;

/* What whoever runs the world wants to hear of; each may be NULL. */
struct knell_watch {
    void *context;
    void (*fact)(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact);
    void (*delivered)(void *context, struct knell_world *world, const struct knell_delivery *delivery,
                      const struct knell_body *body);
    void (*crashed)(void *context, struct knell_world *world, knell_rank rank);
    void (*timer)(void *context, struct knell_world *world); /* an alarm set by knell_world_alarm has gone off */
};

struct knell_world {
    struct knell_config config;
    enum knell_network network;
    struct knell_watch watch;
    knell_time now;
    uint64_t events;                  /* messages delivered and timers fired */
    uint64_t sent[KNELL_MESSAGE_END]; /* messages by type, also those to the dead */
    struct knell_counters counters;   /* of all nodes together */
    bool broken;                      /* out of memory: results are void */
    bool through_wire;                /* every message is turned into bytes and back; for small worlds */

    struct knell_node **node;
    bool *alive;
    uint8_t *doom; /* by rank: messages it will still send, plus 1; 0: none */
    uint32_t doomed;
    uint32_t living;
    char *slab; /* the nodes as they begin; one that outgrew its place is in memory of its own */
    size_t stride;
    struct knell_limits limits;
    struct knell_queue *queue;
    struct knell_bodies bodies;
    struct knell_heap timers; /* value: rank, or ALARM */
    uint64_t timer_number;
    struct knell_prng prng;
    knell_time *send_free, *receive_free, *died; /* one-port only, but `died` */

    knell_rank stepper; /* the node under way, */
    uint32_t stepping;  /* and the body it is given */
    const struct knell_body *stepping_body;
    uint32_t cut;                /* messages the node under way may still send before it crashes */
    bool connected;              /* a node has taken a new emitter */
    struct knell_outage *outage; /* pauses, cut links, splits, see outage.h; NULL: there are none */
};

/* NULL: no memory, or a configuration that knell_config_check refuses. */
struct knell_world *knell_world_new(const struct knell_config *config, enum knell_network network,
                                    const struct knell_limits *limits);
void knell_world_free(struct knell_world *world);

/* A new life: all alive at time 0, every node's heartbeats at a random phase of eta that depends on `key` and the rank. */
void knell_world_begin(struct knell_world *world, uint64_t key, const struct knell_watch *watch);

/* The phase drawn for that rank, 0 .. eta - 1. */
knell_time knell_world_phase(uint64_t key, knell_rank rank, knell_time eta);

/* The node dies now. */
void knell_world_crash(struct knell_world *world, knell_rank rank);

/* Feeds an event to a living node at the time now, growing its memory if need be. */
int knell_world_step(struct knell_world *world, knell_rank rank, struct knell_event *event);

/* The node crashes in the middle of its next step, having sent `messages` (up to 254) of that step's messages. */
void knell_world_doom(struct knell_world *world, knell_rank rank, uint32_t messages);

/* Calls watch.timer at that time; timers go after messages. */
void knell_world_alarm(struct knell_world *world, knell_time when);

/* When the next thing happens; KNELL_NEVER if nothing will. */
knell_time knell_world_next(struct knell_world *world);

/* Lets the next thing happen. False if there was none, or memory ran out. */
bool knell_world_run_one(struct knell_world *world);

/* Nothing happens before `when`, which is not after knell_world_next(): the clock goes there. */
void knell_world_pass(struct knell_world *world, knell_time when);

/* For outage.c. Delivers now what was kept, and gives its body back. Simulated heartbeats: a node without a timer gets one,
 * for its deadline. */
void knell__world_deliver(struct knell_world *world, struct knell_delivery delivery);
void knell__world_wake(struct knell_world *world, knell_rank rank);
void knell__world_send_again(struct knell_world *world, struct knell_delivery delivery); /* it starts anew, now */

/* True if a message is on its way. */
bool knell_world_is_busy(struct knell_world *world);

/* Elided heartbeats: delivers, in due time, the next heartbeat of every node whose list differs from its observer's.
 * Returns how many. */
uint32_t knell_world_compare_neighbours(struct knell_world *world);

#endif
