/* out.c: see out.h. */
#include "mpi/coll/out.h"
#include "mpi/base/lock.h"
#include "mpi/detector/side.h"

#include <stdlib.h>

struct out {
    struct out *next;
    int process;
    int wire; /* of its communicator */
    int dead;
    bool again; /* a persistent collective */
    uint32_t sequence, from;
};

static struct out *all;  /* what was heard, by who said it */
static struct out *told; /* who was told of which persistent collective */

static int wire_of(int tag)
{
    return tag & ~((1 << PLACE_SEQUENCE_BITS) - 1);
}

/* Half of the numbers on the wire are for persistent ones (coll.c). */
static bool is_again(int tag)
{
    return tag & 1 << (PLACE_SEQUENCE_BITS - 1);
}

static struct out *new_out(const struct out *from)
{
    struct out *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory");
    *made = *from;
    return made;
}

static void list(struct out **head, struct out *made)
{
    made->next = *head;
    *head = made;
}

/* ---- telling ---------------------------------------------------------------------------------------------------------------- */

/* `told_from` is one more than the collective, so that 0 is: of none. */
static bool is_news(struct comm *comm, uint32_t sequence, uint32_t from, int to)
{
    if (!comm->told_from)
        comm->told_from = calloc((size_t)comm->members, sizeof *comm->told_from);
    if (!comm->told_from)
        layer_die("out of memory");
    if (comm->told_from[to] && sequence + 1 >= comm->told_from[to])
        return false;
    if (!comm->told_from[to])
        comm->told_from[to] = from + 1;
    return true;
}

/* Persistent ones are in no order: being out of one says nothing of the others, which may be under way here. */
static bool is_news_again(const struct comm *comm, uint32_t sequence, int process)
{
    for (const struct out *at = told; at; at = at->next)
        if (at->process == process && at->wire == comm->place.wire && at->sequence == sequence)
            return false;
    list(&told, new_out(&(struct out){.process = process, .wire = comm->place.wire, .sequence = sequence}));
    return true;
}

void out_tell(struct comm *comm, int tag, uint32_t sequence, int to)
{
    int process = comm->process_of[to];
    struct notice notice = {.kind = NOTICE_OUT, .tag = tag, .sequence = sequence, .from = comm->sequence, .dead = -1};
    comm_failed(comm, &notice.dead, 1);
    if (notice.dead < 0 || side_is_dead(process))
        return;
    lock_take(LOCK_OUT);
    bool news = is_again(tag) ? is_news_again(comm, sequence, process) : is_news(comm, sequence, notice.from, to);
    lock_give(LOCK_OUT);
    if (news)
        notice_send(process, &notice);
}

/* ---- hearing ---------------------------------------------------------------------------------------------------------------- */

/* Of a communicator that is not here there is nothing to wait for. */
void out_heard(int source, const struct notice *notice)
{
    struct out *made = new_out(&(struct out){.process = source,
                                             .wire = wire_of(notice->tag),
                                             .dead = notice->dead,
                                             .again = is_again(notice->tag),
                                             .sequence = notice->sequence,
                                             .from = notice->from});
    lock_take(LOCK_OUT);
    bool wanted = comm_is_on_wire(made->wire);
    if (wanted)
        list(&all, made);
    lock_give(LOCK_OUT);
    if (!wanted)
        free(made);
}

static bool covers(const struct out *out, bool again, uint32_t sequence)
{
    bool that = out->again == again && out->sequence == sequence;
    return that || (!again && (int32_t)(sequence - out->from) >= 0);
}

bool out_is(const struct comm *comm, int process, int tag, uint32_t sequence)
{
    bool is = false;
    lock_take(LOCK_OUT);
    for (const struct out *out = all; out && !is; out = out->next)
        is = out->process == process && out->wire == comm->place.wire && covers(out, is_again(tag), sequence) &&
             side_is_dead(out->dead);
    lock_give(LOCK_OUT);
    return is;
}

/* A ghost is out of everything. */
bool out_may_discard(int tag)
{
    return (atomic_load(&layer_attention) & ATTENTION_GHOST) || !comm_collects(wire_of(tag));
}

static void forget(struct out **at, int wire)
{
    while (*at) {
        struct out *out = *at;
        if (out->wire != wire) {
            at = &out->next;
            continue;
        }
        *at = out->next;
        free(out);
    }
}

void out_forget(const struct comm *comm)
{
    lock_take(LOCK_OUT);
    forget(&all, comm->place.wire);
    forget(&told, comm->place.wire);
    lock_give(LOCK_OUT);
}
