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
struct wish {
    struct wish *next;
    int source;
    int context, tag;
};

static struct wish *wishes;

enum { KEEPERS_MOST = 4 };
static void (*discard_kept[KEEPERS_MOST])(int source, int tag, MPI_Comm context);
static int keepers;
static bool (*may_discard)(int tag);

void drain_also(void (*discard)(int source, int tag, MPI_Comm context))
{
    assert(keepers < KEEPERS_MOST);
    discard_kept[keepers++] = discard;
}

void drain_if(bool (*may)(int tag))
{
    may_discard = may;
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
    struct wish *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory");
    *made = (struct wish){wishes, source, notice->context, notice->tag};
    wishes = made;
}

static void end(struct wish **at)
{
    struct wish *over = *at;
    *at = over->next;
    free(over);
}

static void remove_one(int source, const struct notice *notice)
{
    struct wish **at = &wishes;
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

static void take(const struct wish *wish)
{
    MPI_Comm context = context_numbered(wish->context);
    MPI_Message message;
    MPI_Status status;
    int found = 1;
    if (context == context_wire && !may_discard(wish->tag))
        return;
    while (found) {
        found = 0;
        native.improbe(wish->source, wish->tag, context, &found, &message, &status);
        if (found)
            discard_message(&message, &status);
    }
    for (int i = 0; i < keepers; i++)
        discard_kept[i](wish->source, wish->tag, context);
}

/* The dead wait for nothing any more. */
static void take_all(void)
{
    for (struct wish **at = &wishes; *at;) {
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
    more |= wishes != NULL;
    lock_give(LOCK_DRAIN);
    return discard_turn() || more;
}
