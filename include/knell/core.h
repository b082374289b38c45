/* knell/core.h: the protocol core, one node as a state machine.
 *
 * A node is one process's part of the failure detector, the reliable broadcast, revoke and agreement of
 * docs/design/protocol.md. It does nothing by itself: a driver (the simulator, the detector thread) feeds it events with the
 * time in them and carries out what it says:
 *
 *      knell_node_step(node, &event, &sink)      -> sink.send(...)  messages to put on their way
 *                                                   sink.tell(...)  facts to pass on
 *      knell_node_deadline(node)                 -> when to feed the next KNELL_EVENT_TICK
 *
 * The core has no clock, no I/O, no globals and never allocates. Any number of nodes live side by side; a node is used
 * by one thread at a time.
 *
 * Memory. A node lives in one block of the caller's, of knell_node_size(limits) bytes, aligned to 8. It holds no pointer
 * into itself: a node may be copied and moved as bytes while no step runs. It keeps pointers to the config, the counters
 * and the registered groups: these outlive it. When a step would need more than the limits allow it returns KNELL_EFULL
 * *before it changed anything or called the sink*; the driver then moves the node into a larger block
 * (knell_node_wanted, knell_node_move) and feeds the same event again, or drops the event knowing what it loses.
 *
 * Lifetimes. What an event points to is used during the step only. What the sink is given lives until the sink returns.
 * A forwarded body is handed to the sink under the pointer it came in with, so a driver can share it and not copy it.
 * The sink must not step the node that calls it.
 */
#ifndef KNELL_CORE_H
#define KNELL_CORE_H

#include <knell/types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- configuration: one per job, shared by all its nodes ---------------------------------------------------------- */

enum knell_overlay {
    KNELL_OVERLAY_CIRCULANT, /* forward once to the labels at +-2^j; survives 2k - 1 unknown dead; the default */
    KNELL_OVERLAY_HBA,       /* the paper's two hypercube broadcasts; survives k - 1 unknown dead */
};

enum knell_beats {
    KNELL_BEATS_SENT,   /* the node sends its heartbeats as messages, every eta */
    KNELL_BEATS_POSTED, /* the driver publishes knell_node_heartbeat() (shared memory, or knowledge of the simulator) */
};

/* What becomes of a node on the small side of a network that split (protocol.md, "Splits"). */
enum knell_split {
    KNELL_SPLIT_GO_ON, /* the papers: whoever finds the others silent goes on without them; the default */
    KNELL_SPLIT_END, /* a side that may be the smaller one ends: KNELL_FACT_SPLIT, before any agreement returns there */
};

/* Folds `from` into `into`. Must be associative, commutative and idempotent: a contribution may be folded in twice. */
typedef void knell_combine(uint8_t *into, const uint8_t *from, uint32_t size);

struct knell_config {
    uint32_t ranks;   /* N, 2 .. KNELL_RANKS_MAX */
    knell_time eta;   /* heartbeat period, > 0 */
    knell_time delta; /* suspicion timeout, >= eta + tau */
    knell_time tau;   /* bound on one message, > 0 */
    enum knell_overlay overlay;
    enum knell_beats beats;
    bool latest_only; /* broadcasts carry the newest failure only and span all ranks (paper, 5.1) */
    /* The ring as a permutation and its inverse, or both NULL for the natural order. */
    const knell_rank *ring_order;  /* ring_order[position] = rank */
    const uint32_t *ring_position; /* ring_position[rank] = position */
    knell_combine *const *combine; /* operations of agreement by number; NULL: number 0 is the bitwise AND */
    uint32_t combine_count;
    /* The tree of agreements reads an index in digits of so many bits, 1 to 8; 0 is 1: the binomial tree. More make it flat: 3
     * let the first eight answer to one. For nodes that are cheap to reach and slow to be reached. */
    uint32_t tree_bits;
    enum knell_split on_split; /* the same for all nodes */
};

/* 0, or KNELL_EINVAL with one sentence in *why that names the field and what is allowed. */
int knell_config_check(const struct knell_config *config, const char **why);

/* ---- sets of dead, groups ------------------------------------------------------------------------------------------ */

/* A view of a set of processes that are gone: those that failed and, among them, those that left cleanly; and those whose end is
 * settled (with KNELL_SPLIT_END only; who left is among them): they are no silent other side. The lists are as types.h says; knell/wire.h makes sure of it for what comes in as bytes, a driver with another way in must itself. */
struct knell_dead {
    const struct knell_range *gone;
    const struct knell_range *left;
    const struct knell_range *settled;
    uint32_t gone_ranges;
    uint32_t left_ranges;
    uint32_t settled_ranges;
    uint32_t size;   /* how many are gone */
    uint64_t digest; /* equal sets have equal digests; differing ones differ but for one chance in 2^64 */
};

/* A fixed set of processes that agree or revoke together. Shared by all nodes that register it, immutable and alive until
 * the last of them dropped it. Ids are chosen by the driver and never used twice; ids that count up cost the least memory. Group 0 is the world, always there.
 * Revokes spread over the circulant, whatever config.overlay is. */
struct knell_group {
    uint64_t id;
    uint32_t size;
    const knell_rank *member; /* sorted ascending; NULL: all ranks, then size is their number */
};
#define KNELL_WORLD UINT64_C(0)

/* ---- messages ------------------------------------------------------------------------------------------------------ */

enum knell_message {
    KNELL_MESSAGE_HEARTBEAT = 1, /* emitted, dead.size, dead.digest */
    KNELL_MESSAGE_NEW_OBSERVER,  /* the sender watches the receiver from now on */
    KNELL_MESSAGE_TRIGGER,       /* the sender asks to be declared dead */
    KNELL_MESSAGE_BROADCAST,     /* source, sequence, subject, why, dead */
    KNELL_MESSAGE_SYNC,          /* dead; answer when KNELL_FLAG_ANSWER */
    KNELL_MESSAGE_REVOKE,        /* source, group, dead */
    KNELL_MESSAGE_UP,            /* agreement: contribution of a subtree */
    KNELL_MESSAGE_DOWN,          /* agreement: decision */
    KNELL_MESSAGE_END,
};

enum knell_why {
    KNELL_WHY_TIMEOUT = 1, /* no heartbeat for delta */
    KNELL_WHY_TRIGGER,     /* it said so itself */
    KNELL_WHY_KERNEL,      /* the operating system saw the process end */
    KNELL_WHY_HARDWARE,    /* a baseboard controller knows that its power is off: as sure as the kernel's word */
    KNELL_WHY_OPERATOR,    /* a person or a resource manager does not hear of it: no more sure than a timeout */
    KNELL_WHY_TOLD,        /* found in another's list: the first witness is not known here */
    KNELL_WHY_LEFT,        /* clean departure */
    KNELL_WHY_ENDED,       /* it was silent, and somebody on its host ended it: as sure as the kernel's word */
    KNELL_WHY_END,
};

enum {
    KNELL_FLAG_ANSWER = 1,   /* sync: send me what I lack; decision: I leave, say that you hold it */
    KNELL_FLAG_REVOKED = 2,  /* agreement: ended by a revoke */
    KNELL_FLAG_ACKED = 4,    /* agreement: every participant acknowledged the failures */
    KNELL_FLAG_MISMATCH = 8, /* agreement: participants brought values of different sizes or operations */
    KNELL_FLAG_VALUE = 16,   /* agreement: a value is there (a contribution to a revoked instance has none) */
    KNELL_FLAG_HELD = 32,    /* no decision, but the answer to one who leaves: it is held here */
    KNELL_FLAG_SETTLES =
        64, /* decision, KNELL_SPLIT_END: all who live took part: its dead are the other side of no split */
};

/* What is the same for every receiver. Fields a type does not use are zero, but `subject`: KNELL_NOBODY. */
struct knell_body {
    uint8_t type; /* enum knell_message */
    uint8_t why;  /* enum knell_why */
    uint8_t flags;
    uint8_t kind; /* enum knell_kind */
    uint8_t operation;
    knell_rank source;  /* who started the broadcast */
    uint32_t sequence;  /* its number there; agreement: the instance */
    knell_rank subject; /* broadcast: who is dead or has left; KNELL_NOBODY: only the list */
    knell_time emitted; /* heartbeat: when, on the receiver's clock (a driver between hosts translates it) */
    uint64_t group;
    uint64_t acked; /* agreement: digest of the failures acknowledged */
    uint64_t known; /* contribution, KNELL_SPLIT_END: digest of the gone, which all who speak in it know; else 0 */
    uint32_t root;  /* agreement: index of the root in whose reign this was said */
    uint32_t value_size;
    const uint8_t *value;
    struct knell_dead dead;
    const struct knell_range *agreed; /* agreement: the dead that were decided on */
    uint32_t agreed_ranges;
};

/* What changes on the way. */
struct knell_route {
    knell_rank from;   /* the last hop */
    uint8_t hops;      /* 1 for a direct message; stays at 255 */
    uint8_t cube;      /* hba: which of the two cubes, */
    uint8_t copy;      /*      which copy, */
    uint8_t dimension; /*      over which dimension it came */
};

/* ---- events -------------------------------------------------------------------------------------------------------- */

enum knell_event_type {
    KNELL_EVENT_START =
        1,               /* first; `start`. Its emitter must start within grace + delta - first_heartbeat - tau of it */
    KNELL_EVENT_MESSAGE, /* `message` */
    KNELL_EVENT_TICK,    /* the deadline has come; feed all that has arrived before it. Too early does no harm */
    KNELL_EVENT_RESUMED, /* `resumed`: the driver did not run for so long; no suspicion may come from that. Taken at its
                               word: the timeout is longer by it */
    KNELL_EVENT_SUSPECT, /* `suspect`: an outside source knows */
    KNELL_EVENT_LEAVE, /* depart cleanly: gone, not failed. A node that returned decisions first makes sure that others hold
                               them: feed it as before until its state is KNELL_STATE_LEFT, a few message times later. It takes no
                               more wishes (KNELL_ESTOPPED) but this: a second LEAVE ends it at once */
    KNELL_EVENT_TRIGGER, /* have oneself declared dead at once; ends in KNELL_STATE_FENCED, without a fact. While it is fed
                               messages all the same, whoever comes to watch it is told as well: its observer may have died */
    KNELL_EVENT_GROUP,   /* `group`: register; early messages for it are taken up */
    KNELL_EVENT_DROP,    /* `drop`: forget the group. A member that still waits for an instance this node has decided
                               may then wait for ever, or, when this node leaves, decide otherwise: first agree that all are
                               through */
    KNELL_EVENT_PROPOSE, /* `propose` */
    KNELL_EVENT_REVOKE,  /* `revoke` */
};

enum knell_kind { KNELL_KIND_AGREE, KNELL_KIND_SHRINK, KNELL_KIND_CREATE, KNELL_KIND_END };

#define KNELL_VALUE_MAX 1024

struct knell_event {
    enum knell_event_type type;
    knell_time now;
    union {
        struct {
            knell_time first_heartbeat; /* after how long, 0 .. eta; the papers: eta */
            knell_time grace;           /* so much later than delta may the first one of the emitter come; 0 or more */
        } start;
        struct {
            struct knell_route route;
            const struct knell_body *body;
        } message;
        struct {
            knell_time gap;
        } resumed;
        struct {
            knell_rank rank;
            enum knell_why why; /* not KNELL_WHY_LEFT */
        } suspect;
        struct {
            const struct knell_group *group;
        } group;
        struct {
            uint64_t id;
        } drop;
        /* Contribute to the next instance of this kind in this group; one at a time (KNELL_EBUSY). Instances count from 0,
         * the same for all members; after 2^32 - 1 of them no more are taken (KNELL_EINVAL). The decision is a fact, which may
         * be told within this very step. `acked` is knell_node_failures() as of the last acknowledgement, 0 for none. */
        struct {
            uint64_t group;
            enum knell_kind kind;
            uint8_t operation;
            uint32_t size; /* of the value, up to limits.value_bytes */
            const uint8_t *value;
            uint64_t acked;
        } propose;
        struct {
            uint64_t group;
        } revoke;
    } as;
};

/* ---- facts --------------------------------------------------------------------------------------------------------- */

enum knell_fact_type {
    KNELL_FACT_FAILED = 1, /* rank, by, why */
    KNELL_FACT_LEFT,       /* rank, by; may follow FAILED for the same rank, never the other way */
    KNELL_FACT_REVOKED,    /* group, by */
    KNELL_FACT_DECIDED, /* group, kind, instance, flags, value, dead: all gone the deciding root knew, members or not */
    KNELL_FACT_FENCED,  /* the others hold this process for dead: it must end. by */
    KNELL_FACT_SPLIT,   /* a network split, this process is on the side that must end. sides */
};

/* This side of a split, as a node sees it, and those it lost by silence since the last agreement. */
struct knell_sides {
    uint32_t here;
    uint32_t silent;
    knell_rank lowest_here;   /* if both are as many, the side of the lowest rank goes on */
    knell_rank lowest_silent; /* KNELL_NOBODY: nobody is silent */
};

/* Only the fields named above mean something. */
struct knell_fact {
    enum knell_fact_type type;
    knell_time when;
    knell_rank rank;
    knell_rank by;
    enum knell_why why;
    uint64_t group;
    enum knell_kind kind;
    uint32_t instance;
    uint8_t flags;
    uint32_t value_size;
    const uint8_t *value;
    const struct knell_range *dead;
    uint32_t dead_ranges;
    struct knell_sides sides;
};

struct knell_sink {
    void *driver;
    /* One body to `count` receivers, in this order. Channels are reliable and unordered: what is handed over here arrives
     * once unless the receiver dies; only heartbeats may be lost, as many in a row as delta has room for. */
    void (*send)(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                 const struct knell_body *body);
    void (*tell)(void *driver, const struct knell_fact *fact);
};

/* ---- the node ------------------------------------------------------------------------------------------------------ */

/* Counted for the driver, in the driver's memory; several nodes may share one. */
struct knell_counters {
    uint64_t heartbeats_sent;
    uint64_t heartbeats_received;
    uint64_t heartbeats_missed; /* own eta deadlines that passed unserved */
    uint64_t suspicions;        /* timeouts that ended in a suspicion */
    uint64_t fenced;            /* this process was alive and learned that it is held for dead */
    uint64_t broadcasts_started;
    uint64_t broadcasts_forwarded;
    uint64_t reconnections;
    uint64_t syncs; /* lists sent: two neighbours differed, or an accused one is told */
    uint64_t messages_sent;
    uint64_t messages_received;
    uint64_t messages_dropped; /* from the dead, or for nobody here */
};

/* How much a node can hold. knell_limits_default() is small on purpose: grow on KNELL_EFULL. */
struct knell_limits {
    uint32_t
        dead_ranges;  /* stretches of dead ranks, and of covered indices in agreements; ranks / 2 + 1 always suffices */
    uint32_t sources; /* distinct ranks that ever started a broadcast */
    uint32_t groups;  /* registered beside the world */
    uint32_t agreements;    /* pairs of group and kind in use */
    uint32_t value_bytes;   /* longest value of an agreement, up to KNELL_VALUE_MAX */
    uint32_t pending_bytes; /* early messages for groups not registered yet */
    uint32_t dropped;       /* stretches of ids of dropped groups, each 16 bytes: ids that count up are one stretch */
};
struct knell_limits knell_limits_default(void);

struct knell_node;

/* Bytes a node with these limits takes; 0 if a limit is out of range. */
size_t knell_node_size(const struct knell_limits *limits);

/* Makes node `self` out of a block of knell_node_size(limits) bytes. `counters` may be NULL. */
int knell_node_init(void *memory, const struct knell_limits *limits, const struct knell_config *config, knell_rank self,
                    struct knell_counters *counters, struct knell_node **node);

/* After KNELL_EFULL: the limits with which the refused step fits. */
struct knell_limits knell_node_wanted(const struct knell_node *node);

/* Copies a node into a block of knell_node_size(limits) bytes that does not overlap it; no limit may shrink. */
int knell_node_move(const struct knell_node *node, void *memory, const struct knell_limits *limits,
                    struct knell_node **moved);

/* Feeds one event. Time must not run backwards: deadlines would be met late; and stays within 73 years of 0. Errors: KNELL_EFULL (nothing happened),
 * KNELL_ESTOPPED, KNELL_EINVAL, KNELL_EBUSY, KNELL_EGROUP. */
int knell_node_step(struct knell_node *node, const struct knell_event *event, const struct knell_sink *sink);

/* When the node wants its next tick; KNELL_NEVER if it waits for messages only. */
knell_time knell_node_deadline(const struct knell_node *node);

/* ---- asking a node ------------------------------------------------------------------------------------------------- */

enum knell_state { KNELL_STATE_NEW, KNELL_STATE_RUNNING, KNELL_STATE_LEFT, KNELL_STATE_FENCED };
enum knell_state knell_node_state(const struct knell_node *node);
knell_rank knell_node_emitter(const struct knell_node *node);  /* whom it watches; KNELL_NOBODY when alone */
knell_rank knell_node_observer(const struct knell_node *node); /* to whom it sends its heartbeats */
knell_time knell_node_suspicion(
    const struct knell_node *node); /* when a tick will suspect the emitter, if it stays silent */
bool knell_node_is_gone(const struct knell_node *node, knell_rank rank);
struct knell_dead knell_node_dead(const struct knell_node *node);   /* valid until the next step */
struct knell_sides knell_node_sides(const struct knell_node *node); /* KNELL_SPLIT_GO_ON: nobody is silent */
bool knell_node_is_revoked(const struct knell_node *node, uint64_t group);

/* Digest of the gone members of a group, failed or left, as this node knows them now; 0 when none is or the group is
 * unknown. */
uint64_t knell_node_failures(const struct knell_node *node, uint64_t group);

/* What one gone process adds to such a digest: a caller that acknowledges only some of them sums these. */
uint64_t knell_digest_of(knell_rank rank);

/* The heartbeat this node emitted last, at or before `now` (KNELL_BEATS_POSTED). False before the first. */
bool knell_node_heartbeat(const struct knell_node *node, knell_time now, struct knell_body *body);

const char *knell_why_text(enum knell_why why);
const char *knell_message_text(enum knell_message type);

#ifdef __cplusplus
}
#endif
#endif
