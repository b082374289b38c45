/* drain.c: see drain.h. */
#include "mpi/abandon/drain.h"
#include "mpi/abandon/discard.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <assert.h>
#include <stdlib.h>

/* What another process wants taken. */
struct drain_request {
    struct drain_request *next;
    int source;
    int context, tag;
};

enum { KEEPERS_MOST = 4 };

static struct {
    struct drain_request *requests; /* LOCK_DRAIN */
    void (*discard_kept[KEEPERS_MOST])(int source, int tag, MPI_Comm context);
    int keepers;
    bool (*may_discard)(int tag);
} drain;

void drain_also(void (*discard)(int source, int tag, MPI_Comm context))
{
    assert(drain.keepers < KEEPERS_MOST);
    drain.discard_kept[drain.keepers++] = discard;
}

void drain_if(bool (*may)(int tag))
{
    drain.may_discard = may;
}

/* ---- the sender's end ------------------------------------------------------------------------------------------------------ */

static void tell(int process, enum notice_kind kind, MPI_Comm context, int tag)
{
    if (side_reaches(process))
        notice_send(process, &(struct notice){.kind = kind, .context = context_number(context), .tag = tag});
}

void drain_ask(int process, MPI_Comm context, int tag)
{
    tell(process, NOTICE_TAKE, context, tag);
}

void drain_end(int process, MPI_Comm context, int tag)
{
    tell(process, NOTICE_TAKEN, context, tag);
}

/* ---- the receiver's end ---------------------------------------------------------------------------------------------------- */

static void add(int source, const struct notice *notice)
{
    struct drain_request *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory");
    *made = (struct drain_request){drain.requests, source, notice->context, notice->tag};
    drain.requests = made;
}

static void end(struct drain_request **at)
{
    struct drain_request *over = *at;
    *at = over->next;
    free(over);
}

static void remove_one(int source, const struct notice *notice)
{
    struct drain_request **at = &drain.requests;
    while (*at && !((*at)->source == source && (*at)->context == notice->context && (*at)->tag == notice->tag))
        at = &(*at)->next;
    if (*at)
        end(at);
}

void drain_heard(int source, const struct notice *notice)
{
    lock_take(LOCK_DRAIN);
    if (notice->kind == NOTICE_TAKE)
        add(source, notice);
    else
        remove_one(source, notice);
    lock_give(LOCK_DRAIN);
}

static void take(const struct drain_request *request)
{
    MPI_Comm context = context_numbered(request->context);
    MPI_Message message;
    MPI_Status status;
    int found = 1;
    if (context == context_wire && !drain.may_discard(request->tag))
        return;
    while (found) {
        found = 0;
        native.improbe(request->source, request->tag, context, &found, &message, &status);
        if (found)
            discard_message(&message, &status);
    }
    for (int i = 0; i < drain.keepers; i++)
        drain.discard_kept[i](request->source, request->tag, context);
}

/* The dead wait for nothing any more. */
static void take_all(void)
{
    for (struct drain_request **at = &drain.requests; *at;) {
        if (side_is_dead((*at)->source)) {
            end(at);
            continue;
        }
        take(*at);
        at = &(*at)->next;
    }
}

bool drain_turn(void)
{
    bool more = notice_turn();
    if (!lock_try(LOCK_DRAIN))
        return true;
    take_all();
    more |= drain.requests != NULL;
    lock_give(LOCK_DRAIN);
    return discard_turn() || more;
}
