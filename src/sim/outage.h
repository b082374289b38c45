/* outage: nodes that are paused and links that are cut, in a world with simulated heartbeats.
 *
 * A paused node lives and does nothing: what arrives for it waits, its timers wait. When it goes on it is told for how long
 * it did not run (KNELL_EVENT_RESUMED), then gets its messages in the order of their arrival, then its timers. A message
 * over a cut link is lost if the link is cut when it is sent or when it would arrive. What that does to the protocol is not
 * judged here: see judge.h. */
#ifndef KNELL_SIM_OUTAGE_H
#define KNELL_SIM_OUTAGE_H

#include "sim/links.h"
#include "sim/world.h"

struct knell_silent {
    bool paused;
    bool isolated;      /* cut off from everyone */
    bool tick_waits;    /* its timer went off during the pause */
    uint8_t side;       /* of a split: nodes reach those of the same side */
    uint32_t cut_links; /* single ones */
    knell_time paused_at;
    struct knell_delivery *waiting;
    uint32_t waiting_count, waiting_room;
};

struct knell_outage {
    uint32_t ranks;
    struct knell_silent *node; /* by rank */
    struct knell_links links;
    /* Channels repeat what a split holds up, until it ends or the receiver is held for dead; heartbeats are lost. Without, all is. */
    bool repeats;
    struct knell_delivery *held_up;
    uint32_t held_count, held_room;
};

/* NULL: no memory. To be put into world->outage by whoever made it, and freed by them after the world's last run. */
struct knell_outage *knell_outage_new(uint32_t ranks);
void knell_outage_free(struct knell_outage *outage);

/* Everybody runs, all links are whole. Before knell_world_begin. */
void knell_outage_begin(struct knell_outage *outage);

/* Of a living node. Each returns whether it changed anything. */
bool knell_outage_pause(struct knell_world *world, knell_rank rank);
bool knell_outage_resume(struct knell_world *world, knell_rank rank);

/* The node is cut off from everyone; joining again also mends its single links. */
bool knell_outage_isolate(struct knell_world *world, knell_rank rank);
bool knell_outage_rejoin(struct knell_world *world, knell_rank rank);
bool knell_outage_cut(struct knell_world *world, knell_rank a, knell_rank b);
bool knell_outage_heal(struct knell_world *world, knell_rank a, knell_rank b);

/* The network splits: each node goes to the side of its number, or, with NULL, all come together again. */
void knell_outage_split(struct knell_world *world, const uint8_t *side);

/* ---- for world.c ----------------------------------------------------------------------------------------------------------- */

bool knell__outage_drops(const struct knell_outage *outage, knell_rank from, knell_rank to);

/* Keeps a message that the network drops, if channels repeat it; takes a hold on its body. */
void knell__outage_hold_up(struct knell_world *world, const struct knell_delivery *delivery);

/* What becomes of a message that is there now. */
enum knell_fate {
    KNELL_FATE_ARRIVES,
    KNELL_FATE_WAITS, /* it is kept here, with the hold on its body */
    KNELL_FATE_LOST,
};
enum knell_fate knell__outage_fate(struct knell_world *world, const struct knell_delivery *delivery);

/* True: the timer of a paused node, which waits. */
bool knell__outage_keeps_tick(struct knell_world *world, knell_rank rank);

#endif
