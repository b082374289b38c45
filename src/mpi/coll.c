/* coll.c: see coll.h. */
#include "mpi/coll.h"
#include "mpi/error.h"

#include <knell/mpix.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- life of a machine ------------------------------------------------------------------------------------------------------- */

void knell__coll_begin(struct knell__coll *coll, struct knell__comm *comm, knell__coll_step *step,
                       const struct knell__coll_args *args)
{
    coll->comm = comm;
    coll->step = step;
    coll->args = *args;
    coll->op = knell__op_begin(comm, KNELL__EVERYBODY, KNELL__REQUEST_RECV);
    coll->code = coll->op.code;
    coll->tag = comm->place.wire | (int)(comm->sequence++ & ((1u << KNELL__SEQUENCE_BITS) - 1));
    coll->round = 0;
    memset(coll->state, 0, sizeof coll->state);
    coll->post = coll->inline_posts;
    coll->posts = 0;
    coll->tested = 0;
    coll->posts_room = KNELL__COLL_INLINE_POSTS;
    coll->scratch = NULL;
}

static void end(struct knell__coll *coll)
{
    if (coll->post != coll->inline_posts)
        free(coll->post);
    if (coll->scratch != coll->inline_scratch)
        free(coll->scratch);
    coll->post = coll->inline_posts;
    coll->scratch = NULL;
}

/* Every message of this round is taken back; when this returns the buffers are the program's again. */
static void give_up_all(struct knell__coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (coll->post[i].request != MPI_REQUEST_NULL) {
            struct knell__op op = {.comm = coll->comm, .peer = coll->post[i].peer, .kind = coll->post[i].kind};
            knell__give_up(&op, &coll->post[i].request, MPI_STATUS_IGNORE);
        }
    coll->posts = 0;
}

/* ---- for steps ----------------------------------------------------------------------------------------------------------------- */

static void more_room(struct knell__coll *coll)
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

static struct knell__coll_post *next_post(struct knell__coll *coll, int rank, enum knell__request_kind kind)
{
    if (KNELL__RARELY(coll->posts == coll->posts_room))
        more_room(coll);
    struct knell__coll_post *post = &coll->post[coll->posts];
    post->kind = kind;
    post->peer = coll->comm->process_of[rank];
    return post;
}

static void posted(struct knell__coll *coll, int code)
{
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        coll->posts++;
    else if (coll->code == MPI_SUCCESS)
        coll->code = code;
}

void knell__coll_send(struct knell__coll *coll, const void *buffer, int count, MPI_Datatype type, int to)
{
    struct knell__coll_post *post = next_post(coll, to, KNELL__REQUEST_SEND);
    posted(coll, knell__native.isend(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request));
}

void knell__coll_recv(struct knell__coll *coll, void *buffer, int count, MPI_Datatype type, int from)
{
    struct knell__coll_post *post = next_post(coll, from, KNELL__REQUEST_RECV);
    posted(coll, knell__native.irecv(buffer, count, type, post->peer, coll->tag, knell__wire, &post->request));
}

void knell__coll_fold(struct knell__coll *coll, const void *from, void *into, int count, MPI_Datatype type, MPI_Op op)
{
    int code = knell__native.reduce_local(from, into, count, type, op);
    if (code != MPI_SUCCESS && coll->code == MPI_SUCCESS)
        coll->code = code;
}

/* Contiguous: size, extent and true extent are one number, and nothing begins elsewhere than at the address given. */
static bool contiguous(MPI_Datatype type, size_t *bytes)
{
    MPI_Aint low, extent, true_low, true_extent;
    int size;
    knell__native.type_size(type, &size);
    knell__native.type_get_extent(type, &low, &extent);
    knell__native.type_get_true_extent(type, &true_low, &true_extent);
    *bytes = (size_t)size;
    return low == 0 && true_low == 0 && size == extent && size == true_extent;
}

/* The MPI below knows how to get from one datatype to another. The native MPI_COMM_SELF is the layer's alone. */
static int copy_natively(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
                         MPI_Datatype into_type)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    int code = knell__native.sendrecv(from, from_count, from_type, 0, 0, into, into_count, into_type, 0, 0, MPI_COMM_SELF,
                                      MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&one_at_a_time);
    return code;
}

void knell__coll_copy(struct knell__coll *coll, const void *from, int from_count, MPI_Datatype from_type, void *into,
                      int into_count, MPI_Datatype into_type)
{
    size_t bytes;
    if (KNELL__LIKELY(from_type == into_type && from_count <= into_count && contiguous(from_type, &bytes))) {
        memcpy(into, from, bytes * (size_t)from_count);
        return;
    }
    int code = copy_natively(from, from_count, from_type, into, into_count, into_type);
    if (code != MPI_SUCCESS && coll->code == MPI_SUCCESS)
        coll->code = code;
}

void *knell__coll_scratch(struct knell__coll *coll, int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;
    knell__native.type_get_extent(type, &low, &extent);
    knell__native.type_get_true_extent(type, &true_low, &true_extent);
    size_t bytes = count > 0 ? (size_t)(true_extent + (count - 1) * extent) : 0;
    coll->scratch = bytes <= sizeof coll->inline_scratch ? coll->inline_scratch : malloc(bytes);
    if (!coll->scratch) {
        coll->code = MPI_ERR_NO_MEM;
        return NULL;
    }
    return coll->scratch - true_low;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

/* True when all that was posted is complete. In order: the first that is not keeps the rest waiting, which costs nothing. */
static bool round_complete(struct knell__coll *coll)
{
    while (coll->tested < coll->posts) {
        int complete = 0;
        struct knell__coll_post *post = &coll->post[coll->tested];
        int code = knell__native.test(&post->request, &complete, MPI_STATUS_IGNORE);
        if (KNELL__RARELY(code != MPI_SUCCESS)) {
            coll->code = knell__error_confirm(post->peer, code);
            return false;
        }
        if (!complete)
            return false;
        coll->tested++;
    }
    return true;
}

/* One turn: true when the collective is over, well or not. */
static bool turn(struct knell__coll *coll)
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
    if (KNELL__RARELY(coll->code != MPI_SUCCESS))
        give_up_all(coll);
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
    *done = turn(coll);
    if (*done)
        finish(coll);
    return coll->code;
}

static void task_release(struct knell__task *task)
{
    free(task);
}

int knell__coll_start(struct knell__coll *coll, MPI_Request *request)
{
    coll->task.advance = task_advance;
    coll->task.release = task_release;
    int code = knell__request_token(coll->comm, &coll->task, request);
    if (code == MPI_SUCCESS)
        knell__tasks_advance();
    return code;
}

/* ---- the edge -------------------------------------------------------------------------------------------------------------------- */

int knell__coll_blocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args)
{
    struct knell__coll coll;
    knell__coll_begin(&coll, comm, step, args);
    return knell__raise(comm, knell__coll_run(&coll));
}

int knell__coll_nonblocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args,
                            MPI_Request *request)
{
    if (knell__trouble(comm) & KNELL__REVOKED)
        return knell__raise(comm, MPIX_ERR_REVOKED);
    struct knell__coll *coll = malloc(sizeof *coll);
    if (!coll)
        return knell__raise(comm, MPI_ERR_NO_MEM);
    knell__coll_begin(coll, comm, step, args);
    return knell__raise(comm, knell__coll_start(coll, request));
}
