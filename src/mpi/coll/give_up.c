/* give_up.c: a collective that has failed takes the messages of its round back (docs/design/mpi.md, rule 6). */
#include "mpi/abandon/drain.h"
#include "mpi/carried/carried.h"
#include "mpi/coll/coll.h"

/* FINAL_TESTS: what had arrived may lie unread in the transport. LONELY_MS: a collective that failed for its arguments, at this
 * member alone; the others may still take what was sent to them, and may not. */
enum { FINAL_TESTS = 64, LONELY_MS = 20 };

static bool is_open(const struct coll_post *post, enum request_kind kind)
{
    return post->request != MPI_REQUEST_NULL && post->kind == kind;
}

/* A member that is still inside has had its time to take it. One that is gone from the communicator is asked in vain. */
static void take_back(struct coll *coll, struct coll_post *post)
{
    if (post->kind == REQUEST_SEND && now_ms() - coll->settling_ms >= LONELY_MS && carried_is(post->request))
        native.cancel(&post->request);
}

/* Tests what is left; so many are worth waiting for. */
static int still_open(struct coll *coll)
{
    int open = 0;
    for (int i = 0; i < coll->posts; i++) {
        struct coll_post *post = &coll->post[i];
        int complete = 0;
        if (post->request == MPI_REQUEST_NULL)
            continue;
        take_back(coll, post);
        if (native.test(&post->request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            post->request = MPI_REQUEST_NULL;
        bool lonely = !coll->all_fail && post->kind == REQUEST_SEND;
        int64_t limit_ms = lonely ? LONELY_MS : wait_give_up_ms(coll->comm, post->peer);
        open += post->request != MPI_REQUEST_NULL && now_ms() - coll->settling_ms < limit_ms;
    }
    return open;
}

static void cancel_receives(struct coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (is_open(&coll->post[i], REQUEST_RECV))
            native.cancel(&coll->post[i].request);
}

/* Who will not receive any more is asked to take what was sent to it. */
static void ask(struct coll *coll)
{
    for (int i = 0; i < coll->posts; i++) {
        struct coll_post *post = &coll->post[i];
        post->asked = is_open(post, REQUEST_SEND) && wait_give_up_ms(coll->comm, post->peer) > 0;
        if (post->asked)
            drain_ask(post->peer, context_wire, coll->tag);
    }
}

static void end_asking(const struct coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (coll->post[i].asked)
            drain_end(coll->post[i].peer, context_wire, coll->tag);
}

/* With the dead, who touch nothing any more. */
static void free_sends(struct coll *coll)
{
    for (int i = 0; i < coll->posts; i++)
        if (is_open(&coll->post[i], REQUEST_SEND))
            native.request_free(&coll->post[i].request);
}

void coll_settle(struct coll *coll)
{
    coll->all_fail = op_check(coll->comm, PEER_ALL) != MPI_SUCCESS;
    coll->settling_ms = now_ms();
    native_look_quickly();
    for (int i = 0; i < FINAL_TESTS && still_open(coll) > 0; i++)
        continue;
    native_look_idly();
    cancel_receives(coll);
    if (coll->all_fail)
        ask(coll);
}

bool coll_settled(struct coll *coll)
{
    if (still_open(coll) > 0)
        return false;
    if (coll->all_fail)
        end_asking(coll);
    free_sends(coll);
    coll->posts = 0;
    coll->phase = COLL_AGREEING;
    return true;
}
