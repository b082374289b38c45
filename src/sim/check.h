/* check: small random worlds in which everything happens at once, judged by every property the protocol promises.
 *
 * A world is drawn from a key (check_plan.c), run to its end (check.c) and judged by the properties (property/, one file
 * each, numbered as in docs/design/protocol.md). The key is the reproduction. */
#ifndef KNELL_SIM_CHECK_H
#define KNELL_SIM_CHECK_H

#include "sim/world.h"

#include <stdio.h>

enum { KNELL_CHECK_NODES = 20, KNELL_CHECK_GROUPS = 7, KNELL_CHECK_OPS = 16, KNELL_CHECK_ACTS = 360 };
enum { KNELL_CHECK_CUTS = 8 };
typedef uint32_t knell_mask; /* a set of nodes */

static inline bool knell__has(knell_mask set, knell_rank node)
{
    return set >> node & 1;
}

static inline knell_mask knell__one(knell_rank node)
{
    return UINT32_C(1) << node;
}

/* The edges of the model: what is to happen in a world for certain. In a world of any kind each of them happens now and then. */
enum knell_edge {
    KNELL_EDGE_ANY,
    KNELL_EDGE_LEAVES, /* nodes leave the moment they return from an agreement; half of these worlds know no other end */
    KNELL_EDGE_ACCUSERS, /* a living node is accused by one that dies right then, and whose death is reported at once */
    KNELL_EDGE_DROPS,    /* groups are dropped after their last operation, others are registered in their place */
    KNELL_EDGE_REVOKES,  /* who revokes, and some who would pass it on, die in the middle of it */
    KNELL_EDGE_SPLITS, /* the network splits, and may heal, some times in a row; the small side ends (check_split.c) */
    KNELL_EDGE_END,
};

/* What a plan makes happen at a time. */
enum knell_act_type {
    KNELL_ACT_CRASH,    /* node dies */
    KNELL_ACT_DOOM,     /* node dies in its next step after `number` messages */
    KNELL_ACT_LEAVE,    /* node departs */
    KNELL_ACT_TRIGGER,  /* node has itself declared dead */
    KNELL_ACT_REPORT,   /* node's kernel reports that `number` is dead, if it is */
    KNELL_ACT_ACCUSE,   /* node is told by an operator that `number` is dead, though it may live */
    KNELL_ACT_RESUME,   /* node finds that it did not run for `number` ns */
    KNELL_ACT_REGISTER, /* node registers group `number` */
    KNELL_ACT_PROCEED,  /* node goes on with its operations */
    KNELL_ACT_REVOKE,   /* node revokes group `number` */
    KNELL_ACT_CUT,      /* the network splits as cut `number` says */
    KNELL_ACT_HEAL,     /* and is whole again */
};
struct knell_act {
    knell_time time;
    enum knell_act_type type;
    knell_rank node;
    uint32_t number;
};

/* An agreement that every member of a group takes part in, in the order of the list. */
struct knell_op {
    uint32_t group; /* index; 0 is the world */
    enum knell_kind kind;
};

struct knell_check_plan {
    struct knell_config config;
    enum knell_network network;
    bool wire; /* every message goes through its bytes */
    uint32_t groups;
    knell_mask member[KNELL_CHECK_GROUPS];
    bool drops[KNELL_CHECK_GROUPS]; /* who is through with its last operation drops it */
    struct knell_op op[KNELL_CHECK_OPS];
    uint32_t ops;
    bool at_a_time; /* a node is in all its groups and kinds at once, not in one after the other */
    uint8_t leaves_after[KNELL_CHECK_NODES]; /* the operation from which a node returns to leave, plus 1; 0: none */
    knell_mask brief;                        /* nodes that bring half the value of the others, */
    knell_mask careless;                     /* and that acknowledge no failures */
    struct knell_act act[KNELL_CHECK_ACTS];
    uint32_t acts;
    uint32_t crashes;
    bool accuses, resumes, leaves; /* some act of that kind is in it */
    bool revokes;
    /* KNELL_EDGE_SPLITS alone. */
    bool splits;
    bool orderly;                    /* one thing after the other: `survivors` is known beforehand */
    bool brief_cuts;                 /* too short for anybody to be found silent, and nobody dies */
    uint8_t host[KNELL_CHECK_NODES]; /* no cut goes through one; only there does the kernel tell of an end */
    uint8_t side[KNELL_CHECK_CUTS][KNELL_CHECK_NODES]; /* of each cut */
    knell_time op_time[KNELL_CHECK_OPS];               /* nobody enters it before */
    knell_mask survivors;
    knell_rank order[KNELL_CHECK_NODES];
    uint32_t position[KNELL_CHECK_NODES];
};
void knell_check_plan_draw(struct knell_check_plan *plan, enum knell_edge edge, uint64_t key);

/* For check_plan.c: check_split.c, a plan with splits and nothing else; what is not said is zero. */
void knell__check_splits_draw(struct knell_check_plan *plan, struct knell_prng *prng);

/* So long after a split, a death or the end of a split everybody who can know does, and all agreements are through. */
knell_time knell__check_calm(const struct knell_check_plan *plan);

/* For check_plan.c: the edges, drawn after all else and from numbers of their own. */
void knell__check_edges_draw(struct knell_check_plan *plan, enum knell_edge edge, uint64_t key, knell_time from,
                             knell_time window);
void knell__check_act(struct knell_check_plan *plan, knell_time time, enum knell_act_type type, knell_rank node,
                      uint32_t number);

/* What a node got out of one operation. */
struct knell_outcome {
    bool asked, decided;
    uint64_t brought, value;
    uint32_t value_size;
    uint8_t flags;
    knell_mask knew;  /* of the gone, when it entered, */
    knell_mask acked; /* and of these the members it acknowledged */
    knell_mask dead;
    knell_time when;
};

struct knell_check {
    struct knell_check_plan plan;
    struct knell_world *world;
    knell_mask all, dead, left, condemned; /* the truth; condemned: accused while alive, or triggered */
    knell_mask failed_told[KNELL_CHECK_NODES], left_told[KNELL_CHECK_NODES], fenced;
    knell_mask split_off; /* nodes that were told that they are on the small side */
    knell_mask registered[KNELL_CHECK_GROUPS], revoked[KNELL_CHECK_GROUPS]; /* nodes that have */
    bool revoke_began[KNELL_CHECK_GROUPS];
    knell_mask dropped[KNELL_CHECK_GROUPS];
    knell_mask leaving; /* nodes that were told to leave and have not left yet, */
    knell_mask departs; /* and those to be told so now */
    uint32_t returned;  /* the operation from which the node has just returned whose decision is being judged */
    struct knell_outcome outcome[KNELL_CHECK_OPS][KNELL_CHECK_NODES];
    knell_time unstable_since; /* KNELL_NEVER: stable */
    uint32_t unstable_deaths;
    uint32_t next_act;
    struct knell_group group[KNELL_CHECK_GROUPS];
    knell_rank members[KNELL_CHECK_GROUPS][KNELL_CHECK_NODES];
    FILE *log;            /* what happens, for people; NULL: silent */
    const char *violated; /* name of the first property violated */
    char complaint[160];
    bool settled, no_memory;
};

/* Nodes that live and are held for nothing else. */
knell_mask knell_check_sound(const struct knell_check *check);

struct knell_property {
    const char *name;
    const char *says;
    void (*fact)(struct knell_check *check, knell_rank node,
                 const struct knell_fact *fact); /* as it is told; may be NULL */
    void (*end)(struct knell_check *check);      /* when nothing more will happen; may be NULL */
};
extern const struct knell_property *const knell_properties[];       /* ends with NULL */
extern const struct knell_property *const knell_split_properties[]; /* the same for worlds that split */

/* Notes a violation; the first one stays. */
void knell_check_violate(struct knell_check *check, const struct knell_property *property, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs the world of that key; `check` is all zero or was used before. */
void knell_check_run(struct knell_check *check, enum knell_edge edge, uint64_t key, FILE *log);

/* For check.c: check_act.c. What the plan has for now; then fenced nodes end, and whoever returned goes on. */
void knell__check_on_alarm(void *context, struct knell_world *world);
void knell__check_on_decided(struct knell_check *check, knell_rank node, const struct knell_fact *fact);
void knell__check_see_off(struct knell_check *check);                        /* those who have left end */
bool knell__check_is_done(const struct knell_check *check, knell_rank node); /* with all its operations */
/* The last operation of a group that somebody dropped already: when another dies, who is late may wait for ever (core.h, DROP). */
bool knell__check_may_wait(const struct knell_check *check, uint32_t op);
void knell__check_note(struct knell_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
