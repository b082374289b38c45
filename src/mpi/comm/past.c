/* past.c: see past.h. A communicator that is freed here may not be through elsewhere: another member may wait for the
 * end of an agreement in it, and this process may be the one who tells. So the side channel keeps its group until all its members
 * have freed it.
 *
 * That is seen in creations, which agree on the slots that are free at every member of the parent. A slot is free when the
 * communicator that had it is freed and its last request done. So when the slot of an old communicator is among them, and
 * all its members that live are members of the parent, then all are through with it. */
#include "mpi/comm/past.h"
#include "mpi/base/lock.h"
#include "mpi/detector/side.h"

#include <stdlib.h>

static struct comm *past;

static void forget_group_calls(struct comm *parent)
{
    while (parent->group_calls) {
        struct comm_same_call *call = parent->group_calls;
        parent->group_calls = call->next;
        free(call);
    }
}

static void forget(struct comm *comm)
{
    forget_group_calls(comm);
    free((void *)comm->process_of);
    free((void *)comm->rank_of);
    free(comm->told_from);
    free(comm);
}

/* One without a slot was never born, and nothing will show when all others know of it. */
void past_keep(struct comm *comm)
{
    if (comm->members == 1 || comm->place.slot < 0) {
        forget(comm);
        return;
    }
    lock_take(LOCK_PAST);
    comm->next = past;
    past = comm;
    lock_give(LOCK_PAST);
}

static bool is_within(const struct comm *comm, const struct comm *parent)
{
    for (int i = 0; i < comm->members; i++)
        if (parent->rank_of[comm->process_of[i]] < 0 && !side_is_dead(comm->process_of[i]))
            return false;
    return true;
}

static struct comm *take_one(const struct comm *parent, const struct offer *agreed)
{
    struct comm **at = &past, *found;
    lock_take(LOCK_PAST);
    while (*at && !(offer_has(agreed, (*at)->place.slot) && is_within(*at, parent)))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    lock_give(LOCK_PAST);
    return found;
}

void past_drop(const struct comm *parent, const struct offer *agreed)
{
    struct comm *comm;
    while ((comm = take_one(parent, agreed))) {
        side_drop(comm->id);
        forget(comm);
    }
}
