/* elsewhere.c: a receive from any source on a communicator that spans hosts is posted here and with the MPI below. The first message that
 * comes takes it back from the other: a message of this host is delivered once the MPI below has cancelled its half. If that came
 * too late, a message of another host has it, and the one of this host is for the next receive. MPI promises an order for each source
 * only, so the two need no common one. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"

int carried_post_natively(struct carried *receive)
{
    return carried.below.irecv(receive->buffer, receive->count, receive->given, MPI_ANY_SOURCE, receive->tag,
                               receive->comm, &receive->native);
}

static void received_natively(struct carried *receive, int code)
{
    receive->from_native = true;
    carried_complete(receive, code);
}

/* The end of the half that the MPI below has: a message, or that it was given back. */
static bool ended(struct carried *receive, int *cancelled, int *code)
{
    int complete = 0;
    *cancelled = 0;
    *code = carried.below.test(&receive->native, &complete, &receive->native_status);
    if (*code != MPI_SUCCESS)
        receive->native = MPI_REQUEST_NULL;
    else if (complete)
        carried.below.test_cancelled(&receive->native_status, cancelled);
    return complete || *code != MPI_SUCCESS;
}

bool carried_claim(struct carried *receive)
{
    int cancelled, code;
    if (LIKELY(receive->native == MPI_REQUEST_NULL))
        return true;
    carried.below.cancel(&receive->native);
    if (!ended(receive, &cancelled, &code)) {
        receive->phase = CARRIED_NATIVE;
        return false;
    }
    if (cancelled)
        return true;
    received_natively(receive, code);
    return false;
}

void carried_test_natively(struct carried *receive)
{
    int cancelled, code;
    if (receive->native == MPI_REQUEST_NULL || !ended(receive, &cancelled, &code))
        return;
    if (receive->phase == CARRIED_POSTED)
        list_take(&receive->node);
    if (!cancelled) {
        received_natively(receive, code);
    } else if (receive->cancelling) {
        receive->cancelled = true;
        carried_complete(receive, MPI_SUCCESS);
    } else {
        carried_receive_again(receive);
    }
}

void carried_cancel_natively(struct carried *receive)
{
    if (receive->phase == CARRIED_POSTED)
        list_take(&receive->node);
    receive->phase = CARRIED_NATIVE;
    receive->cancelling = true;
    carried.below.cancel(&receive->native);
    carried_test_natively(receive);
}

/* To look for what nobody sends turns the progress of the MPI below once. */
void carried_turn_natively(void)
{
    int found;
    carried.below.iprobe(self.process, context_notices_tag(), context_wire, &found, MPI_STATUS_IGNORE);
}
