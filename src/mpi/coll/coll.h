/* coll.h: a collective as a machine of rounds, over the layer's own messages (docs/design/mpi.md).
 *
 * An algorithm is one function, `step`: it is called when everything it posted is complete, posts the next round and says
 * whether there is one. The same function serves the blocking call, whose machine lies on the stack, and the nonblocking one,
 * whose machine lies on the heap behind a request token.
 *
 *      static bool barrier_step(struct coll *coll)           // dissemination
 *      {
 *          int size = coll->comm->size, far = 1 << coll->round;
 *          if (far >= size)
 *              return false;                                        // done
 *          coll_send(coll, NULL, 0, MPI_BYTE, (coll->comm->rank + far) % size);
 *          coll_recv(coll, NULL, 0, MPI_BYTE, (coll->comm->rank - far + size) % size);
 *          return true;                                             // called again, with round + 1
 *      }
 *
 * A step that chooses among algorithms sets coll->step and calls it.
 *
 * A death among the members fails the collective where a message of the dead is missing, or one of a member that failed by it
 * (docs/design/mpi.md, "The life of a failure"). A member that fails runs through the rest of its steps without data, to tell those with whom it would have
 * exchanged messages. So a step decides by its arguments alone what it posts, never by what it has received, and touches data only
 * by the functions below.
 * All messages of one collective have one tag: between two processes they arrive in order. */
#ifndef KNELL_MPI_COLL_COLL_H
#define KNELL_MPI_COLL_COLL_H

#include "mpi/coll/layout.h"
#include "mpi/request/request.h"
#include "mpi/wait/wait.h"

#include <stdint.h>

struct coll;
typedef bool coll_step(struct coll *coll);

enum { COLL_INLINE_POSTS = 4, COLL_INLINE_BYTES = 1024 };

/* What a member contributes: for those who want wrong bits there (flip.h). */
enum coll_gives {
    COLL_GIVES_NOTHING,
    COLL_GIVES_MESSAGE,        /* the root: what is in `recv` */
    COLL_GIVES_OPERAND,        /* as many elements as come out */
    COLL_GIVES_PIECES,         /* a piece of the result for everyone */
    COLL_GIVES_BLOCK,          /* one */
    COLL_GIVES_BLOCKS_AS_ROOT, /* the root: one for everyone */
    COLL_GIVES_BLOCKS,         /* one for everyone */
};

/* What calls with a v or a w in their name have for each rank, or for each neighbour; NULL: they have not. */
struct coll_arrays {
    const int *send_counts, *recv_counts, *send_displs, *recv_displs;
    const MPI_Datatype *send_types, *recv_types;
    const MPI_Aint *send_bytes, *recv_bytes; /* instead of displs: MPI_Neighbor_alltoallw */
    bool at_root;                            /* they mean nothing to others */
};

/* The arguments of the call, as far as an algorithm has them. Reductions and bcast have the recv half only, beside `send`. */
struct coll_args {
    const void *send;
    void *recv;
    int send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    const struct coll_arrays *by_rank; /* NULL where no call of that kind has any */
    const struct topology *near;       /* of neighbourhood collectives: their blocks are its neighbours' */
    MPI_Op op;
    int root;
    enum coll_gives gives;
    coll_step *inter; /* the algorithm for intercommunicators; NULL: they have no such collective */
};

/* Of a collective that sends blocks and receives blocks. */
static inline struct coll_args coll_args_of(enum coll_gives gives, const struct coll_arrays *by_rank, const void *send,
                                            int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                                            MPI_Datatype recv_type)
{
    return (struct coll_args){.send = send,
                              .send_count = send_count,
                              .send_type = send_type,
                              .recv = recv,
                              .recv_count = recv_count,
                              .recv_type = recv_type,
                              .by_rank = by_rank,
                              .gives = gives};
}

/* The block of a rank, however the arguments tell where it is. */
struct coll_block {
    void *at;
    int count;
    MPI_Datatype type;
};
struct coll_block coll_send_block(const struct coll_args *args, int rank);
struct coll_block coll_recv_block(const struct coll_args *args, int rank);
/* How many there are. */
static inline int coll_sends(const struct coll_args *args, const struct comm *comm)
{
    return args->near ? args->near->outdegree : comm->size;
}
static inline int coll_recvs(const struct coll_args *args, const struct comm *comm)
{
    if (args->near)
        return args->near->indegree;
    return args->gives == COLL_GIVES_PIECES ? comm_local_size(comm) : comm->size;
}

/* One message under way. */
struct coll_post {
    MPI_Request request;
    int peer;
    enum request_kind kind;
    bool asked; /* a send that is given up: its receiver was asked to take it */
};

/* What a step's messages and data are for. */
enum coll_mode {
    COLL_USUAL,
    COLL_TROUBLED, /* a member's death is known: every turn is judged, nothing is sent to those who are gone */
    COLL_TELLING,  /* given up: the peer of every message is told; none is posted, no data is touched */
};

enum coll_phase {
    COLL_ROUNDS,
    COLL_SETTLING, /* it has failed: its messages are taken back from the MPI below */
    COLL_AGREEING, /* its code is agreed on (uniform.c) */
};

struct coll {
    struct task task; /* first: the nonblocking kind is a task */
    struct comm *comm;
    coll_step *step;
    const struct coll_args *args; /* the call's; `kept` when it goes on after the call */
    struct op op;
    int tag;
    uint32_t sequence;
    enum coll_mode mode;
    enum coll_phase phase;
    int code;                   /* the first error; no step after it */
    int late_code;              /* an error that stops no step: a send to one that is gone; the code in the end */
    unsigned round;             /* counts the calls of step */
    bool over;                  /* nonblocking: ended within the call */
    struct side_ticket *ticket; /* uniform.c; NULL: its code is this member's own */
    int state[4];               /* the algorithm's own, zero at first */
    void *mine;                 /* likewise: what it has so far, */
    void *spare;                /* where the next may come, */
    void *other;                /* and the one after */

    struct coll_post *post; /* this round's; `inline_posts` while they fit */
    int posts, posts_room;
    int left;            /* so many, the first, are sends of any round to those who are gone: settled at the end */
    int tested;          /* so many are complete, or left */
    int64_t settling_ms; /* since then */
    bool all_fail;       /* settling: the others fail, too */
    struct coll_post inline_posts[COLL_INLINE_POSTS];
    struct coll_args kept;
    struct coll_arrays kept_arrays;

    char *scratch; /* `inline_scratch`, or from coll_scratch and freed at the end */
    char inline_scratch[COLL_INLINE_BYTES] __attribute__((aligned(16)));
};

/* Prepares a machine: checks for trouble, takes the next sequence number. coll->code says whether to go on.
 * `args` must live as long as the machine. */
void coll_begin(struct coll *coll, struct comm *comm, coll_step *step, const struct coll_args *args);
/* A persistent one, which is the `number`-th of its communicator. */
void coll_begin_again(struct coll *coll, struct comm *comm, coll_step *step, const struct coll_args *args,
                      uint32_t number);
/* Runs it to its end; the code is not raised yet. */
int coll_run(struct coll *coll);

/* A death is known, or a revoke: can it go on? If not, coll->code says why (trouble.c). */
RARE void coll_judge(struct coll *coll);
/* In another mode than the usual: true when a message to this rank is not to be sent. */
RARE bool coll_holds_back(struct coll *coll, int to);
/* Tells those with whom the rest of the steps would have exchanged messages that this member is out. */
RARE void coll_tell(struct coll *coll);
/* How long a collective waits for the living after a death, read from the environment. */
void coll_grace_learn(void);

/* Its code is to be the same at all members (uniform.c): begins that; later: true when the code is agreed on. */
void coll_make_uniform(struct coll *coll);
RARE bool coll_agreed(struct coll *coll);

/* Tests one message. False: it is not complete, or coll->code is set. */
bool coll_test(struct coll *coll, struct coll_post *post);

/* Every message is taken back from the MPI below, in turns: true when the buffers are the program's again (give_up.c). */
RARE void coll_settle(struct coll *coll);
RARE bool coll_settled(struct coll *coll);

/* ---- for steps: messages to and from ranks of the communicator; errors end up in coll->code --------------------------------- */

/* Much data: copies before messages, sends before receives. On Open MPI over TCP an exchange of 512 KiB takes an eighth longer
 * when something is copied while it is under way, and a fifth longer when the receives are posted first; elsewhere it is all one. */

void coll_send(struct coll *coll, const void *buffer, int count, MPI_Datatype type, int to);
void coll_recv(struct coll *coll, void *buffer, int count, MPI_Datatype type, int from);

/* ---- for steps: data (data.c); done at once, not in the next round ---------------------------------------------------- */

/* Reductions and bcast: arguments that are wrong at first sight, with coll->code set. Asked about them without a communicator, the MPI
 * below would raise an error by the handler of MPI_COMM_WORLD. */
static inline bool coll_wrong(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (LIKELY(a->recv_count >= 0 && a->recv_type != MPI_DATATYPE_NULL && a->op != MPI_OP_NULL))
        return false;
    coll->code = a->recv_count < 0 ? MPI_ERR_COUNT : a->op == MPI_OP_NULL ? MPI_ERR_OP : MPI_ERR_TYPE;
    return true;
}

/* Not by pointer arithmetic: MPI_BOTTOM is NULL. */
static inline void *coll_at(const void *buffer, MPI_Aint index, MPI_Aint extent)
{
    return (void *)((intptr_t)buffer + index * extent);
}

/* into = from (op) into, in this order, as MPI_Reduce_local. */
void coll_fold(struct coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op);
bool coll_op_commutes(MPI_Op op);
void coll_copy(struct coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
               MPI_Datatype into_type);
/* To and from bytes in a row, as many as size * count; they travel as MPI_PACKED. */
void coll_pack(struct coll *coll, const void *from, int count, MPI_Datatype type, void *bytes);
void coll_unpack(struct coll *coll, const void *bytes, void *into, int count, MPI_Datatype type);
/* Room for `count` elements, addressed as MPI addresses buffers (lower bounds respected). NULL with coll->code set. Once. */
void *coll_scratch(struct coll *coll, size_t count, MPI_Datatype type);

/* ---- pieces: everybody folds one piece of everybody's data (pieces.c) --------------------------------------------------- */

/* Piece i is `counts[i]` elements, after those of the ranks below; NULL: `total` elements in pieces as equal as they can be. */
struct coll_pieces {
    const void *from;  /* everybody's own elements */
    void *into;        /* for the folded piece, */
    bool anywhere;     /* unless it may stay where it was folded */
    bool from_is_ours; /* the own piece in `from` is `into`: MPI_IN_PLACE */
    int total;
    const int *counts;
};
int coll_piece_at(const struct coll *coll, const struct coll_pieces *pieces, int rank);
int coll_piece_count(const struct coll *coll, const struct coll_pieces *pieces, int rank);
/* A round of its own: everybody sends the others their pieces. */
void coll_pieces_exchange(struct coll *coll, const struct coll_pieces *pieces);
/* In the round after: the own piece, folded in the order of ranks; where it is. */
void *coll_pieces_fold(struct coll *coll, const struct coll_pieces *pieces);

/* ---- for calls (call.c) ------------------------------------------------------------------------------------------------ */

/* What all calls do once they have their arguments together: find the communicator, run or (request) start, raise. */
int coll_call(MPI_Comm handle, coll_step *step, const struct coll_args *args, MPI_Request *request);

/* This thread's next coll_call makes a persistent request of it: coll_init (persistent.c). Who raises an error before it comes there
 * asks, too. */
void coll_init_next(void);
bool coll_is_init(void);
int coll_init(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request);
/* One start of it; not raised. */
int coll_call_again(struct comm *comm, coll_step *step, const struct coll_args *args, uint32_t number,
                    MPI_Request *request);
/* A machine with copies of the arguments, not begun; NULL: no memory. */
struct coll *coll_keep(const struct comm *comm, const struct coll_args *args);

/* What every algorithm for intercommunicators takes for granted: roots, and no MPI_IN_PLACE (inter.c). */
int coll_inter_check(const struct comm *comm, const struct coll_args *args);
coll_step coll_inter_barrier, coll_inter_bcast, coll_inter_gather, coll_inter_scatter, coll_inter_alltoall,
    coll_inter_allgather, coll_inter_reduce, coll_inter_allreduce, coll_inter_reduce_scatter;

/* Internal: `size` bytes of everyone to everyone, in the order of all members (comm_place): that of ranks. Not raised. */
int coll_allgather(struct comm *comm, const void *mine, void *all, size_t size);

/* Internal: each number becomes the largest of all members'. Not raised. */
int coll_most(struct comm *comm, int64_t *numbers, int count);

/* Internal: not raised. */
int coll_barrier(struct comm *comm);
/* Internal: MPI_Alltoall and its kin, by their arguments. Not raised. */
int coll_alltoall(struct comm *comm, const struct coll_args *args);

/* A nonblocking machine, from malloc: behind a request token, which frees it. */
int coll_start(struct coll *coll, MPI_Request *request);
/* Called when a nonblocking machine is over: nothing of the program's is used any more (kept.h). */
void coll_over(void);
/* What this member contributes to a collective (flip.c): the arguments name a copy where there are wrong bits. */
void coll_flip_args(struct coll_args *args, const struct comm *comm);

#endif
