/* judge: the truth about a run in which nodes die, fall silent and come back: who knows what, and what must not have been.
 *
 * A node is *present* while it lives, runs, reaches the others and is not held for dead by one of them. A *failure* is a node
 * that dies, or that a present node holds for dead: from then on it counts as gone, though it may live on for a while. The
 * platform is *stable* when every present node knows every failure and the ring is closed around them.
 *
 * A node that was paused or cut off may be taken for dead: its silence looks like death. So may whoever it listened to while
 * it was cut off, and for a short while after a link is mended anybody, on the word of those who were cut off. That a node is
 * suspected without such an excuse is a violation, and so is a failure that does not become known to all. */
#ifndef KNELL_SIM_JUDGE_H
#define KNELL_SIM_JUDGE_H

#include "sim/outage.h"
#include "sim/ring.h"

struct knell_verdict {
    bool has_first, has_stable;
    double first_s;  /* from the first failure until every present node knows it, */
    double stable_s; /* the longest time from a failure until the platform was stable */
    uint32_t failures;
    uint32_t detections;       /* a node found another one silent for too long */
    uint32_t suspected_living; /* of these, without an excuse */
    uint32_t never_known;      /* failures not known to all, long after */
};

struct knell_judge;

/* NULL: no memory. Keeps a pointer to the world, whose outage is there. */
struct knell_judge *knell_judge_new(struct knell_world *world);
void knell_judge_free(struct knell_judge *judge);

/* Who wants to hear of what happens; may be NULL. Times since the start of the run. */
struct knell_judge_log {
    void *context;
    void (*event)(void *context, const struct knell_ring_event *event);
};
void knell_judge_begin(struct knell_judge *judge, const struct knell_judge_log *log);

/* To be told: of every fact, of every death right after it, and of every change of an outage of that node. */
void knell_judge_fact(struct knell_judge *judge, knell_rank node, const struct knell_fact *fact);
void knell_judge_death(struct knell_judge *judge, knell_rank rank);
void knell_judge_outage(struct knell_judge *judge, knell_rank rank);

/* Looks whether the platform is stable now. */
bool knell_judge_is_stable(struct knell_judge *judge);

/* True: some living node is silent and nobody holds it for dead yet. */
bool knell_judge_is_pending(const struct knell_judge *judge);

struct knell_verdict knell_judge_end(struct knell_judge *judge);

#endif
