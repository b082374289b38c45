/* give_up.c: a collective that has failed takes the messages of its round back (docs/mpi.md, rule 6). */
#include "mpi/abandon/drain.h"
#include "mpi/coll/coll.h"

/* FINAL_TESTS: what had arrived may lie unread in the transport. LONELY_MS: a collective that failed for its arguments, at this
 * member alone; the others may still take what was sent to them, and may not. */
enum { FINAL_TESTS = 64, LONELY_MS = 20 };

static bool is_open(const struct knell__coll_post *post, enum knell__request_kind kind)
{
    return post->request != MPI_REQUEST_NULL && post->kind == kind;
}

/* Tests what is left; so many are worth waiting for. */
static int still_open(struct knell__coll *coll)
{
    int open = 0;
    for (int i = 0; i < coll->posts; i++) {
        struct knell__coll_post *post = &coll->post[i];
        int complete = 0;
        if (post->request == MPI_REQUEST_NULL)
            continue;
        if (knell__native.test(&post->request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            post->request = MPI_REQUEST_NULL;
        bool lonely = !coll->all_fail && post->kind == KNELL__REQUEST_SEND;
        int64_t patience = lonely ? LONELY_MS : knell__patience(coll->comm, post->peer);
        open += post->request != MPI_REQUEST_NULL && knell__now_ms() - coll->settling_ms < patience;
    }
    return open;
}

static void cancel_receives(struct knell__coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (is_open(&coll->post[i], KNELL__REQUEST_RECV))
            knell__native.cancel(&coll->post[i].request);
}

/* Who will not receive any more is asked to take what was sent to it. */
static void ask(struct knell__coll *coll)
{
    for (int i = 0; i < coll->posts; i++) {
        struct knell__coll_post *post = &coll->post[i];
        post->asked = is_open(post, KNELL__REQUEST_SEND) && knell__patience(coll->comm, post->peer) > 0;
        if (post->asked)
            knell__drain_ask(post->peer, knell__wire, coll->tag);
    }
}

static void end_asking(const struct knell__coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (coll->post[i].asked)
            knell__drain_end(coll->post[i].peer, knell__wire, coll->tag);
}

/* With the dead, who touch nothing any more. */
static void free_sends(struct knell__coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (is_open(&coll->post[i], KNELL__REQUEST_SEND))
            knell__native.request_free(&coll->post[i].request);
}

void knell__coll_settle(struct knell__coll *coll)
{
    coll->all_fail = knell__op_check(coll->comm, KNELL__EVERYBODY) != MPI_SUCCESS;
    coll->settling_ms = knell__now_ms();
    knell__native_look_quickly();
    for (int i = 0; i < FINAL_TESTS && still_open(coll) > 0; i++)
        continue;
    knell__native_look_idly();
    cancel_receives(coll);
    if (coll->all_fail)
        ask(coll);
}

bool knell__coll_settled(struct knell__coll *coll)
{
    if (still_open(coll) > 0)
        return false;
    if (coll->all_fail)
        end_asking(coll);
    free_sends(coll);
    coll->posts = 0;
    coll->phase = KNELL__COLL_AGREEING;
    return true;
}
