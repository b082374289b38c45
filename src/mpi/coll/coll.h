/* coll.h: a collective as a machine of rounds, over the layer's own messages (docs/mpi.md).
 *
 * An algorithm is one function, `step`: it is called when everything it posted is complete, posts the next round and says
 * whether there is one. The same function serves the blocking call, whose machine lies on the stack, and the nonblocking one,
 * whose machine lies on the heap behind a request token.
 *
 *      static bool barrier_step(struct knell__coll *coll)           // dissemination
 *      {
 *          int size = coll->comm->size, far = 1 << coll->round;
 *          if (far >= size)
 *              return false;                                        // done
 *          knell__coll_send(coll, NULL, 0, MPI_BYTE, (coll->comm->rank + far) % size);
 *          knell__coll_recv(coll, NULL, 0, MPI_BYTE, (coll->comm->rank - far + size) % size);
 *          return true;                                             // called again, with round + 1
 *      }
 *
 * A step that chooses among algorithms sets coll->step and calls it.
 *
 * A death among the members fails the collective where a message of the dead is missing, or one of a member that failed by it
 * (docs/mpi.md, "The life of a death"). A member that fails runs through the rest of its steps without data, to tell those with whom it would have
 * exchanged messages. So a step decides by its arguments alone what it posts, never by what it has received, and touches data only
 * by the functions below.
 * All messages of one collective have one tag: between two processes they arrive in order. */
#ifndef KNELL_MPI_COLL_COLL_H
#define KNELL_MPI_COLL_COLL_H

#include "mpi/request/request.h"
#include "mpi/wait/wait.h"

#include <stdint.h>

struct knell__coll;
typedef bool knell__coll_step(struct knell__coll *coll);

enum { KNELL__COLL_INLINE_POSTS = 4, KNELL__COLL_INLINE_BYTES = 1024 };

/* What a member contributes: for those who want wrong bits there (flip.h). */
enum knell__gives {
    KNELL__GIVES_NOTHING,
    KNELL__GIVES_MESSAGE,        /* the root: what is in `recv` */
    KNELL__GIVES_OPERAND,        /* as many elements as come out */
    KNELL__GIVES_PIECES,         /* a piece of the result for everyone */
    KNELL__GIVES_BLOCK,          /* one */
    KNELL__GIVES_BLOCKS_AS_ROOT, /* the root: one for everyone */
    KNELL__GIVES_BLOCKS,         /* one for everyone */
};

/* What calls with a v or a w in their name have for each rank; NULL: they have not. */
struct knell__coll_arrays {
    const int *send_counts, *recv_counts, *send_displs, *recv_displs;
    const MPI_Datatype *send_types, *recv_types;
    bool at_root; /* they mean nothing to others */
};

/* The arguments of the call, as far as an algorithm has them. Reductions and bcast have the recv half only, beside `send`. */
struct knell__coll_args {
    const void *send;
    void *recv;
    int send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    const struct knell__coll_arrays *by_rank; /* NULL where no call of that kind has any */
    MPI_Op op;
    int root;
    enum knell__gives gives;
};

/* The block of a rank, however the arguments tell where it is. */
struct knell__block {
    void *at;
    int count;
    MPI_Datatype type;
};
struct knell__block knell__send_block(const struct knell__coll_args *args, int rank);
struct knell__block knell__recv_block(const struct knell__coll_args *args, int rank);

/* One message under way. */
struct knell__coll_post {
    MPI_Request request;
    int peer;
    enum knell__request_kind kind;
    bool asked; /* a send that is given up: its receiver was asked to take it */
};

/* What a step's messages and data are for. */
enum knell__coll_mode {
    KNELL__COLL_USUAL,
    KNELL__COLL_TROUBLED, /* a member's death is known: every turn is judged, nothing is sent to those who are gone */
    KNELL__COLL_TELLING,  /* given up: the peer of every message is told; none is posted, no data is touched */
};

enum knell__coll_phase {
    KNELL__COLL_ROUNDS,
    KNELL__COLL_SETTLING, /* it has failed: its messages are taken back from the MPI below */
    KNELL__COLL_AGREEING, /* its code is agreed on (coll_uniform.c) */
};

struct knell__coll {
    struct knell__task task; /* first: the nonblocking kind is a task */
    struct knell__comm *comm;
    knell__coll_step *step;
    const struct knell__coll_args *args; /* the call's; `kept` when it goes on after the call */
    struct knell__op op;
    int tag;
    uint32_t sequence;
    enum knell__coll_mode mode;
    enum knell__coll_phase phase;
    int code;                     /* the first error; no step after it */
    int late_code;                /* an error that stops no step: a send to one that is gone; the code in the end */
    unsigned round;               /* counts the calls of step */
    bool over;                    /* nonblocking: ended within the call */
    struct knell__ticket *ticket; /* coll_uniform.c; NULL: its code is this member's own */
    int state[4];                 /* the algorithm's own, zero at first */
    void *mine;                   /* likewise: what it has so far, */
    void *spare;                  /* where the next may come, */
    void *other;                  /* and the one after */

    struct knell__coll_post *post; /* this round's; `inline_posts` while they fit */
    int posts, posts_room;
    int left;            /* so many, the first, are sends of any round to those who are gone: settled at the end */
    int tested;          /* so many are complete, or left */
    int64_t settling_ms; /* since then */
    bool all_fail;       /* settling: the others fail, too */
    struct knell__coll_post inline_posts[KNELL__COLL_INLINE_POSTS];
    struct knell__coll_args kept;
    struct knell__coll_arrays kept_arrays;

    char *scratch; /* `inline_scratch`, or from knell__coll_scratch and freed at the end */
    char inline_scratch[KNELL__COLL_INLINE_BYTES] __attribute__((aligned(16)));
};

/* Prepares a machine: checks for trouble, takes the next sequence number. coll->code says whether to go on.
 * `args` must live as long as the machine. */
void knell__coll_begin(struct knell__coll *coll, struct knell__comm *comm, knell__coll_step *step,
                       const struct knell__coll_args *args);
/* Runs it to its end; the code is not raised yet. */
int knell__coll_run(struct knell__coll *coll);

/* A death is known, or a revoke: can it go on? If not, coll->code says why (coll_trouble.c). */
KNELL__RARE void knell__coll_judge(struct knell__coll *coll);
/* In another mode than the usual: true when a message to this rank is not to be sent. */
KNELL__RARE bool knell__coll_holds_back(struct knell__coll *coll, int to);
/* Tells those with whom the rest of the steps would have exchanged messages that this member is out. */
KNELL__RARE void knell__coll_tell(struct knell__coll *coll);
/* How long a collective waits for the living after a death, read from the environment. */
void knell__grace_learn(void);

/* Its code is to be the same at all members (coll_uniform.c): begins that; later: true when the code is agreed on. */
void knell__coll_make_uniform(struct knell__coll *coll);
KNELL__RARE bool knell__coll_agreed(struct knell__coll *coll);

/* Tests one message. False: it is not complete, or coll->code is set. */
bool knell__coll_test(struct knell__coll *coll, struct knell__coll_post *post);

/* Every message is taken back from the MPI below, in turns: true when the buffers are the program's again (coll_give_up.c). */
KNELL__RARE void knell__coll_settle(struct knell__coll *coll);
KNELL__RARE bool knell__coll_settled(struct knell__coll *coll);

/* ---- for steps: messages to and from ranks of the communicator; errors end up in coll->code --------------------------------- */

/* Much data: copies before messages, sends before receives. On Open MPI over TCP an exchange of 512 KiB takes an eighth longer
 * when something is copied while it is under way, and a fifth longer when the receives are posted first; elsewhere it is all one. */

void knell__coll_send(struct knell__coll *coll, const void *buffer, int count, MPI_Datatype type, int to);
void knell__coll_recv(struct knell__coll *coll, void *buffer, int count, MPI_Datatype type, int from);

/* ---- for steps: data (coll_data.c); done at once, not in the next round ---------------------------------------------------- */

/* How a datatype lies in memory. */
struct knell__layout {
    MPI_Aint extent, true_low, true_extent;
    size_t size;
    bool dense; /* elements are bytes in a row, from the address given */
};
struct knell__layout knell__layout_of(MPI_Datatype type);

/* Reductions and bcast: arguments that are wrong at first sight, with coll->code set. Asked about them without a communicator, the MPI
 * below would raise an error by the handler of MPI_COMM_WORLD. */
static inline bool knell__coll_wrong(struct knell__coll *coll)
{
    const struct knell__coll_args *a = coll->args;
    if (KNELL__LIKELY(a->recv_count >= 0 && a->recv_type != MPI_DATATYPE_NULL && a->op != MPI_OP_NULL))
        return false;
    coll->code = a->recv_count < 0 ? MPI_ERR_COUNT : a->op == MPI_OP_NULL ? MPI_ERR_OP : MPI_ERR_TYPE;
    return true;
}

/* Not by pointer arithmetic: MPI_BOTTOM is NULL. */
static inline void *knell__at(const void *buffer, MPI_Aint index, MPI_Aint extent)
{
    return (void *)((intptr_t)buffer + index * extent);
}

/* into = from (op) into, in this order, as MPI_Reduce_local. */
void knell__coll_fold(struct knell__coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op);
bool knell__op_commutes(MPI_Op op);
void knell__coll_copy(struct knell__coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into,
                      int into_count, MPI_Datatype into_type);
/* To and from bytes in a row, as many as size * count; they travel as MPI_PACKED. */
void knell__coll_pack(struct knell__coll *coll, const void *from, int count, MPI_Datatype type, void *bytes);
void knell__coll_unpack(struct knell__coll *coll, const void *bytes, void *into, int count, MPI_Datatype type);
/* Room for `count` elements, addressed as MPI addresses buffers (lower bounds respected). NULL with coll->code set. Once. */
void *knell__coll_scratch(struct knell__coll *coll, size_t count, MPI_Datatype type);

/* ---- pieces: everybody folds one piece of everybody's data (coll_pieces.c) --------------------------------------------------- */

/* Piece i is `counts[i]` elements, after those of the ranks below; NULL: `total` elements in pieces as equal as they can be. */
struct knell__pieces {
    const void *from;  /* everybody's own elements */
    void *into;        /* for the folded piece, */
    bool anywhere;     /* unless it may stay where it was folded */
    bool from_is_ours; /* the own piece in `from` is `into`: MPI_IN_PLACE */
    int total;
    const int *counts;
};
int knell__piece_at(const struct knell__coll *coll, const struct knell__pieces *pieces, int rank);
int knell__piece_count(const struct knell__coll *coll, const struct knell__pieces *pieces, int rank);
/* A round of its own: everybody sends the others their pieces. */
void knell__pieces_exchange(struct knell__coll *coll, const struct knell__pieces *pieces);
/* In the round after: the own piece, folded in the order of ranks; where it is. */
void *knell__pieces_fold(struct knell__coll *coll, const struct knell__pieces *pieces);

/* ---- for calls (coll_call.c) ------------------------------------------------------------------------------------------------ */

/* What all calls do once they have their arguments together: find the communicator, run or (request) start, raise. */
int knell__coll_call(MPI_Comm handle, knell__coll_step *step, const struct knell__coll_args *args,
                     MPI_Request *request);

/* Internal: `size` bytes of everyone to everyone, in the order of ranks. Not raised. */
int knell__coll_allgather(struct knell__comm *comm, const void *mine, void *all, size_t size);

/* A nonblocking machine, from malloc: behind a request token, which frees it. */
int knell__coll_start(struct knell__coll *coll, MPI_Request *request);
/* Called when a nonblocking machine is over: nothing of the program's is used any more (kept.h). */
void knell__coll_over(void);
/* What this member contributes to a collective (flip.c): the arguments name a copy where there are wrong bits. */
void knell__flip_args(struct knell__coll_args *args, const struct knell__comm *comm);

#endif
