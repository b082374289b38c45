/* swim_gossip: what the members of swim.h know of each other, and what of it they pass on. */
#ifndef KNELL_SIM_SWIM_GOSSIP_H
#define KNELL_SIM_SWIM_GOSSIP_H

#include "sim/swim.h"

enum knell__swim_state { KNELL__SWIM_ALIVE, KNELL__SWIM_SUSPECT, KNELL__SWIM_DEAD };

/* What one member holds of another. All zero: nothing was ever said about it. */
struct knell__swim_view {
    uint32_t due; /* SUSPECT: the period at whose end it is dead */
    uint32_t incarnation;
    uint16_t left; /* how often this is still to be passed on */
    uint8_t state; /* enum knell__swim_state */
    bool open;     /* in the member's list of open views */
};

/* A member about whom something was said. Most never are: that is what keeps the memory below N^2. */
struct knell__swim_talk {
    uint32_t subject;
    uint32_t holders;              /* living members that hold it for dead */
    uint32_t suspected, declared;  /* the first period; 0: never */
    struct knell__swim_view *view; /* by member */
};

/* The talks that a member passes on, or that wait for a suspicion to end; and how many it holds for dead. */
struct knell__swim_open {
    uint32_t *talk;
    uint32_t count, room;
    uint32_t dead;
};

struct knell__swim_gossip {
    struct knell_swim_plan plan;
    uint32_t now;      /* period */
    uint32_t *talk_of; /* by member: its talk + 1; 0: none */
    struct knell__swim_talk *talk;
    uint32_t talks, made, room;    /* in this run; with memory; in the array */
    struct knell__swim_open *open; /* by member */
    bool no_memory;
};

bool knell__swim_gossip_init(struct knell__swim_gossip *gossip, const struct knell_swim_plan *plan);
void knell__swim_gossip_free(struct knell__swim_gossip *gossip);
void knell__swim_gossip_begin(struct knell__swim_gossip *gossip);

bool knell__swim_holds_dead(const struct knell__swim_gossip *gossip, uint32_t member, uint32_t subject);

/* A probe of `subject` by `member` failed. */
void knell__swim_suspect(struct knell__swim_gossip *gossip, uint32_t member, uint32_t subject);

/* A message: its updates count as passed on whether or not it arrives. */
void knell__swim_tell(struct knell__swim_gossip *gossip, uint32_t from, uint32_t to, bool arrives);

/* The period ends: suspicions of this member that have lasted long enough are deaths. */
void knell__swim_end_period(struct knell__swim_gossip *gossip, uint32_t member);

#endif
