/* unborn.c: see unborn.h. */
#include "mpi/create/unborn.h"
#include "mpi/base/lock.h"
#include "mpi/comm/past.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

uint64_t unborn_mix(uint64_t into, uint64_t x)
{
    x = (into + x + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
}

static struct comm_same_call *same_call(struct comm *parent, uint64_t key)
{
    struct comm_same_call *call = parent->group_calls;
    while (call && call->key != key)
        call = call->next;
    if (call)
        return call;
    call = malloc(sizeof *call);
    if (!call)
        layer_die("out of memory");
    *call = (struct comm_same_call){.next = parent->group_calls, .key = key};
    return parent->group_calls = call;
}

uint64_t unborn_count(struct comm *comm, uint64_t key)
{
    lock_take(LOCK_GROUP_CALLS);
    uint64_t count = ++same_call(comm, key)->count;
    lock_give(LOCK_GROUP_CALLS);
    return count;
}

/* ---- its agreements --------------------------------------------------------------------------------------------------------- */

static int wait_for_members(struct unborn *unborn, struct side_ticket *ticket)
{
    bool may_leave = !unborn->met || !unborn->stays;
    int code = MPI_SUCCESS;
    for (unsigned turns = 0; !side_decided(ticket); wait_idle(&turns, unborn->comm))
        if (may_leave && (code = unborn->leaves(unborn)) != MPI_SUCCESS) {
            side_withdraw(ticket);
            unborn->left = true;
            break;
        }
    return code;
}

/* The code is the same at all members that have not left. */
static int agree(struct unborn *unborn, const struct offer *mine, struct offer *agreed)
{
    struct side_ticket ticket = {
        .group = unborn->comm->id,
        .kind = KNELL_KIND_CREATE,
        .fold = SIDE_FOLD_OFFER,
        .alone = unborn->comm->members == 1,
        .size = sizeof *mine,
    };
    memcpy(ticket.value, mine, sizeof *mine);
    side_propose(&ticket);
    int code = wait_for_members(unborn, &ticket);
    if (code == MPI_SUCCESS) {
        unborn->met = true;
        memcpy(agreed, ticket.value, sizeof *agreed);
        code = making_verdict(unborn->comm, &ticket);
    }
    free(ticket.dead);
    return code;
}

/* A place is found also when the creation fails: as long as a member is not through, its slot is not free (comm/past.h). */
static int find_place(struct unborn *unborn, struct place *place)
{
    struct offer_try try = {.key = unborn->comm->id, .most = PLACE_SLOTS};
    struct offer mine, agreed;
    place->slot = -1;
    do {
        offer_make(&mine, &try);
        int code = agree(unborn, &mine, &agreed);
        if (unborn->left || code == MPIX_ERR_REVOKED) {
            offer_withdraw(&mine);
            return code;
        }
        past_drop(unborn->comm, &agreed);
        if (offer_take(&mine, &agreed, place))
            return code;
    } while (offer_try_next(&try, &agreed));
    return MPI_ERR_INTERN;
}

static int confirm(struct unborn *unborn)
{
    struct offer nothing = {0}, agreed;
    return agree(unborn, &nothing, &agreed);
}

/* Nobody has it, but for what others may have when this one left. */
static void bury(struct unborn *unborn, const struct place *place)
{
    struct comm *comm = unborn->comm;
    bool clean = !unborn->left;
    bool drops = place->slot < 0 && !unborn->stays;
    if (unborn->left && drops)
        side_drop(comm->id);
    if (unborn->left && !drops) {
        comm_note_revoke(comm->id);
        side_revoke(comm->id);
    }
    comm->place = *place;
    if (clean)
        atomic_store(&comm->trouble, 0); /* nothing was ever sent on it */
    comm_release(comm);
}

int unborn_bear(struct unborn *unborn, const struct comm *parent, MPI_Comm *newcomm)
{
    struct place place;
    int code = find_place(unborn, &place);
    if (code == MPI_SUCCESS)
        code = confirm(unborn);
    if (code != MPI_SUCCESS) {
        bury(unborn, &place);
        return code;
    }
    create_handle_like(parent, false, newcomm);
    comm_settle(unborn->comm, &place, *newcomm);
    return MPI_SUCCESS;
}
