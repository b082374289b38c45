/* trouble.c: a collective in which a member's death becomes known while it is under way (docs/design/mpi.md, "The life of a failure").
 *
 * It goes on as long as its messages come. A message of the dead gets a last look, and so does one of a living member that has said
 * that it is out (out.h). The others are waited for until a grace is over since the death became known: a member may never
 * enter, may compute, or may be in a shrink. Then the collective is given up here. */
#include "mpi/base/settings.h"
#include "mpi/coll/coll.h"
#include "mpi/coll/out.h"

#include <knell/mpix.h>
#include <stdlib.h>

/* What came before a death may lie unread in the transport: so many looks. */
enum { LAST_LOOKS = 64 };

static int64_t grace_ns = INT64_C(20000000);

void coll_grace_learn(void)
{
    const char *text = settings_get("KNELL_GRACE_NS");
    if (text)
        grace_ns = strtoll(text, NULL, 10);
}

/* ---- judging ------------------------------------------------------------------------------------------------------------------ */

/* Dead, or out of this collective. */
static bool is_gone(const struct coll *coll, int process)
{
    return side_is_dead(process) || out_is(coll->comm, process, coll->tag, coll->sequence);
}

/* Does the round wait for what will not come? What has come, and what was sent, is done with on the way. */
static bool waits_in_vain(struct coll *coll, bool grace_over)
{
    bool in_vain = false;
    for (int i = coll->tested; i < coll->posts && coll->code == MPI_SUCCESS; i++) {
        struct coll_post *post = &coll->post[i];
        if (post->request != MPI_REQUEST_NULL && !coll_test(coll, post))
            in_vain |= grace_over || is_gone(coll, post->peer);
    }
    return in_vain;
}

static bool waits_in_vain_to_the_last(struct coll *coll, bool grace_over)
{
    bool in_vain = true;
    native_look_quickly();
    for (int i = 0; in_vain && i < LAST_LOOKS; i++)
        in_vain = waits_in_vain(coll, grace_over);
    native_look_idly();
    return in_vain;
}

/* A send to one that is gone does not keep the rest waiting. The MPI below may hold its buffer: it is settled at the end. */
static void leave_the_gone(struct coll *coll)
{
    for (int i = coll->tested; i < coll->posts; i++) {
        struct coll_post post = coll->post[i];
        if (post.kind != REQUEST_SEND || post.request == MPI_REQUEST_NULL || !is_gone(coll, post.peer))
            continue;
        coll->post[i] = coll->post[coll->left];
        coll->post[coll->left++] = post;
        coll->tested = coll->tested > coll->left ? coll->tested : coll->left;
        coll->late_code = MPIX_ERR_PROC_FAILED;
    }
}

void coll_judge(struct coll *coll)
{
    int why = op_check(coll->comm, PEER_ALL);
    coll->mode = COLL_TROUBLED;
    if (why == MPIX_ERR_REVOKED) {
        coll->code = why;
        return;
    }
    bool grace_over = knell__clock_now() - atomic_load(&coll->comm->failed_ns) >= grace_ns;
    if (!waits_in_vain_to_the_last(coll, grace_over) || coll->code != MPI_SUCCESS)
        return;
    leave_the_gone(coll);
    if (waits_in_vain(coll, grace_over) && coll->code == MPI_SUCCESS)
        coll->code = MPIX_ERR_PROC_FAILED;
}

/* ---- telling ------------------------------------------------------------------------------------------------------------------ */

bool coll_holds_back(struct coll *coll, int to)
{
    if (coll->mode == COLL_TELLING) {
        out_tell(coll->comm, coll->tag, coll->sequence, to);
        return true;
    }
    bool gone = is_gone(coll, coll->comm->process_of[to]);
    if (gone)
        coll->late_code = MPIX_ERR_PROC_FAILED;
    return gone;
}

/* Also those whose messages are not received: a large send waits for its receiver. */
static void tell_senders(struct coll *coll)
{
    for (int i = coll->left; i < coll->posts; i++) {
        const struct coll_post *post = &coll->post[i];
        if (post->kind == REQUEST_RECV && post->request != MPI_REQUEST_NULL)
            out_tell(coll->comm, coll->tag, coll->sequence, coll->comm->rank_of[post->peer]);
    }
}

/* Who is through with this collective may be in the next one already, and wait for this member there. Most of them exchange messages at
 * these distances; the rest have the grace. */
static void tell_next(struct coll *coll)
{
    int place = comm_place(coll->comm), size = coll->comm->members;
    for (int far = 1; far < size; far *= 2) {
        out_tell(coll->comm, coll->tag, coll->sequence, comm_at_place(coll->comm, (place + far) % size));
        out_tell(coll->comm, coll->tag, coll->sequence, comm_at_place(coll->comm, (place - far + size) % size));
    }
}

/* The steps that are left say with whom they would have exchanged messages. */
void coll_tell(struct coll *coll)
{
    int code = coll->code;
    tell_senders(coll);
    tell_next(coll);
    coll->mode = COLL_TELLING;
    coll->code = MPI_SUCCESS;
    while (coll->step(coll) && coll->code == MPI_SUCCESS)
        coll->round++;
    coll->code = code;
}
