/* group.c: MPI_Comm_create_group: a communicator made by its members alone, whatever the other members of the parent do.
 *
 * They agree in a group of their own, whose id each of them computes. Twice: on a place, as all creations do (make.c), and
 * that all have heard of it. A revoke of the parent releases who waits: members that have not come yet never will, and they do not
 * know of the group. Who leaves before the second agreement takes part in none: nobody will have the communicator, and there is
 * nothing to keep. Who leaves during it may leave others behind who have it: to them it is revoked, and the slot ends dirty here. */
#include "mpi/base/gen/own.h"
#include "mpi/base/lock.h"
#include "mpi/comm/past.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"
#include "mpi/wait/wait.h"

#include <stdlib.h>
#include <string.h>

/* ---- its id ----------------------------------------------------------------------------------------------------------------- */

/* How often a parent was asked for the same. */
static uint64_t mix(uint64_t into, uint64_t x)
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

/* The same at all its members without a word: from parent, members, tag, and how many such calls there were before. */
static uint64_t group_id(struct comm *parent, const int *member, int size, int tag)
{
    uint64_t key = mix(parent->id, (uint64_t)tag);
    for (int i = 0; i < size; i++)
        key = mix(key, (uint64_t)member[i]);
    lock_take(LOCK_GROUP_CALLS);
    uint64_t id = mix(key, ++same_call(parent, key)->count);
    lock_give(LOCK_GROUP_CALLS);
    return id;
}

/* ---- its agreements --------------------------------------------------------------------------------------------------------- */

struct unborn {
    struct comm *comm; /* without a place */
    const struct comm *parent;
    bool left; /* by a revoke of the parent, during an agreement */
};

static bool wait_for_members(struct unborn *unborn, struct side_ticket *ticket)
{
    for (unsigned turns = 0; !side_decided(ticket); wait_idle(&turns, unborn->comm))
        if (comm_trouble(unborn->parent) & COMM_REVOKED) {
            side_withdraw(ticket);
            unborn->left = true;
            return false;
        }
    return true;
}

/* The code is the same at all members that have not left. */
static int agree(struct unborn *unborn, const struct offer *mine, struct offer *agreed)
{
    int code = MPIX_ERR_REVOKED;
    struct side_ticket ticket = {
        .group = unborn->comm->id,
        .kind = KNELL_KIND_CREATE,
        .fold = SIDE_FOLD_OFFER,
        .alone = unborn->comm->size == 1,
        .size = sizeof *mine,
    };
    memcpy(ticket.value, mine, sizeof *mine);
    side_propose(&ticket);
    if (wait_for_members(unborn, &ticket)) {
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
        if (code == MPIX_ERR_REVOKED) {
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
    if (unborn->left && place->slot < 0)
        side_drop(comm->id);
    if (unborn->left && place->slot >= 0) {
        comm_note_revoke(comm->id);
        side_revoke(comm->id);
    }
    comm->place = *place;
    if (clean)
        atomic_store(&comm->trouble, 0); /* nothing was ever sent on it */
    comm_release(comm);
}

/* ---- the call --------------------------------------------------------------------------------------------------------------- */

static int make(struct comm *parent, const int *member, int size, int tag, MPI_Comm *newcomm)
{
    struct unborn unborn = {comm_new(member, size, group_id(parent, member, size, tag), NULL, MPI_COMM_NULL), parent,
                            false};
    struct place place;
    int code = find_place(&unborn, &place);
    if (code == MPI_SUCCESS)
        code = confirm(&unborn);
    if (code != MPI_SUCCESS) {
        bury(&unborn, &place);
        return code;
    }
    create_handle_like(parent, false, newcomm);
    comm_settle(unborn.comm, &place, *newcomm);
    return MPI_SUCCESS;
}

int mpi_comm_create_group(MPI_Comm handle, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    int *member, size;
    if (!comm)
        return native.comm_create_group(handle, group, tag, newcomm);
    *newcomm = MPI_COMM_NULL;
    if ((unsigned)tag > (unsigned)context_tag_ub)
        return error_raise(comm, MPI_ERR_TAG);
    int code = create_members(comm, group, &member, &size);
    if (code != MPI_SUCCESS)
        return error_raise(comm, code);
    if (comm_trouble(comm) & COMM_REVOKED)
        code = MPIX_ERR_REVOKED;
    else if (size > 0)
        code = make(comm, member, size, tag, newcomm);
    free(member);
    return error_raise(comm, code);
}
