/* check: small random worlds in which everything happens at once, judged by every property the protocol promises.
 *
 * A world is drawn from a key (check_plan.c), run to its end (check.c) and judged by the properties (property/, one file
 * each, numbered as in docs/protocol.md). The key is the reproduction. */
#ifndef KNELL_SIM_CHECK_H
#define KNELL_SIM_CHECK_H

#include "sim/world.h"

#include <stdio.h>

enum { KNELL_CHECK_NODES = 20, KNELL_CHECK_GROUPS = 4, KNELL_CHECK_OPS = 8, KNELL_CHECK_ACTS = 160 };
typedef uint32_t knell_mask; /* a set of nodes */

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
    struct knell_op op[KNELL_CHECK_OPS];
    uint32_t ops;
    struct knell_act act[KNELL_CHECK_ACTS];
    uint32_t acts;
    uint32_t crashes;
    bool accuses, resumes, leaves; /* some act of that kind is in it */
    bool revokes;
    knell_rank order[KNELL_CHECK_NODES];
    uint32_t position[KNELL_CHECK_NODES];
};
void knell_check_plan_draw(struct knell_check_plan *plan, uint64_t key);

/* What a node got out of one operation. */
struct knell_outcome {
    bool asked, decided;
    uint64_t brought, value;
    uint8_t flags;
    knell_mask dead;
    knell_time when;
};

struct knell_check {
    struct knell_check_plan plan;
    struct knell_world *world;
    knell_mask all, dead, left, condemned; /* the truth; condemned: accused while alive, or triggered */
    knell_mask failed_told[KNELL_CHECK_NODES], left_told[KNELL_CHECK_NODES], fenced;
    knell_mask registered[KNELL_CHECK_GROUPS], revoked[KNELL_CHECK_GROUPS]; /* nodes that have */
    bool revoke_began[KNELL_CHECK_GROUPS];
    uint32_t next_op[KNELL_CHECK_NODES];
    struct knell_outcome outcome[KNELL_CHECK_OPS][KNELL_CHECK_NODES];
    knell_time unstable_since; /* KNELL_NEVER: stable */
    uint32_t unstable_deaths;
    uint32_t next_act;
    struct knell_group group[KNELL_CHECK_GROUPS];
    knell_rank members[KNELL_CHECK_GROUPS][KNELL_CHECK_NODES];
    FILE *log;              /* what happens, for people; NULL: silent */
    const char *violated;   /* name of the first property violated */
    char complaint[160];
    bool settled, no_memory;
};

/* Nodes that live and are held for nothing else. */
knell_mask knell_check_sound(const struct knell_check *check);

struct knell_property {
    const char *name;
    const char *says;
    void (*fact)(struct knell_check *check, knell_rank node, const struct knell_fact *fact); /* as it is told; may be NULL */
    void (*end)(struct knell_check *check); /* when nothing more will happen; may be NULL */
};
extern const struct knell_property *const knell_properties[]; /* ends with NULL */

/* Notes a violation; the first one stays. */
void knell_check_violate(struct knell_check *check, const struct knell_property *property, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs the world of that key; `check` is all zero or was used before. */
void knell_check_run(struct knell_check *check, uint64_t key, FILE *log);

#endif
