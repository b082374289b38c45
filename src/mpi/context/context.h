/* context.h: what keeps the messages of communicators apart: duplicates of the world made at MPI_Init, slots and epochs on
 * them (docs/design/mpi.md, "The life of a communicator").
 *
 * A slot is a number a communicator holds at each of its members. Which one is free everywhere is found by agreement: every
 * member makes an offer, offers are folded, all take the same slot of the folded offer. */
#ifndef KNELL_MPI_CONTEXT_CONTEXT_H
#define KNELL_MPI_CONTEXT_CONTEXT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PLACE_SLOT_BITS = 9,
    PLACE_SLOTS = 1 << PLACE_SLOT_BITS,
    PLACE_EPOCH_BITS = 8,
    PLACE_SEQUENCE_BITS = 11,
    PLACE_STAMP_BITS = 12,   /* of the user's tags */
    PLACE_SHARE_BITS = 7,    /* of the stamp: which communicator of a shared duplicate */
    PLACE_SHARED = 4,        /* duplicates that serve many communicators each */
    PLACE_POOL_DEFAULT = 16, /* duplicates for users' messages, with the shared ones; the setting KNELL_CONTEXTS */
};

/* One member's word in a creation. Bits: AND. Epochs: maximum. id: minimum, so that it is the lowest process'. */
struct offer {
    uint64_t id;
    uint32_t refused; /* maximum: somebody could not do its part, and why: a class; the creation fails at all */
    uint32_t busy;    /* maximum: another creation holds slots there */
    uint8_t free_slots[PLACE_SLOTS / 8];
    uint8_t epoch[PLACE_SLOTS]; /* above every communicator that was there and ended dirty; 0: the slot is clean */
};

/* Where a communicator's messages go. */
struct place {
    int slot;
    unsigned epoch;   /* how often the slot had ended dirty before */
    MPI_Comm context; /* native, for the user's messages */
    int stamp;        /* added to the user's tags; 0: tags go as they are and wildcards match natively */
    int wire;         /* added to the sequence of the layer's messages on context_wire */
};

/* The duplicate on which the layer's own messages of all communicators go. Never a wildcard for a tag. */
extern MPI_Comm context_wire;
/* A duplicate of MPI_COMM_SELF for what a process does by itself: it returns its errors, whatever the program's handler is. */
extern MPI_Comm context_alone;
extern int context_tag_ub; /* the largest tag left to the user */

/* Notices on the wire (notice.h): the tag of a slot that no communicator gets. From any source. */
static inline int context_notices_tag(void)
{
    return (PLACE_SLOTS - 1) << (PLACE_EPOCH_BITS + PLACE_SEQUENCE_BITS);
}

/* Can a message with this native tag be for a communicator that is here, or is being made? */
bool place_expected(MPI_Comm context, int tag);

/* Contexts of the program by number, the same in all processes; -1: the wire. */
int context_number(MPI_Comm context);
MPI_Comm context_numbered(int number);

/* On the wire, of agreements (detector/carry.c): tags of MPI_COMM_SELF's slot are for nobody else. From any source. */
static inline int context_agree_tag(void)
{
    return 1 << (PLACE_EPOCH_BITS + PLACE_SEQUENCE_BITS);
}

/* Likewise, of letters (create/letter.c). */
static inline int context_letters_tag(void)
{
    return context_agree_tag() | 1 << PLACE_SEQUENCE_BITS;
}

/* Collective. `look` as for native_await. `carried`: all messages go by the carrier (room `carried`), and contexts are numbers that the
 * MPI below does not know: each communicator has one that no other ever had. */
void context_make_all(bool carried, void (*look)(void));

/* Contexts by number, as the carrier knows them: the same in all processes. -1: none of them. */
int context_find(MPI_Comm context);
enum { CONTEXT_CARRIED_BITS = PLACE_SLOT_BITS + PLACE_EPOCH_BITS + 1 };
#ifdef MPICH
enum { CONTEXT_CARRIED_KIND = 0x1c000000 }; /* MPICH gives out no such handle */
static inline int context_carried(MPI_Comm context)
{
    return (context & ~0xffffff) == CONTEXT_CARRIED_KIND ? context & 0xffffff : context_find(context);
}
#else
extern char *context_carried_first; /* addresses at which there is nothing */
static inline int context_carried(MPI_Comm context)
{
    uintptr_t number = (uintptr_t)context - (uintptr_t)context_carried_first;
    return number < (uintptr_t)1 << CONTEXT_CARRIED_BITS ? (int)number : context_find(context);
}
#endif
/* Has every communicator that had this context ended, with messages that nobody wants any more? */
bool context_is_over(int number);

/* Slots 0 and 1: MPI_COMM_WORLD and MPI_COMM_SELF. */
struct place place_fixed(int slot);

/* How a creation asks for slots: it tries again when the offers before had nothing in common. */
struct offer_try {
    uint64_t key; /* the same at all members, another for another creation */
    int most;     /* slots */
    int number;   /* from 0 */
    bool all;     /* nobody else is creating: all there are */
};
/* The offers had nothing in common: the next try. False: there is no hope, and the program is told what to do. */
bool offer_try_next(struct offer_try *try, const struct offer *agreed);

/* Fills an offer and holds what it offers, until it is taken or withdrawn. */
void offer_make(struct offer *offer, const struct offer_try *try);
void offer_fold(uint8_t *into, const uint8_t *from, uint32_t size);
void offer_withdraw(const struct offer *mine);
/* Was this slot free at every member? */
bool offer_has(const struct offer *agreed, int slot);
/* The slot all take; false: nothing in common. `mine` is what this process had offered, and is withdrawn. */
bool offer_take(const struct offer *mine, const struct offer *agreed, struct place *place);
/* Gives the slot back; dirty: messages may still be on their way. */
void place_free(const struct place *place, bool dirty);

#endif
