/* coll.c: see coll.h. */
#include "mpi/carried/carried.h"
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* ---- life of a machine ------------------------------------------------------------------------------------------------------- */

static inline void count(struct comm *comm, int change)
{
    if (RARELY(self.threads))
        atomic_fetch_add(&comm->under_way, change);
    else
        atomic_store_explicit(&comm->under_way, atomic_load_explicit(&comm->under_way, memory_order_relaxed) + change,
                              memory_order_relaxed);
}

/* Half of the numbers on the wire are for persistent collectives. */
enum { PERSISTENT = 1 << (PLACE_SEQUENCE_BITS - 1) };

static inline void prepare(struct coll *coll, struct comm *comm, coll_step *step, const struct coll_args *args,
                           uint32_t sequence, int number)
{
    coll->comm = comm;
    coll->step = step;
    coll->args = args;
    coll->op = op_begin(comm, PEER_ALL, REQUEST_RECV);
    coll->code = coll->op.code;
    coll->late_code = MPI_SUCCESS;
    coll->sequence = sequence;
    coll->tag = comm->place.wire | number;
    coll->mode = COLL_USUAL;
    coll->phase = COLL_ROUNDS;
    coll->round = 0;
    coll->over = false;
    coll->ticket = NULL;
    memset(coll->state, 0, sizeof coll->state);
    coll->mine = coll->spare = coll->other = NULL;
    coll->post = coll->inline_posts;
    coll->posts = coll->left = coll->tested = 0;
    coll->posts_room = COLL_INLINE_POSTS;
    coll->scratch = coll->inline_scratch;
    count(comm, 1);
}

void coll_begin(struct coll *coll, struct comm *comm, coll_step *step, const struct coll_args *args)
{
    uint32_t sequence = comm->sequence++;
    prepare(coll, comm, step, args, sequence, (int)(sequence & (PERSISTENT - 1)));
}

/* Its sequence counts persistent ones; the tag says so (out.c). */
void coll_begin_again(struct coll *coll, struct comm *comm, coll_step *step, const struct coll_args *args,
                      uint32_t number)
{
    prepare(coll, comm, step, args, number, PERSISTENT | (int)(number & (PERSISTENT - 1)));
}

static void end(struct coll *coll)
{
    if (coll->post != coll->inline_posts)
        free(coll->post);
    if (coll->scratch != coll->inline_scratch)
        free(coll->scratch);
    coll->post = coll->inline_posts;
    coll->scratch = coll->inline_scratch;
}

/* ---- for steps ----------------------------------------------------------------------------------------------------------------- */

RARE static void more_room(struct coll *coll)
{
    size_t room = 2 * (size_t)coll->posts_room;
    struct coll_post *larger = malloc(room * sizeof *larger);
    if (!larger)
        layer_die("out of memory");
    memcpy(larger, coll->post, (size_t)coll->posts * sizeof *larger);
    if (coll->post != coll->inline_posts)
        free(coll->post);
    coll->post = larger;
    coll->posts_room = (int)room;
}

static inline struct coll_post *next_post(struct coll *coll, int rank, enum request_kind kind)
{
    if (RARELY(coll->posts == coll->posts_room))
        more_room(coll);
    struct coll_post *post = &coll->post[coll->posts];
    post->kind = kind;
    post->peer = coll->comm->process_of[rank];
    return post;
}

/* An error of the MPI below: this peer's death, or that of any other member. */
RARE static int reason(const struct coll *coll, int peer, int code)
{
    int confirmed = side_confirm_error(peer, code), known = op_check(coll->comm, PEER_ALL);
    return known != MPI_SUCCESS ? known : confirmed;
}

/* A send to the dead makes this member fail in the end; what it holds for the living it sends all the same. */
RARE static void failed(struct coll *coll, struct coll_post *post, int code)
{
    code = reason(coll, post->peer, code);
    post->request = MPI_REQUEST_NULL;
    if (post->kind == REQUEST_SEND && code == MPIX_ERR_PROC_FAILED)
        coll->late_code = code;
    else if (coll->code == MPI_SUCCESS)
        coll->code = code;
}

void coll_send(struct coll *coll, const void *buffer, int count, MPI_Datatype type, int to)
{
    if (RARELY(coll->mode != COLL_USUAL) && coll_holds_back(coll, to))
        return;
    struct coll_post *post = next_post(coll, to, REQUEST_SEND);
    int code = native.isend(buffer, count, type, post->peer, coll->tag, context_wire, &post->request);
    if (RARELY(code != MPI_SUCCESS))
        failed(coll, post, code);
    else if (!native_was_complete(post->request))
        coll->posts++;
}

/* Posted also when the sender is known dead: what came before the death is there to be received. */
void coll_recv(struct coll *coll, void *buffer, int count, MPI_Datatype type, int from)
{
    if (RARELY(coll->mode == COLL_TELLING)) {
        coll_holds_back(coll, from);
        return;
    }
    if (carried_receive_now(buffer, count, type, coll->comm->process_of[from], coll->tag, context_wire))
        return;
    struct coll_post *post = next_post(coll, from, REQUEST_RECV);
    int code = native.irecv(buffer, count, type, post->peer, coll->tag, context_wire, &post->request);
    if (RARELY(code != MPI_SUCCESS))
        failed(coll, post, code);
    else
        coll->posts++;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

static inline bool test(struct coll *coll, struct coll_post *post)
{
    int complete = 0, code = native.test(&post->request, &complete, MPI_STATUS_IGNORE);
    if (LIKELY(code == MPI_SUCCESS))
        return complete;
    failed(coll, post, code);
    return coll->code == MPI_SUCCESS;
}

bool coll_test(struct coll *coll, struct coll_post *post)
{
    return test(coll, post);
}

/* True when all that was posted is complete. In order: the first that is not keeps the rest waiting, which costs nothing. */
static inline bool round_complete(struct coll *coll)
{
    while (coll->tested < coll->posts) {
        if (!test(coll, &coll->post[coll->tested]))
            return false;
        coll->tested++;
    }
    return true;
}

/* One turn: true when there is no further round, well or not. */
static inline bool turn(struct coll *coll)
{
    while (coll->code == MPI_SUCCESS && round_complete(coll)) {
        coll->posts = coll->tested = coll->left;
        if (!coll->step(coll))
            return true;
        coll->round++;
    }
    if (RARELY(coll->code == MPI_SUCCESS && (coll->mode == COLL_TROUBLED || op_hit(&coll->op))))
        coll_judge(coll);
    return coll->code != MPI_SUCCESS;
}

/* First those who wait for this member are told, then its own messages are settled. */
RARE static void fail(struct coll *coll)
{
    atomic_fetch_or(&coll->comm->trouble, COMM_SPOILED); /* so that its slot is not reused as if nothing had been */
    if (coll->code == MPIX_ERR_PROC_FAILED)
        coll_tell(coll);
    else if (coll->code == MPI_SUCCESS)
        coll->code = coll->late_code;
    coll->phase = COLL_SETTLING;
    coll_settle(coll);
}

/* One turn of all there is to do: true when the collective is over. */
static inline bool advance(struct coll *coll)
{
    if (LIKELY(coll->phase == COLL_ROUNDS)) {
        if (!turn(coll))
            return false;
        count(coll->comm, -1);
        if (RARELY(coll->code != MPI_SUCCESS || coll->late_code != MPI_SUCCESS))
            fail(coll);
    }
    if (RARELY(coll->phase == COLL_SETTLING) && !coll_settled(coll))
        return false;
    if (RARELY(coll->ticket != NULL) && !coll_agreed(coll))
        return false;
    end(coll);
    return true;
}

int coll_run(struct coll *coll)
{
    for (unsigned turns = 0; !advance(coll);)
        wait_idle(&turns, coll->comm);
    return coll->code;
}

/* ---- nonblocking --------------------------------------------------------------------------------------------------------------- */

static int task_advance(struct task *task, bool *done)
{
    struct coll *coll = (struct coll *)task;
    *done = coll->over || advance(coll);
    if (*done)
        coll_over();
    return coll->code;
}

static void task_release(struct task *task)
{
    free(task);
}

/* The first round goes out before the call returns, whoever holds the tasks. */
int coll_start(struct coll *coll, MPI_Request *request)
{
    coll->task = (struct task){.advance = task_advance, .release = task_release};
    coll->over = advance(coll);
    int code = request_token(coll->comm, &coll->task, request);
    if (LIKELY(code == MPI_SUCCESS))
        return code;
    coll->code = code;
    for (unsigned turns = 0; !coll->over; wait_idle(&turns, coll->comm))
        coll->over = advance(coll);
    coll_over();
    free(coll);
    return code;
}
