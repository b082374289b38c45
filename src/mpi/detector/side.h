/* side.h: the detector's runtime as the layer's side channel: who is dead, what is revoked, what is agreed on.
 *
 * What the runtime learns it tells at once, in whichever thread learned it (its own, or one of the program's inside an order):
 * first the facts are stored where calls look (`side_is_dead`, comm->trouble, tickets), then the epoch is raised. A waiter
 * watches the epoch alone. With one process in the job there is no runtime; everything here still works. */
#ifndef KNELL_MPI_DETECTOR_SIDE_H
#define KNELL_MPI_DETECTOR_SIDE_H

#include <knell/runtime.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Raised after every failure, revoke and decision. */
extern _Atomic uint32_t side_epoch;

static inline uint32_t side_epoch_now(void)
{
    return atomic_load_explicit(&side_epoch, memory_order_acquire);
}

/* What everybody who stored something where calls look does after. */
void side_epoch_raise(void);
/* Sleeps unless the epoch is another than `seen`, until it is raised or the time is over: for waits in which the MPI below need not
 * be kept going. */
void side_epoch_sleep(uint32_t seen, int64_t most_ns);

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

/* How long processes wait for each other at the start. */
#define SIDE_START_NS INT64_C(60000000000)
enum { SIDE_KEY = 32, SIDE_ADDRESS = 80 };

/* Where process 0 waits for the others, and the job's key unless KNELL_KEY says it: made by process 0, handed round by MPI itself. */
struct side_meeting {
    char address[SIDE_ADDRESS];
    uint8_t key[SIDE_KEY];
};
/* Returns process 0's socket. Ends the job with a word when it cannot listen. */
int side_invite(struct side_meeting *meeting);
/* What calls look at is changed by these, in whichever thread learns of it, before the epoch is raised. */
struct side_hooks {
    void (*failed)(int process);
    void (*revoked)(uint64_t group);
};
/* `listening`: process 0's socket, -1 elsewhere. Ends the job with a word when it cannot. */
void side_start(const struct side_meeting *meeting, int listening, const struct side_hooks *hears);
void side_stop(void);

/* ---- the dead ------------------------------------------------------------------------------------------------------------ */

bool side_is_dead(int process);
/* The failures in the order this process learned of them: append only. */
int side_deaths(void);
int side_death_at(int number);
/* Somebody died for good, so that the MPI below must not be finalized. A ghost does not count. */
bool side_real_death(void);
/* Before a native error is believed: does the detector know `process` for dead? The transport may have noticed first; so the
 * detector is given the time it needs at worst, when nothing but silence tells of the death. */
bool side_confirm(int process);
/* Whether this process may still do what it is asked to (drain.h): a ghost may. */
bool side_reaches(int process);
void side_trigger(void);

/* An error of the MPI below about an operation with `peer`: MPIX_ERR_PROC_FAILED once the detector confirms it, else as it is.
 * Wrong arguments pass at once; what may be a broken transport waits for the detector, and is no death if it finds none. */
__attribute__((cold, noinline)) int side_confirm_error(int peer, int code);

/* ---- groups, revoke, agreement ------------------------------------------------------------------------------------------- */

/* `member`: processes, in any order. A group of one is known to nobody but itself. */
int side_group(uint64_t id, const int *member, int size);
void side_drop(uint64_t id);
void side_revoke(uint64_t id);

/* Digest of a set of processes, as agreements want it: the sum over its members. */
uint64_t side_digest(int process);

/* How values are folded. */
enum side_fold { SIDE_FOLD_AND, SIDE_FOLD_OFFER, SIDE_FOLD_WORST, SIDE_FOLDS }; /* WORST: the largest int */

/* One agreement under way. The caller's memory; must stay until `decided`. */
struct side_ticket {
    struct side_ticket *next; /* agree.c's queue */
    uint64_t group;
    enum knell_kind kind;
    enum side_fold fold;
    bool alone;    /* the group has one member: decided at once */
    bool blocking; /* its owner does nothing but wait for it, as all members do: carry.c */
    uint32_t size;
    uint64_t acked;           /* digest of the failures acknowledged */
    bool filled;              /* `value` is there */
    bool proposed;            /* the runtime has it */
    _Atomic bool decided;     /* from here on the rest may be read */
    uint8_t flags;            /* KNELL_FLAG_REVOKED, _ACKED, _MISMATCH */
    struct knell_range *dead; /* the dead it was decided with; malloc'd, the caller frees */
    uint32_t dead_ranges;
    uint8_t value[KNELL_VALUE_MAX]; /* in: the contribution; out: the decision */
};

/* Contributes ticket->value; several per group and kind are taken in order. Never blocks. */
void side_propose(struct side_ticket *ticket);
/* The same in two: takes its turn now, and its value later. Those that come after it wait meanwhile. */
void side_reserve(struct side_ticket *ticket);
void side_fill(struct side_ticket *ticket);
/* Also proposes it when its turn has come. */
bool side_decided(struct side_ticket *ticket);
/* Nobody waits for it any more, decided or not: the memory is the caller's again. */
void side_withdraw(struct side_ticket *ticket);
/* Was this process dead when it was decided? */
bool side_ticket_has_dead(const struct side_ticket *ticket, int process);

#endif
