/* carrier.h: how the shared memory is laid out, and what a process keeps for itself (include/knell/carrier.h says what it is for).
 *
 * Memory orders. There are four ways by which one process sees what another wrote:
 *
 * 1. A message: the writer stores payload and header of a slot (and bytes in the data ring), then `number` with release. The
 *    reader loads `number` with acquire; if it is the number of the message that it waits for, it sees all of the above. Numbers
 *    count the messages of a ring from 1 and never come again, and nothing but numbers is ever written there: what is left of an
 *    earlier lap is never taken for a message.
 * 2. Room: the reader is through with messages, then stores `passed` with release: when there is nothing more to read, or for a quarter of
 *    the ring at once. The writer loads it with acquire and only then writes over what was read.
 * 3. Hints: the writer publishes, then looks whether its bit is set and sets it if not. The reader takes the bits by an exchange and
 *    looks at the rings after. These four (the store of `number`, the look at the bits, the exchange, the load of `number`) are
 *    sequentially consistent: there is one order of all of them. If the writer finds its bit unset, it sets it, and a later round of the
 *    reader takes it. If it finds the bit set, the exchange that takes that bit comes after this look, hence after the
 *    publishing, and the reader, which looks at the ring after the exchange, finds the message.
 * 4. Tickets: the word of a ticket is changed by compare and swap wherever the other side may change it too (taken, withdrawn,
 *    answered); its owner alone gives it back. What the receiver read, it read before its answer, which the sender loads with acquire
 *    before it uses its memory again. The generation in the word makes every use of a ticket another word: 44 bits, which are used up by a
 *    million large messages a second in 200 days. */
#ifndef KNELL_CARRIER_CARRIER_H
#define KNELL_CARRIER_CARRIER_H

#include <knell/carrier.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
    LINE = 64,
    SLOTS = 128, /* messages of a ring: a power of two */
    INLINED = 40,
    TICKET_BITS = 20,
    TICKETS = 1 << TICKET_BITS, /* of a process: its large messages under way */
    TICKETS_OF_LINE = LINE / sizeof(uint64_t),
    TICKET_LINES = TICKETS / TICKETS_OF_LINE,
    PAGE = 4096,
    PAIR_BYTES = 61440, /* pages; with what both processes keep of it for themselves less than 64 KiB */
    DATA_AT = 2 * LINE + SLOTS * LINE,
    DATA_BYTES = PAIR_BYTES - DATA_AT,
    MOST_PROCESSES = 32768,
};

/* One line, so that a small message is one line that goes from one processor to another. */
struct slot {
    _Atomic uint64_t number;
    struct knell_carrier_head head;
    uint32_t bytes;
    uint32_t kind;
    union {
        uint8_t inlined[INLINED];
        struct {
            uint8_t asked[INLINED - sizeof(uint64_t)]; /* of ASKS */
            uint64_t asks;
        };
        struct {
            uint64_t size, address, ticket; /* of OFFER and BEGIN */
        };
    };
};
_Static_assert(sizeof(struct slot) == LINE, "a slot is a line");

/* Written by the reader: the messages and bytes that it is through with. */
struct passed {
    _Atomic uint64_t messages, bytes;
};

struct pair {
    struct passed passed;
    uint8_t pad[2 * LINE - sizeof(struct passed)];
    struct slot slot[SLOTS];
    uint8_t data[DATA_BYTES];
};
_Static_assert(sizeof(struct pair) == PAIR_BYTES, "a pair has its size");

/* Generation and state. A process that has no more of them than there are lines has each in a line of its own. */
struct ticket_line {
    _Alignas(LINE) _Atomic uint64_t word[TICKETS_OF_LINE];
};

/* Numbers of processes are given anew. Who reads a process' memory reads this too, from where the process said that it is. */
struct proof {
    uint64_t word[2];
};

/* On pages of its own, so that the pairs that follow are, too. */
struct process {
    _Alignas(PAGE) _Atomic int32_t pid; /* 0: nobody reads its memory */
    uint64_t proof_at;                  /* written before the number */
    struct proof proof;
    _Alignas(LINE) _Atomic uint64_t hints[MOST_PROCESSES / 64]; /* who may have something for it */
    struct ticket_line ticket[TICKET_LINES];
};

/* What a process knows of the ring to another one, and of the one from it. */
struct out {
    uint64_t messages, bytes;      /* written */
    uint64_t passed, passed_bytes; /* as last seen */
};
struct in {
    uint64_t messages, bytes;    /* read */
    uint64_t given, given_bytes; /* of these, the room is given back */
};

struct knell_carrier {
    struct proof proof;
    unsigned me, processes;
    struct process *process; /* all of them: the beginning of the memory */
    struct pair *pair;       /* pair[to * processes + from] */
    size_t size;
    struct out *out;
    struct in *in;
    uint64_t *look;        /* bits of those to look at that were taken already */
    unsigned looking;      /* the word of them that is looked at now */
    uint64_t word;         /* what is left of it */
    unsigned tickets_used; /* so many were used at least once, */
    unsigned ticket_free;  /* of these free: this one less 1, and so on by ticket_next; 0: none */
    uint64_t generation;
    uint64_t ticket_generation[TICKETS]; /* 0: free; else that of its use. Pages come to be where they are touched */
    uint32_t ticket_next[TICKETS];
};

static inline struct pair *knell__carrier_pair(const struct knell_carrier *carrier, unsigned to, unsigned from)
{
    return &carrier->pair[(size_t)to * carrier->processes + from];
}

/* Bytes in the data ring lie in one piece, on lines of their own: what does not fit at the end begins at the start. */
static inline uint64_t knell__carrier_data_begin(uint64_t at, size_t size)
{
    uint64_t left = DATA_BYTES - at % DATA_BYTES;
    return size > left ? at + left : at;
}
static inline uint64_t knell__carrier_data_end(uint64_t begin, size_t size)
{
    return begin + (size + LINE - 1) / LINE * LINE;
}

/* Where a test may end the process: between any two stores that others see. */
#ifdef KNELL_CARRIER_STEPS
void knell__carrier_step(void);
#define STEP() knell__carrier_step()
#else
#define STEP() ((void)0)
#endif

/* A ticket for one use; 0: none is free. */
uint64_t knell__carrier_ticket(struct knell_carrier *carrier);

#endif
