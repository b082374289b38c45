/* coll.c: see coll.h. */
#include "mpi/coll.h"
#include "mpi/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- life of a machine ------------------------------------------------------------------------------------------------------- */

void knell__coll_begin(struct knell__coll *coll, struct knell__comm *comm, knell__coll_step *step,
                       const struct knell__coll_args *args)
{
    coll->comm = comm;
    coll->step = step;
    coll->args = args;
    coll->op = knell__op_begin(comm, KNELL__EVERYBODY, KNELL__REQUEST_RECV);
    coll->code = coll->op.code;
    coll->tag = comm->place.wire | (int)(comm->sequence++ & ((1u << KNELL__SEQUENCE_BITS) - 1));
    coll->round = 0;
    coll->over = false;
    memset(coll->state, 0, sizeof coll->state);
    coll->mine = coll->spare = coll->other = NULL;
    coll->post = coll->inline_posts;
    coll->posts = 0;
    coll->tested = 0;
    coll->posts_room = KNELL__COLL_INLINE_POSTS;
    coll->scratch = coll->inline_scratch;
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

KNELL__RARE static void refused(struct knell__coll *coll, const struct knell__coll_post *post, int code)
{
    if (coll->code == MPI_SUCCESS)
        coll->code = reason(coll, post->peer, code);
}

void knell__coll_send(struct knell__coll *coll, const void *buffer, int count, MPI_Datatype type, int to)
{
    struct knell__coll_post *post = next_post(coll, to, KNELL__REQUEST_SEND);
    int code = knell__native.isend(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        refused(coll, post, code);
    else if (!knell__request_was_complete(post->request))
        coll->posts++;
}

void knell__coll_recv(struct knell__coll *coll, void *buffer, int count, MPI_Datatype type, int from)
{
    struct knell__coll_post *post = next_post(coll, from, KNELL__REQUEST_RECV);
    int code = knell__native.irecv(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        refused(coll, post, code);
    else
        coll->posts++;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

/* True when all that was posted is complete. In order: the first that is not keeps the rest waiting, which costs nothing. */
static inline bool round_complete(struct knell__coll *coll)
{
    while (coll->tested < coll->posts) {
        int complete = 0;
        struct knell__coll_post *post = &coll->post[coll->tested];
        int code = knell__native.test(&post->request, &complete, MPI_STATUS_IGNORE);
        if (KNELL__RARELY(code != MPI_SUCCESS)) {
            coll->code = reason(coll, post->peer, code);
            return false;
        }
        if (!complete)
            return false;
        coll->tested++;
    }
    return true;
}

/* One turn: true when the collective is over, well or not. */
static inline bool turn(struct knell__coll *coll)
{
    while (coll->code == MPI_SUCCESS && round_complete(coll)) {
        coll->posts = coll->tested = 0;
        if (!coll->step(coll))
            return true;
        coll->round++;
    }
    if (KNELL__RARELY(coll->code == MPI_SUCCESS && knell__op_hit(&coll->op)))
        coll->code = coll->op.code;
    return coll->code != MPI_SUCCESS;
}

static void finish(struct knell__coll *coll)
{
    if (KNELL__RARELY(coll->code != MPI_SUCCESS)) {
        atomic_fetch_or(&coll->comm->trouble, KNELL__SPOILED); /* so that its slot is not reused as if nothing had been */
        knell__coll_give_up(coll);
    }
    end(coll);
}

int knell__coll_run(struct knell__coll *coll)
{
    for (unsigned turns = 0; !turn(coll);)
        knell__idle(&turns);
    finish(coll);
    return coll->code;
}

/* ---- nonblocking --------------------------------------------------------------------------------------------------------------- */

static int task_advance(struct knell__task *task, bool *done)
{
    struct knell__coll *coll = (struct knell__coll *)task;
    *done = coll->over || turn(coll);
    if (*done) {
        finish(coll);
        knell__coll_over();
    }
    return coll->code;
}

static void task_release(struct knell__task *task)
{
    free(task);
}

/* The first round goes out before the call returns, whoever holds the tasks: what the program passed in arrays of its own may
 * be gone after (Fortran's datatypes are converted into arrays that live as long as the call). */
int knell__coll_start(struct knell__coll *coll, MPI_Request *request)
{
    coll->task = (struct knell__task){.advance = task_advance, .release = task_release};
    coll->over = turn(coll);
    int code = knell__request_token(coll->comm, &coll->task, request);
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        return code;
    coll->code = code;
    finish(coll);
    knell__coll_over();
    free(coll);
    return code;
}
