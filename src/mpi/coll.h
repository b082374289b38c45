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
 * Any death among the members fails the collective at everyone who has not finished (docs/mpi.md, "The life of a death").
 * All messages of one collective have one tag: between two processes they arrive in order. */
#ifndef KNELL_MPI_COLL_H
#define KNELL_MPI_COLL_H

#include "mpi/request.h"
#include "mpi/wait.h"

struct knell__coll;
typedef bool knell__coll_step(struct knell__coll *coll);

enum { KNELL__COLL_INLINE_POSTS = 4, KNELL__COLL_INLINE_BYTES = 256 };

/* The arguments of the call, as far as an algorithm has them. */
struct knell__coll_args {
    const void *send;
    void *recv;
    int send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    const int *send_counts, *recv_counts, *send_displs, *recv_displs;
    const MPI_Datatype *send_types, *recv_types;
    MPI_Op op;
    int root;
};

/* One message under way. */
struct knell__coll_post {
    MPI_Request request;
    int peer;
    enum knell__request_kind kind;
};

struct knell__coll {
    struct knell__task task; /* first: the nonblocking kind is a task */
    struct knell__comm *comm;
    knell__coll_step *step;
    struct knell__coll_args args;
    struct knell__op op;
    int tag;
    int code;       /* the first error; no step after it */
    unsigned round; /* counts the calls of step */
    int state[4];   /* the algorithm's own, zero at first */
    void *work;     /* likewise */

    struct knell__coll_post *post; /* this round's; `inline_posts` while they fit */
    int posts, posts_room;
    int tested; /* so many of them are complete */
    struct knell__coll_post inline_posts[KNELL__COLL_INLINE_POSTS];

    char *scratch; /* from knell__coll_scratch; freed at the end */
    char inline_scratch[KNELL__COLL_INLINE_BYTES];
};

/* Prepares a machine: checks for trouble, takes the next sequence number. coll->code says whether to go on. */
void knell__coll_begin(struct knell__coll *coll, struct knell__comm *comm, knell__coll_step *step,
                       const struct knell__coll_args *args);

/* For steps: to and from ranks of the communicator. MPI errors end up in coll->code. */
void knell__coll_send(struct knell__coll *coll, const void *buffer, int count, MPI_Datatype type, int to);
void knell__coll_recv(struct knell__coll *coll, void *buffer, int count, MPI_Datatype type, int from);
/* into = from (op) into, in this order, as MPI_Reduce_local. At once, not in the next round. */
void knell__coll_fold(struct knell__coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op);
/* Also at once. */
void knell__coll_copy(struct knell__coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into,
                      int into_count, MPI_Datatype into_type);
/* Room for `count` elements, addressed as MPI addresses buffers (lower bounds respected). NULL with coll->code set. Once. */
void *knell__coll_scratch(struct knell__coll *coll, int count, MPI_Datatype type);

/* Runs it to its end; the code is not raised yet. */
int knell__coll_run(struct knell__coll *coll);
/* Puts it (from malloc) behind a request token, which frees it, and starts it. */
int knell__coll_start(struct knell__coll *coll, MPI_Request *request);

/* What the calls do once they have their arguments together: begin, run or start, raise. */
int knell__coll_blocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args);
int knell__coll_nonblocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args,
                            MPI_Request *request);

/* Internal: `size` bytes of everyone to everyone, in the order of ranks. Not raised. */
int knell__coll_allgather(struct knell__comm *comm, const void *mine, void *all, size_t size);

#endif
