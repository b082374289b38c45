/* node.h: what the files of the core share: the node's layout and the seams between its machines.
 *
 * The node is one block: this struct, then its areas in the order of knell__areas. Who meets whom:
 *   node.c      wiring: room check, dispatch, questions        ring.c       heartbeats, suspicion, reconnection (T1-T4)
 *   dead.c      D: merging, telling, fencing                   broadcast.c  T5, both overlays, anti-entropy
 *   overlay.c   who forwards to whom (pure)                    group.c      registry, early messages, revoke
 *   agree.c     agreement                                      tree.c       its tree (pure)
 *   leave.c     departure                                      agree.h      what leave.c and agree.c share
 *   dropped.c   ids of dropped groups */
#ifndef KNELL_CORE_NODE_H
#define KNELL_CORE_NODE_H

#include <knell/core.h>

/* The highest broadcast number seen of a source: all the memory deduplication needs. */
struct knell__source {
    knell_rank rank;
    uint32_t highest;
};

/* Ids of dropped groups, a stretch of them. */
struct knell__ids {
    uint64_t first, last;
};

/* A registered group. */
#define KNELL__FLOODS 4
struct knell__member {
    const struct knell_group *group;
    uint64_t id;
    uint64_t flood[KNELL__FLOODS]; /* digests of the dead lists under which a revoke was forwarded, */
    uint32_t flood_size;           /* all of this length */
    uint64_t mended;               /* digest of the dead members when the revoke was last spread from here */
    uint8_t floods;
    bool revoked;
};

enum knell__slot_state { KNELL__SLOT_FREE, KNELL__SLOT_OPEN, KNELL__SLOT_DECIDED };

/* One instance of agreement. Its value and its ranges (covered indices while open, agreed dead once decided) lie in the
 * agreement's part of the block. */
struct knell__slot {
    uint64_t acked;
    uint32_t instance;
    uint32_t reign;   /* index of the root for whom `covered` was collected */
    uint32_t said_to; /* whom this node last told: its contribution while open, the decision after */
    uint32_t told_by; /* who told this node the decision; KNELL_NOBODY: it made it */
    uint32_t asks;    /* leave.c: whom it asks whether it holds the decision; KNELL_NOBODY: nobody yet */
    uint32_t value_size;
    uint32_t ranges;
    uint8_t state; /* enum knell__slot_state */
    uint8_t flags;
    uint8_t operation;
    bool started;     /* some contribution was folded in */
    bool contributed; /* the own one was */
    bool asked;       /* the driver waits for the decision */
    bool handed;      /* leave.c: everyone around holds the decision */
};

/* All instances of one kind in one group: the one in progress and the one before it. */
struct knell__agreement {
    uint64_t group;
    uint32_t next; /* instances the driver has asked for */
    uint8_t kind;
    struct knell__slot slot[2];
};

/* The first 64 bytes and the beginning of the areas are all that a repeated broadcast touches: at 256,000 nodes a message
 * costs what it misses in the cache. */
struct knell_node {
    const struct knell_config *config;
    struct knell_counters *counters;
    uint64_t gone_digest;
    uint64_t left_digest;
    knell_rank self;
    uint32_t gone_size;
    uint32_t gone_ranges;
    uint32_t left_ranges;
    uint32_t sources;
    uint8_t state;  /* enum knell_state */
    bool triggered; /* fenced by its own wish: says so to whoever asks */
    bool leaving;   /* its driver wants it to leave; it makes sure of its decisions first */
    struct knell_limits limits;
    /* Ring. */
    knell_rank emitter;
    knell_rank observer;
    knell_time beat_next;    /* next own heartbeat */
    knell_time beat_last;    /* the one before */
    knell_time suspicion;    /* when the emitter is suspected */
    knell_time floor;        /* no suspicion before: own missing time */
    knell_time heard;        /* emission time of the emitter's newest heartbeat */
    uint64_t differs_theirs; /* the pair of digests that differed at the last heartbeat */
    uint64_t differs_mine;
    /* The rest. */
    uint32_t sequence; /* own broadcasts */
    uint32_t groups;
    uint32_t dropped; /* stretches of ids */
    uint32_t agreements;
    uint32_t pending_used;
    uint32_t leave_failures; /* leave.c: how many had failed when it began to ask */
    struct knell_group world;
    struct knell_limits needed; /* after KNELL_EFULL */
};

/* Where the areas of the block begin, in bytes. */
struct knell__areas {
    size_t sources, gone, left, groups, dropped, agreements, stores, pending, end;
};
struct knell__areas knell__areas_of(const struct knell_limits *limits);

static inline struct knell__source *knell__sources(struct knell_node *node)
{
    return (struct knell__source *)(node + 1);
}
static inline struct knell_range *knell__gone(struct knell_node *node)
{
    return (struct knell_range *)(knell__sources(node) + node->limits.sources);
}
static inline struct knell_range *knell__left(struct knell_node *node)
{
    return knell__gone(node) + node->limits.dead_ranges;
}

#define KNELL__COUNT(node, field, by)        \
    do {                                     \
        if ((node)->counters)                \
            (node)->counters->field += (by); \
    } while (0)

/* One step under way. */
struct knell__step {
    struct knell_node *node;
    knell_time now;
    const struct knell_sink *sink;
};

void knell__send(struct knell__step *step, const knell_rank *to, uint32_t count, const struct knell_route *route,
                 const struct knell_body *body);
void knell__send_one(struct knell__step *step, knell_rank to, const struct knell_body *body);
void knell__tell(struct knell__step *step, const struct knell_fact *fact);

/* dead.c */
struct knell_dead knell__dead(const struct knell_node *node);
bool knell__is_gone(const struct knell_node *node, knell_rank rank);
bool knell__is_left(const struct knell_node *node, knell_rank rank);
void knell__stop(struct knell_node *node, enum knell_state state);
bool knell__fence_if_named(struct knell__step *step, knell_rank from, const struct knell_body *body);
/* Both return whether anything was new; knell__dead_changed must follow when it was. */
bool knell__learn(struct knell__step *step, knell_rank rank, knell_rank by, enum knell_why why);
bool knell__merge(struct knell__step *step, const struct knell_dead *dead, knell_rank by);
void knell__dead_changed(struct knell__step *step);
void knell__groups_dead_changed(struct knell__step *step);
uint64_t knell__digest_in(const struct knell_node *node, const struct knell_group *group);

/* leave.c */
void knell__depart(struct knell__step *step);
void knell__depart_advance(struct knell__step *step); /* at the end of each step of a node that leaves */
void knell__depart_asked(struct knell__step *step, knell_rank from, const struct knell_body *body);
void knell__depart_answered(struct knell__step *step, const struct knell_group *group, knell_rank from,
                            const struct knell_body *body);

/* ring.c */
void knell__ring_start(struct knell__step *step, knell_time first_heartbeat, knell_time grace);
void knell__ring_tick(struct knell__step *step);
void knell__ring_resumed(struct knell__step *step, knell_time gap);
void knell__ring_suspect(struct knell__step *step, knell_rank rank, enum knell_why why);
void knell__ring_trigger(struct knell__step *step);
void knell__ring_trigger_again(struct knell__step *step, const struct knell_route *route,
                               const struct knell_body *body);
void knell__ring_heartbeat(struct knell__step *step, knell_rank from, const struct knell_body *body);
void knell__ring_new_observer(struct knell__step *step, knell_rank from);
void knell__ring_mend(struct knell__step *step);

/* broadcast.c */
void knell__broadcast(struct knell__step *step, knell_rank subject, enum knell_why why);
void knell__broadcast_received(struct knell__step *step, const struct knell_route *route,
                               const struct knell_body *body);
void knell__sync_send(struct knell__step *step, knell_rank to, uint8_t flags);
void knell__sync_received(struct knell__step *step, knell_rank from, const struct knell_body *body, bool news);
struct knell__source *knell__source_find(struct knell_node *node, knell_rank rank);

/* group.c */
struct knell__member *knell__group_find(struct knell_node *node, uint64_t id);
const struct knell_group *knell__group_of(struct knell_node *node, uint64_t id);
void knell__group_register(struct knell__step *step, const struct knell_group *group);
int knell__group_drop(struct knell__step *step, uint64_t id);
void knell__group_message(struct knell__step *step, const struct knell_route *route, const struct knell_body *body);
void knell__revoke(struct knell__step *step, struct knell__member *member);
void knell__revoke_dead_changed(struct knell__step *step);
uint32_t knell__pending_size(const struct knell_body *body);

/* dropped.c */
bool knell__is_dropped(struct knell_node *node, uint64_t id);
void knell__remember_dropped(struct knell_node *node, uint64_t id);

/* agree.c */
struct knell__agreement *knell__agreements(struct knell_node *node);
struct knell__agreement *knell__agreement_find(struct knell_node *node, uint64_t group, unsigned kind);
int knell__agree_propose(struct knell__step *step, const struct knell_event *event);
void knell__agree_up(struct knell__step *step, const struct knell_group *group, knell_rank from,
                     const struct knell_body *body);
void knell__agree_down(struct knell__step *step, const struct knell_group *group, knell_rank from,
                       const struct knell_body *body);
void knell__agree_dead_changed(struct knell__step *step);
void knell__agree_revoked(struct knell__step *step, const struct knell_group *group);
void knell__agree_drop(struct knell_node *node, uint64_t group);

#endif
