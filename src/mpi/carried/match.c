/* match.c: which receive gets which message: of those that fit, the receive that was posted first gets the message that came first.
 * Receives that name their source are in a list of that source, the others in one list; an order number says which came before. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"

#include <stdlib.h>

/* ---- receives ----------------------------------------------------------------------------------------------------------------- */

static inline bool fits(const struct carried *receive, const struct knell_carrier_head *head)
{
    return receive->context == head->context && (receive->tag == head->tag || receive->tag == MPI_ANY_TAG);
}

static struct carried *first_in(const struct list *list, const struct knell_carrier_head *head)
{
    LIST_EACH(node, list)
    {
        struct carried *receive = LIST_OF(node, struct carried, node);
        if (fits(receive, head))
            return receive;
    }
    return NULL;
}

static struct carried *take_posted(int source, const struct knell_carrier_head *head)
{
    struct carried *found = first_in(&carried.peer[source].posted, head);
    if (RARELY(!list_is_empty(&carried.posted_any))) {
        struct carried *any = first_in(&carried.posted_any, head);
        if (any && (!found || any->order < found->order))
            found = any;
    }
    if (found)
        list_take(&found->node);
    return found;
}

struct carried *carried_find_posted(int source, const struct knell_carrier_head *head)
{
    struct carried *found;
    while ((found = take_posted(source, head)) && RARELY(!carried_claim(found)))
        continue;
    return found;
}

static struct list *list_for(const struct carried *receive)
{
    return receive->peer == MPI_ANY_SOURCE ? &carried.posted_any : &carried.peer[receive->peer].posted;
}

/* Most are the last. */
void carried_post(struct carried *receive)
{
    struct list *list = list_for(receive);
    struct list_node *at = list->ring.before;
    while (RARELY(at != &list->ring && LIST_OF(at, struct carried, node)->order > receive->order))
        at = at->before;
    receive->phase = CARRIED_POSTED;
    list_put_before(at->next, &receive->node);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------------- */

static inline struct list *list_of_tag(uint32_t context, int tag)
{
    uint32_t key = context * UINT32_C(0x9e3779b1) + (uint32_t)tag * UINT32_C(0x85ebca77);
    return &carried.unexpected_tag[key >> 24];
}
_Static_assert(CARRIED_TAGS == 1 << 8, "as many as the key has values");

/* `member`: where a message has its node for this list. Most are the last. */
static void put_in_order(struct list *list, struct arrived *message, size_t member)
{
    struct list_node *at = list->ring.before;
    while (RARELY(at != &list->ring && ((struct arrived *)((char *)at - member))->order > message->order))
        at = at->before;
    list_put_before(at->next, (struct list_node *)((char *)message + member));
}

void carried_keep_arrived(struct arrived *message)
{
    put_in_order(&carried.peer[message->source].unexpected, message, offsetof(struct arrived, of_source));
    put_in_order(list_of_tag(message->head.context, message->head.tag), message, offsetof(struct arrived, of_tag));
    put_in_order(&carried.unexpected, message, offsetof(struct arrived, of_all));
    message->listed = true;
}

void carried_off(struct arrived *message)
{
    list_take(&message->of_source);
    list_take(&message->of_tag);
    list_take(&message->of_all);
    message->listed = false;
}

void carried_throw_away(struct arrived *message)
{
    free(message->data);
    free(message);
}

/* Its sender has taken it back, or has it no more. What comes in pieces is accepted. */
static bool is_withdrawn(const struct arrived *message)
{
    if (message->self || message->in_pieces || message->kind == KNELL_CARRIER_DATA)
        return false;
    return knell_carrier_asked(carried.carrier, carried_index(message->source), message->ticket) !=
           KNELL_CARRIER_OFFERED;
}

static bool is_wanted(struct arrived *message, uint32_t context, int tag)
{
    if (message->head.context != context || (message->head.tag != tag && tag != MPI_ANY_TAG))
        return false;
    if (!is_withdrawn(message))
        return true;
    carried_off(message);
    carried_throw_away(message);
    return false;
}

void carried_forget(MPI_Comm context, int tags, int bits)
{
    int number = carried.all ? context_carried(context) : -1; /* elsewhere it may be that of several */
    if (number <= 0)
        return;
    carried_enter();
    LIST_EACH(node, &carried.unexpected)
    {
        struct arrived *message = LIST_OF(node, struct arrived, of_all);
        bool wire = message->head.context == 0 && message->head.tag >> bits == tags >> bits;
        if ((message->head.context != (uint32_t)number && !wire) || message->self)
            continue;
        carried_off(message);
        if (!message->in_pieces) /* else when it is here */
            carried_throw_away(message);
    }
    carried_leave();
}

static struct arrived *find_by_tag(uint32_t context, int source, int tag)
{
    LIST_EACH(node, list_of_tag(context, tag))
    {
        struct arrived *message = LIST_OF(node, struct arrived, of_tag);
        if ((message->source == source || source == MPI_ANY_SOURCE) && is_wanted(message, context, tag))
            return message;
    }
    return NULL;
}

struct arrived *carried_find_arrived(uint32_t context, int source, int tag)
{
    if (LIKELY(tag != MPI_ANY_TAG))
        return find_by_tag(context, source, tag);
    if (source == MPI_ANY_SOURCE) {
        LIST_EACH(node, &carried.unexpected)
        {
            struct arrived *message = LIST_OF(node, struct arrived, of_all);
            if (is_wanted(message, context, tag))
                return message;
        }
        return NULL;
    }
    LIST_EACH(node, &carried.peer[source].unexpected)
    {
        struct arrived *message = LIST_OF(node, struct arrived, of_source);
        if (is_wanted(message, context, tag))
            return message;
    }
    return NULL;
}
