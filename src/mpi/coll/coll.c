/* coll.c: see coll.h. */
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* ---- life of a machine ------------------------------------------------------------------------------------------------------- */

static inline void count(struct knell__comm *comm, int change)
{
    if (KNELL__RARELY(knell__self.threads))
        atomic_fetch_add(&comm->under_way, change);
    else
        atomic_store_explicit(&comm->under_way, atomic_load_explicit(&comm->under_way, memory_order_relaxed) + change,
                              memory_order_relaxed);
}

void knell__coll_begin(struct knell__coll *coll, struct knell__comm *comm, knell__coll_step *step,
                       const struct knell__coll_args *args)
{
    coll->comm = comm;
    coll->step = step;
    coll->args = args;
    coll->op = knell__op_begin(comm, KNELL__EVERYBODY, KNELL__REQUEST_RECV);
    coll->code = coll->op.code;
    coll->late_code = MPI_SUCCESS;
    coll->sequence = comm->sequence++;
    coll->tag = comm->place.wire | (int)(coll->sequence & ((1u << KNELL__SEQUENCE_BITS) - 1));
    coll->mode = KNELL__COLL_USUAL;
    coll->phase = KNELL__COLL_ROUNDS;
    coll->round = 0;
    coll->over = false;
    coll->ticket = NULL;
    memset(coll->state, 0, sizeof coll->state);
    coll->mine = coll->spare = coll->other = NULL;
    coll->post = coll->inline_posts;
    coll->posts = coll->left = coll->tested = 0;
    coll->posts_room = KNELL__COLL_INLINE_POSTS;
    coll->scratch = coll->inline_scratch;
    count(comm, 1);
}

static void end(struct knell__coll *coll)
{
    if (coll->post != coll->inline_posts)
        free(coll->post);
    if (coll->scratch != coll->inline_scratch)
        free(coll->scratch);
    coll->post = coll->inline_posts;
    coll->scratch = coll->inline_scratch;
}

/* ---- for steps ----------------------------------------------------------------------------------------------------------------- */

KNELL__RARE static void more_room(struct knell__coll *coll)
{
    size_t room = 2 * (size_t)coll->posts_room;
    struct knell__coll_post *larger = malloc(room * sizeof *larger);
    if (!larger)
        knell__die("out of memory");
    memcpy(larger, coll->post, (size_t)coll->posts * sizeof *larger);
    if (coll->post != coll->inline_posts)
        free(coll->post);
    coll->post = larger;
    coll->posts_room = (int)room;
}

static inline struct knell__coll_post *next_post(struct knell__coll *coll, int rank, enum knell__request_kind kind)
{
    if (KNELL__RARELY(coll->posts == coll->posts_room))
        more_room(coll);
    struct knell__coll_post *post = &coll->post[coll->posts];
    post->kind = kind;
    post->peer = coll->comm->process_of[rank];
    return post;
}

/* An error of the MPI below: this peer's death, or that of any other member. */
KNELL__RARE static int reason(const struct knell__coll *coll, int peer, int code)
{
    int confirmed = knell__error_confirm(peer, code), known = knell__op_check(coll->comm, KNELL__EVERYBODY);
    return known != MPI_SUCCESS ? known : confirmed;
}

/* A send to the dead makes this member fail in the end; what it holds for the living it sends all the same. */
KNELL__RARE static void failed(struct knell__coll *coll, struct knell__coll_post *post, int code)
{
    code = reason(coll, post->peer, code);
    post->request = MPI_REQUEST_NULL;
    if (post->kind == KNELL__REQUEST_SEND && code == MPIX_ERR_PROC_FAILED)
        coll->late_code = code;
    else if (coll->code == MPI_SUCCESS)
        coll->code = code;
}

void knell__coll_send(struct knell__coll *coll, const void *buffer, int count, MPI_Datatype type, int to)
{
    if (KNELL__RARELY(coll->mode != KNELL__COLL_USUAL) && knell__coll_holds_back(coll, to))
        return;
    struct knell__coll_post *post = next_post(coll, to, KNELL__REQUEST_SEND);
    int code = knell__native.isend(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        failed(coll, post, code);
    else if (!knell__request_was_complete(post->request))
        coll->posts++;
}

/* Posted also when the sender is known dead: what came before the death is there to be received. */
void knell__coll_recv(struct knell__coll *coll, void *buffer, int count, MPI_Datatype type, int from)
{
    if (KNELL__RARELY(coll->mode == KNELL__COLL_TELLING)) {
        knell__coll_holds_back(coll, from);
        return;
    }
    struct knell__coll_post *post = next_post(coll, from, KNELL__REQUEST_RECV);
    int code = knell__native.irecv(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        failed(coll, post, code);
    else
        coll->posts++;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

static inline bool test(struct knell__coll *coll, struct knell__coll_post *post)
{
    int complete = 0, code = knell__native.test(&post->request, &complete, MPI_STATUS_IGNORE);
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        return complete;
    failed(coll, post, code);
    return coll->code == MPI_SUCCESS;
}

bool knell__coll_test(struct knell__coll *coll, struct knell__coll_post *post)
{
    return test(coll, post);
}

/* True when all that was posted is complete. In order: the first that is not keeps the rest waiting, which costs nothing. */
static inline bool round_complete(struct knell__coll *coll)
{
    while (coll->tested < coll->posts) {
        if (!test(coll, &coll->post[coll->tested]))
            return false;
        coll->tested++;
    }
    return true;
}

/* One turn: true when there is no further round, well or not. */
static inline bool turn(struct knell__coll *coll)
{
    while (coll->code == MPI_SUCCESS && round_complete(coll)) {
        coll->posts = coll->tested = coll->left;
        if (!coll->step(coll))
            return true;
        coll->round++;
    }
    if (KNELL__RARELY(coll->code == MPI_SUCCESS && (coll->mode == KNELL__COLL_TROUBLED || knell__op_hit(&coll->op))))
        knell__coll_judge(coll);
    return coll->code != MPI_SUCCESS;
}

/* First those who wait for this member are told, then its own messages are settled. */
KNELL__RARE static void fail(struct knell__coll *coll)
{
    atomic_fetch_or(&coll->comm->trouble, KNELL__SPOILED); /* so that its slot is not reused as if nothing had been */
    if (coll->code == MPIX_ERR_PROC_FAILED)
        knell__coll_tell(coll);
    else if (coll->code == MPI_SUCCESS)
        coll->code = coll->late_code;
    coll->phase = KNELL__COLL_SETTLING;
    knell__coll_settle(coll);
}

/* One turn of all there is to do: true when the collective is over. */
static inline bool advance(struct knell__coll *coll)
{
    if (KNELL__LIKELY(coll->phase == KNELL__COLL_ROUNDS)) {
        if (!turn(coll))
            return false;
        count(coll->comm, -1);
        if (KNELL__RARELY(coll->code != MPI_SUCCESS || coll->late_code != MPI_SUCCESS))
            fail(coll);
    }
    if (KNELL__RARELY(coll->phase == KNELL__COLL_SETTLING) && !knell__coll_settled(coll))
        return false;
    if (KNELL__RARELY(coll->ticket != NULL) && !knell__coll_agreed(coll))
        return false;
    end(coll);
    return true;
}

int knell__coll_run(struct knell__coll *coll)
{
    for (unsigned turns = 0; !advance(coll);)
        knell__idle(&turns, coll->comm);
    return coll->code;
}

/* ---- nonblocking --------------------------------------------------------------------------------------------------------------- */

static int task_advance(struct knell__task *task, bool *done)
{
    struct knell__coll *coll = (struct knell__coll *)task;
    *done = coll->over || advance(coll);
    if (*done)
        knell__coll_over();
    return coll->code;
}

static void task_release(struct knell__task *task)
{
    free(task);
}

/* The first round goes out before the call returns, whoever holds the tasks. */
int knell__coll_start(struct knell__coll *coll, MPI_Request *request)
{
    coll->task = (struct knell__task){.advance = task_advance, .release = task_release};
    coll->over = advance(coll);
    int code = knell__request_token(coll->comm, &coll->task, request);
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        return code;
    coll->code = code;
    for (unsigned turns = 0; !coll->over; knell__idle(&turns, coll->comm))
        coll->over = advance(coll);
    knell__coll_over();
    free(coll);
    return code;
}
