/* A small in-memory network of real nodes: the driver of the core's unit tests and traces.
 *
 * Every message that a node sends is copied and waits on the wire until the test delivers it: by hand, one by one,
 * or by time (world_run), where each takes `delay`. Every fact is kept. A node that says KNELL_EFULL is moved into
 * larger memory and fed again. Switches make the driver nasty: nodes that move before every step, that are cut down
 * in the middle of a send, memory as small as can be. */
#ifndef KNELL_TEST_WORLD_H
#define KNELL_TEST_WORLD_H

#include <knell/core.h>

#define WORLD_VALUE 16

/* What was told, with the bytes behind its pointers. */
struct world_fact {
    knell_rank at;
    struct knell_fact fact;
    uint8_t value[WORLD_VALUE];
    uint32_t dead_count;
    uint64_t dead_mask; /* of ranks below 64 */
};

struct world_body {
    uint32_t users;
    struct knell_body body; /* what it points to follows */
};

struct world_message {
    knell_rank to;
    knell_time arrives;
    struct knell_route route;
    struct world_body *held;
};

struct world_slot {
    void *block;
    struct knell_node *node;
    bool crashed;
    uint32_t may_send; /* messages until it is cut down, UINT32_MAX: never */
};

struct world {
    struct knell_config config; /* set what differs from the defaults before world_start */
    struct knell_limits limits;
    struct knell_counters counters;
    bool move_each_step;   /* into a fresh block of the same size, the old one overwritten */
    bool check_refusals;   /* every KNELL_EFULL is held against the rules of the header */
    bool drop_heartbeats;  /* they are counted and vanish */
    bool quiet;            /* no log */
    bool log_heartbeats;   /* they are logged too */
    knell_time delay;      /* of every message in world_run */
    uint64_t random_delay; /* seed: delays are uniform in 1 .. delay instead; 0: off */
    knell_time now;
    struct world_slot *slot; /* by rank */
    struct world_message *wire;
    uint32_t wire_count, wire_room;
    struct world_fact *fact;
    uint32_t fact_count, fact_room;
    char *log;
    size_t log_size, log_room;
    uint64_t sent[KNELL_MESSAGE_END]; /* messages handed over, by type */
    uint64_t refusals;                /* KNELL_EFULL seen */
    uint64_t draws;
    knell_rank stepping;
};

/* A world of `ranks` with eta 10, tau 1, delta 30, delay 1, memory as by knell_limits_default(). */
void world_open(struct world *w, uint32_t ranks);
void world_start(struct world *w); /* all at time 0, first heartbeat after eta */
void world_close(struct world *w);

int world_step(struct world *w, knell_rank rank, struct knell_event event);
int world_tick(struct world *w, knell_rank rank);
int world_suspect(struct world *w, knell_rank rank, knell_rank who, enum knell_why why);
int world_leave(struct world *w, knell_rank rank);
int world_trigger(struct world *w, knell_rank rank);
int world_resumed(struct world *w, knell_rank rank, knell_time gap);
int world_group(struct world *w, knell_rank rank, const struct knell_group *group);
int world_drop(struct world *w, knell_rank rank, uint64_t group);
int world_revoke(struct world *w, knell_rank rank, uint64_t group);
int world_propose(struct world *w, knell_rank rank, uint64_t group, enum knell_kind kind, uint8_t value,
                  uint64_t acked);
/* Feeds a message that nobody sent. */
int world_inject(struct world *w, knell_rank from, knell_rank to, struct knell_body body);
void world_crash(struct world *w, knell_rank rank);

/* The first message on the wire of this type to `to` (KNELL_NOBODY: to anyone); -1 if there is none. */
int world_find(const struct world *w, enum knell_message type, knell_rank to);
void world_deliver(struct world *w, uint32_t at);
void world_lose(struct world *w, uint32_t at);
void world_deliver_all(struct world *w); /* in order of sending, without letting time pass */
void world_deliver_shuffled(struct world *w, uint64_t seed);
void world_run(struct world *w, knell_time until); /* messages before timers */

bool world_alive(const struct world *w, knell_rank rank); /* runs and was not crashed */
uint32_t world_facts(const struct world *w, knell_rank at, enum knell_fact_type type, knell_rank about);
const struct world_fact *world_fact(const struct world *w, knell_rank at, enum knell_fact_type type);

/* Appends to the log; a line begins with the time. */
void world_note(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
