/* context.h: what keeps the messages of communicators apart: duplicates of the world made at MPI_Init, slots and epochs on
 * them (docs/mpi.md, "The life of a communicator").
 *
 * A slot is a number a communicator holds at each of its members. Which one is free everywhere is found by agreement: every
 * member makes an offer, offers are folded, all take the same slot of the folded offer. */
#ifndef KNELL_MPI_CONTEXT_CONTEXT_H
#define KNELL_MPI_CONTEXT_CONTEXT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    KNELL__SLOT_BITS = 9,
    KNELL__SLOTS = 1 << KNELL__SLOT_BITS,
    KNELL__EPOCH_BITS = 8,
    KNELL__SEQUENCE_BITS = 11,
    KNELL__STAMP_BITS = 12,   /* of the user's tags */
    KNELL__SHARE_BITS = 7,    /* of the stamp: which communicator of a shared duplicate */
    KNELL__SHARED = 4,        /* duplicates that serve many communicators each */
    KNELL__POOL_DEFAULT = 16, /* duplicates for users' messages, with the shared ones; the setting KNELL_CONTEXTS */
};

/* One member's word in a creation. Bits: AND. Epochs: maximum. id: minimum, so that it is the lowest process'. */
struct knell__offer {
    uint64_t id;
    uint32_t refused; /* maximum: somebody could not do its part; the creation fails at all */
    uint32_t busy;    /* maximum: another creation holds slots there */
    uint8_t free_slots[KNELL__SLOTS / 8];
    uint8_t epoch[KNELL__SLOTS]; /* above every communicator that was there and ended dirty; 0: the slot is clean */
};

/* Where a communicator's messages go. */
struct knell__place {
    int slot;
    unsigned epoch;   /* how often the slot had ended dirty before */
    MPI_Comm context; /* native, for the user's messages */
    int stamp;        /* added to the user's tags; 0: tags go as they are and wildcards match natively */
    int wire;         /* added to the sequence of the layer's messages on knell__wire */
};

/* The duplicate on which the layer's own messages of all communicators go. Never a wildcard for a tag. */
extern MPI_Comm knell__wire;
/* A duplicate of MPI_COMM_SELF for what a process does by itself: it returns its errors, whatever the program's handler is. */
extern MPI_Comm knell__alone;
extern int knell__tag_ub; /* the largest tag left to the user */

/* Notices on the wire (notice.h): the tag of a slot that no communicator gets. From any source. */
static inline int knell__notices_tag(void)
{
    return (KNELL__SLOTS - 1) << (KNELL__EPOCH_BITS + KNELL__SEQUENCE_BITS);
}

/* Can a message with this native tag be for a communicator that is here, or is being made? */
bool knell__place_expected(MPI_Comm context, int tag);

/* Duplicates by number, the same in all processes. */
int knell__context_number(MPI_Comm context);
MPI_Comm knell__context_numbered(int number);

/* On the wire, of agreements (side_carry.c): tags of MPI_COMM_SELF's slot are for nobody else. From any source. */
static inline int knell__agree_tag(void)
{
    return 1 << (KNELL__EPOCH_BITS + KNELL__SEQUENCE_BITS);
}

void knell__contexts_make(void);
/* Slots 0 and 1: MPI_COMM_WORLD and MPI_COMM_SELF. */
struct knell__place knell__place_fixed(int slot);

/* How a creation asks for slots: it tries again when the offers before had nothing in common. */
struct knell__try {
    uint64_t key; /* the same at all members, another for another creation */
    int most;     /* slots */
    int number;   /* from 0 */
    bool all;     /* nobody else is creating: all there are */
};
/* The offers had nothing in common: the next try. False: there is no hope, and the program is told what to do. */
bool knell__try_next(struct knell__try *try, const struct knell__offer *agreed);

/* Fills an offer and holds what it offers, until it is taken or withdrawn. */
void knell__offer_make(struct knell__offer *offer, const struct knell__try *try);
void knell__offer_fold(uint8_t *into, const uint8_t *from, uint32_t size);
void knell__offer_withdraw(const struct knell__offer *mine);
/* Was this slot free at every member? */
bool knell__offer_has(const struct knell__offer *agreed, int slot);
/* The slot all take; false: nothing in common. `mine` is what this process had offered, and is withdrawn. */
bool knell__offer_take(const struct knell__offer *mine, const struct knell__offer *agreed, struct knell__place *place);
/* Gives the slot back; dirty: messages may still be on their way. */
void knell__place_free(const struct knell__place *place, bool dirty);

#endif
