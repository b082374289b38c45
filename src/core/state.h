/* state.h: the layout of a node: what all machines of the core share.
 *
 * The node is one block: this struct, then its areas in the order of memory.h. One file is one machine, and a file uses only
 * those above it:
 *   state.h     this layout                                    memory.c     its areas; making and moving it
 *   step.c      the step under way: sending, telling           dead.c       D: merging, fencing
 *   split.c     which side of a split goes on
 *   tree.c      the tree of an agreement (pure)                overlay.c    who forwards to whom (pure)
 *   broadcast.c T5, both overlays, anti-entropy                ring.c       heartbeats, suspicion, reconnection (T1-T4)
 *   dropped.c   ids of dropped groups                          registry.c   the groups that there are
 *   agree.c     agreement                                      leave.c      departure
 *   group.c     early messages, revoke                         room.c       does all that a step may add fit?
 *   node.c      wiring: dispatch, what follows from a death, questions */
#ifndef KNELL_CORE_STATE_H
#define KNELL_CORE_STATE_H

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
    uint64_t known; /* split.c: digest of the gone that all know who are in `covered` */
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
    uint64_t marks_digest; /* of those who left and of the settled */
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
    uint32_t settled_ranges; /* split.c */
    struct knell_group world;
    struct knell_limits needed; /* after KNELL_EFULL */
};

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
static inline struct knell_range *knell__settled(struct knell_node *node)
{
    return knell__left(node) + node->limits.dead_ranges;
}
static inline uint64_t knell__digest(const struct knell_node *node)
{
    return node->gone_digest + node->marks_digest;
}

#define KNELL__COUNT(node, field, by)        \
    do {                                     \
        if ((node)->counters)                \
            (node)->counters->field += (by); \
    } while (0)

#endif
