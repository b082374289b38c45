/* state.h: requests and messages of the room `carried`, and who does what with them. All of it is under LOCK_CARRIED, which is taken
 * with MPI_THREAD_MULTIPLE only. */
#ifndef KNELL_MPI_CARRIED_STATE_H
#define KNELL_MPI_CARRIED_STATE_H

#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/carried/carried.h"
#include "mpi/carried/list.h"
#include "mpi/native/native.h"

#include <knell/carrier.h>

/* At most so many bytes are copied through the ring; what is larger the receiver reads from the sender's memory. */
enum { CARRIED_EAGER = 8192 };

/* Messages without a receive are found by their tag, however many there are: a process may be far behind those that send to it. */
enum { CARRIED_TAGS = 256 };

/* The context of a receive whose message is lost: nothing comes there. */
#define CARRIED_NOWHERE UINT32_MAX

enum carried_phase {
    CARRIED_POSTED,  /* a receive without a message: in a list of posted ones */
    CARRIED_FILLING, /* a receive whose message comes in pieces: `filling` */
    CARRIED_NATIVE,  /* a receive from any source that the MPI below has, or gives back: elsewhere.c */
    CARRIED_QUEUED,  /* a send for which the ring has had no room: in the queue of its receiver */
    CARRIED_ASKED,   /* a send that waits for its receiver's answer: in the list of those */
    CARRIED_OVER,
};

/* A request. */
struct carried {
    struct list_node node;
    enum carried_phase phase;
    bool is_send, detached, cancelled;
    int code;
    int peer; /* a process; MPI_ANY_SOURCE */
    uint32_t context;
    int tag;        /* MPI_ANY_TAG */
    uint64_t order; /* of receives: which was posted first */
    /* a receive */
    void *buffer;
    int count;
    MPI_Datatype given, type; /* type MPI_DATATYPE_NULL: bytes in one piece */
    size_t room;
    /* a send */
    const void *data;
    void *packed; /* what data is then, from malloc */
    size_t size, sent;
    uint64_t ticket;
    bool synchronous, begun; /* begun: in pieces, of which the first has gone */
    struct arrived *to_self; /* what waits for its receiver here */
    struct arrived *filling; /* what comes for this receive, in pieces */
    MPI_Request holds;       /* of a receive whose datatype must not be freed: see post.c */
    /* the end of a receive */
    int source, found_tag;
    size_t received;
    /* a receive from any source, of which some are on other hosts: what the MPI below has of it */
    MPI_Request native;
    MPI_Status native_status; /* its end, if it came from there */
    bool from_native, cancelling;
    MPI_Comm comm;
#ifdef OPEN_MPI
    MPI_Request shown; /* MPI_REQUEST_NULL: it never was */
#endif
};

/* A message without a receive, or one that comes in pieces. */
struct arrived {
    struct list_node of_source, of_tag, of_all; /* where receives look: if it is `listed` */
    struct list_node of_pieces;                 /* carried_peer.pieces */
    bool listed;
    uint64_t order; /* which came first */
    int source;
    struct knell_carrier_head head;
    enum knell_carrier_kind kind;
    uint64_t size, ticket, address;
    size_t have;          /* bytes that are here */
    bool in_pieces;       /* they are asked for, and not all are here */
    struct carried *into; /* the receive that it fills then */
    struct carried *self; /* the synchronous send of this process that it is */
    bool matched;         /* by a matched probe */
    uint8_t *data;
};

/* Of one process of this host. */
struct carried_peer {
    struct list posted;     /* receives that name it */
    struct list unexpected; /* arrived.of_source */
    struct list queue;      /* sends to it */
    struct list pieces;     /* arrived.of_pieces: accepted, their pieces are asked for */
    struct arrived *coming; /* the message whose pieces come now */
    bool only_pieces;       /* it cannot read this process' memory */
};

struct carried_state {
    struct knell_carrier *carrier;
    struct carried_peer *peer;  /* by process */
    int *index_of, *process_of; /* of a process in the carrier, -1: it is on another host; and back */
    bool all;                   /* all processes are on this host */
    bool only_pieces;           /* nobody's memory is read */
    bool said;                  /* that somebody's may not be */
    bool wanted_in_pieces;      /* somebody has asked for pieces */
    struct list posted_any, unexpected, asked;
    struct list unexpected_tag[CARRIED_TAGS]; /* the same by context and tag: arrived.of_tag */
    uint64_t order;
    int queued, detached; /* sends */
    int deaths;           /* so many have been swept up after */
    unsigned turns, tests, looks;
    struct native below; /* the MPI's own calls */
};
extern struct carried_state carried;

/* Processes are numbered on each host anew. */
static inline unsigned carried_index(int process)
{
    return (unsigned)carried.index_of[process];
}
static inline bool carried_here(int process)
{
    return carried.index_of[process] >= 0;
}

static inline void carried_enter(void)
{
    if (RARELY(self.threads))
        lock_take(LOCK_CARRIED);
}
static inline void carried_leave(void)
{
    if (RARELY(self.threads))
        lock_give(LOCK_CARRIED);
}

/* ---- slot.c: requests and their handles -------------------------------------------------------------------------------------- */

void carried_slots_reserve(void);
struct carried *carried_new(void);
void carried_release(struct carried *request);
MPI_Request carried_handle(struct carried *request);
struct carried *carried_of(MPI_Request handle); /* NULL: it is the MPI's */

/* Messages that a probe has matched. */
MPI_Message carried_message(struct arrived *message);
struct arrived *carried_message_of(MPI_Message handle);
void carried_message_end(MPI_Message handle);

/* ---- type.c: datatypes ---------------------------------------------------------------------------------------------------------- */

void carried_types_begin(void);
/* The bytes of `count` of them; *plain: they lie in one piece. */
int carried_type(MPI_Datatype type, int count, size_t *size, bool *plain);
int carried_pack(const void *buffer, int count, MPI_Datatype type, size_t size, void **packed);
int carried_unpack(const void *bytes, size_t size, const struct carried *into);

/* ---- match.c: which receive gets which message ------------------------------------------------------------------------------------ */

/* The receive that was posted first of those that fit, off its list; NULL: none. */
struct carried *carried_find_posted(int source, const struct knell_carrier_head *head);
/* At its place among the others: by its order. */
void carried_post(struct carried *receive);
/* The first message that fits; it stays where it is. Those that were withdrawn are thrown away. */
struct arrived *carried_find_arrived(uint32_t context, int source, int tag);
void carried_keep_arrived(struct arrived *message); /* at its place, likewise */
void carried_off(struct arrived *message);          /* its lists */
void carried_throw_away(struct arrived *message);

/* ---- deliver.c -------------------------------------------------------------------------------------------------------------------- */

void carried_complete(struct carried *request, int code);
/* A message that is whole, from memory of this process. */
void carried_fill(struct carried *receive, int source, int tag, const void *data, size_t size);
/* A message off its lists. False: it is none any more (withdrawn, or its sender is gone), and thrown away: the receive is as it was. */
bool carried_deliver(struct carried *receive, struct arrived *message);
void carried_piece(int source, const void *data, size_t size);
void carried_pieces_begin(int source, const struct knell_carrier_message *message);
/* The rest of what comes in pieces from this process will not come. */
void carried_pieces_end(int source);
/* A receive is given up while its message comes in pieces: the message is there for another one. */
void carried_let_go(struct carried *receive);

/* ---- elsewhere.c: receives from any source, of which some are on other hosts ------------------------------------------------------ */

int carried_post_natively(struct carried *receive);
/* The MPI below gives it back, or keeps it: then it is off the list, and a message of this host is for another one. */
bool carried_claim(struct carried *receive);
/* Has the MPI below received it? */
void carried_test_natively(struct carried *receive);
/* It is wanted back. */
void carried_cancel_natively(struct carried *receive);
/* Messages of other hosts go on. */
void carried_turn_natively(void);

/* ---- move.c: what comes, and what waits to go --------------------------------------------------------------------------------------- */

/* What has come already, else it is posted. */
void carried_receive(struct carried *receive);
/* Likewise one that has had its place before, and keeps it. */
void carried_receive_again(struct carried *receive);
/* False: there may be more. */
bool carried_take_from(int source);
/* No more than it takes to complete this receive: the rest stays in the ring, and its sender waits when that is full. */
void carried_take_for(const struct carried *receive);
void carried_move(void);
/* The same without the MPI below. */
void carried_move_here(void);
/* Sends now if that can be; else it waits in the queue. */
void carried_send(struct carried *request);
/* Has the receiver of this send answered? Then it is over, or goes on. */
bool carried_answered(struct carried *request);
/* A send in pieces is given up: the rest goes from a copy. */
void carried_send_rest(struct carried *request);

/* ---- post.c, probe.c, test.c: the calls ------------------------------------------------------------------------------------------------ */

void carried_install_posts(void);
void carried_install_probes(void);
void carried_install_tests(void);
void carried_status(const struct carried *request, MPI_Status *status);
void carried_status_of(int source, int tag, size_t size, MPI_Status *status);

#endif
