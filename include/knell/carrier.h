/* knell/carrier.h: messages between processes of one host, in shared memory that survives a kill.
 *
 * Each ordered pair of processes has a ring of its own: one writer, one reader. A message is written first and published by
 * one store. A writer that is killed before that store has sent nothing; one that is killed after it has sent everything. No lock
 * and no list is written by two processes, so nobody's death leaves anything that would have to be repaired.
 *
 *      int fd; knell_carrier_make(8, &fd);                       one process; the others get the descriptor
 *      struct knell_carrier *carrier;
 *      knell_carrier_join(fd, 8, 3, &carrier);                   each process, with its number
 *
 *      knell_carrier_send(carrier, to, &head, data, size);       0, or KNELL_CARRIER_FULL: try again later
 *
 *      while ((from = knell_carrier_next(carrier)) >= 0)         somebody has sent something
 *          while (knell_carrier_look(carrier, from, &message)) { ... knell_carrier_pass(carrier, from); }
 *
 * Large messages are offered: the reader copies them straight out of the sender's memory (process_vm_readv), once. Where the
 * kernel does not permit that, the reader asks for pieces, and the sender sends them through the ring.
 *
 * The carrier knows no clock, never waits and starts no thread. It does not know who is dead: what a dead process has published
 * can still be read (knell_carrier_sweep), and who waits for an answer of a dead process asks a failure detector.
 *
 * Threads. One thread at a time uses a carrier. Different carriers, also of one arena, are independent. */
#ifndef KNELL_CARRIER_H
#define KNELL_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct knell_carrier;

/* What a send says when there is no room yet. */
#define KNELL_CARRIER_FULL (-1)
/* What a pull says: the sender is gone, or its memory may not be read. In both cases `into` may have been written. */
#define KNELL_CARRIER_LOST (-2)
#define KNELL_CARRIER_FORBIDDEN (-3)

/* At most so many bytes go through the ring at once. */
#define KNELL_CARRIER_MOST 16384

/* Carried with a message and not looked at. */
struct knell_carrier_head {
    uint32_t context;
    int32_t tag;
};

enum knell_carrier_kind {
    KNELL_CARRIER_DATA,  /* a whole message */
    KNELL_CARRIER_ASKS,  /* a whole message whose sender waits until it is taken */
    KNELL_CARRIER_OFFER, /* a message in the sender's memory: accept it, then pull */
    KNELL_CARRIER_BEGIN, /* a message that comes in pieces: they follow */
    KNELL_CARRIER_PIECE,
};

/* The next message of a process. `data` lies in the ring, until knell_carrier_pass. */
struct knell_carrier_message {
    enum knell_carrier_kind kind;
    struct knell_carrier_head head;
    uint64_t size;  /* of the whole message */
    uint32_t bytes; /* at data */
    const void *data;
    uint64_t ticket;  /* of all but DATA and PIECE; BEGIN: that of the offer it answers, or 0 */
    uint64_t address; /* of OFFER */
};

/* ---- beginning and end -------------------------------------------------------------------------------------------------------- */

/* Makes the memory for so many processes: a memory file without a name. 0, or a negative errno. */
int knell_carrier_make(unsigned processes, int *fd);
/* The size of it: for those who make a memory file themselves. */
size_t knell_carrier_size(unsigned processes);
/* Maps it. The descriptor is not needed after. 0, or a negative errno. Each number is joined once: a process that takes the place of
 * a dead one takes another number. */
int knell_carrier_join(int fd, unsigned processes, unsigned me, struct knell_carrier **carrier);
void knell_carrier_leave(struct knell_carrier *carrier);

/* ---- sending: 0 or KNELL_CARRIER_FULL -------------------------------------------------------------------------------------------- */

/* At most KNELL_CARRIER_MOST bytes. */
int knell_carrier_send(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                       const void *data, size_t size);
/* The same, with a ticket that says when it was taken. */
int knell_carrier_ask(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                      const void *data, size_t size, uint64_t *ticket);
/* Of any size; the data stay where they are until the ticket is done or withdrawn. */
int knell_carrier_offer(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                        const void *data, size_t size, uint64_t *ticket);
/* A message in pieces: this, then pieces of at most KNELL_CARRIER_MOST bytes, and nothing else to that process meanwhile. */
int knell_carrier_begin(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head, size_t size,
                        uint64_t ticket);
int knell_carrier_piece(struct knell_carrier *carrier, unsigned to, const void *data, size_t size);

enum knell_carrier_state {
    KNELL_CARRIER_FREE,    /* withdrawn, or not a ticket any more */
    KNELL_CARRIER_OFFERED, /* nobody has taken it */
    KNELL_CARRIER_TAKEN,   /* the receiver reads */
    KNELL_CARRIER_DONE,    /* the receiver has all of it */
    KNELL_CARRIER_PIECES,  /* the receiver cannot read and wants pieces */
    KNELL_CARRIER_MATCHED, /* the receiver knows what it is for, and will take it */
};

enum knell_carrier_state knell_carrier_state(const struct knell_carrier *carrier, uint64_t ticket);
/* Takes back what nobody has matched or taken: true, and the ticket is given back. */
bool knell_carrier_withdraw(struct knell_carrier *carrier, uint64_t ticket);
/* Likewise also what was matched and is not taken yet. */
bool knell_carrier_give_up(struct knell_carrier *carrier, uint64_t ticket);
/* Gives a ticket back: it is done, or its receiver is dead. */
void knell_carrier_end(struct knell_carrier *carrier, uint64_t ticket);

/* ---- receiving -------------------------------------------------------------------------------------------------------------------- */

/* Somebody who may have sent something; -1: nobody. Read all there is then. */
int knell_carrier_next(struct knell_carrier *carrier);
/* As if this process had sent something: for what a process published before it died. */
void knell_carrier_sweep(struct knell_carrier *carrier, unsigned from);

/* The next message of this process, if there is one. It stays until it is passed. */
bool knell_carrier_look(struct knell_carrier *carrier, unsigned from, struct knell_carrier_message *message);
void knell_carrier_pass(struct knell_carrier *carrier, unsigned from);
/* Cheaper than a look: is there one? */
bool knell_carrier_has(const struct knell_carrier *carrier, unsigned from);

/* What a ticket of a sender says now. */
enum knell_carrier_state knell_carrier_asked(const struct knell_carrier *carrier, unsigned from, uint64_t ticket);
/* From here on its sender does not withdraw it; it may still give it up. False: it was withdrawn. Need not come before the next. */
bool knell_carrier_match(struct knell_carrier *carrier, unsigned from, uint64_t ticket);
/* Takes what was asked or offered. False: it was withdrawn, and the message is none. */
bool knell_carrier_accept(struct knell_carrier *carrier, unsigned from, uint64_t ticket);
/* Copies `size` bytes of what was accepted: 0, KNELL_CARRIER_LOST, KNELL_CARRIER_FORBIDDEN. */
int knell_carrier_pull(struct knell_carrier *carrier, unsigned from, uint64_t address, void *into, size_t size);
/* Tells the sender: done, or `pieces`. */
void knell_carrier_answer(struct knell_carrier *carrier, unsigned from, uint64_t ticket,
                          enum knell_carrier_state state);

#ifdef __cplusplus
}
#endif
#endif
