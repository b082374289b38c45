/* move.c: messages that come from the rings, and sends that wait to go. Whoever tests or probes takes a turn here. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"
#include "mpi/detector/side.h"

#include <stdlib.h>
#include <string.h>

/* MOST_AT_ONCE: so many messages of one process, then the others have their turn. ASKED_EVERY: what waits for an answer is looked
 * at by its own test; others look only in case its receiver wants pieces, and seldom until one does. */
enum { MOST_AT_ONCE = 256, ASKED_EVERY = 64 };

/* ---- what comes ---------------------------------------------------------------------------------------------------------------- */

static struct arrived *kept(int source, const struct knell_carrier_message *message)
{
    struct arrived *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory for messages");
    *made = (struct arrived){.order = carried.order++,
                             .source = source,
                             .head = message->head,
                             .kind = message->kind,
                             .size = message->size,
                             .have = message->bytes,
                             .ticket = message->ticket,
                             .address = message->address};
    if (message->bytes > 0) {
        made->data = malloc(message->bytes);
        if (!made->data)
            layer_die("out of memory for messages");
        memcpy(made->data, message->data, message->bytes);
    }
    return made;
}

/* A message that turns out to be none is thrown away, and the next one is looked for. */
void carried_receive_again(struct carried *receive)
{
    struct arrived *message;
    while (RARELY((message = carried_find_arrived(receive->context, receive->peer, receive->tag)) != NULL)) {
        carried_off(message);
        if (carried_deliver(receive, message))
            return;
    }
    carried_post(receive);
    if (RARELY(receive->peer == MPI_ANY_SOURCE && !carried.all))
        carried_post_natively(receive);
}

void carried_receive(struct carried *receive)
{
    receive->order = carried.order++;
    carried_receive_again(receive);
}

/* For whoever waits, else for later. A receive whose message turns out to be none waits on. */
static void arrive(int source, const struct knell_carrier_message *message)
{
    struct carried *receive = carried_find_posted(source, &message->head);
    if (LIKELY(receive && message->kind == KNELL_CARRIER_DATA)) {
        carried_fill(receive, source, message->head.tag, message->data, message->bytes);
        return;
    }
    if (!receive && context_is_over((int)message->head.context))
        return; /* it comes too late: whoever waits for its end gives it up */
    struct arrived *made = kept(source, message);
    if (!receive)
        carried_keep_arrived(made);
    else if (!carried_deliver(receive, made))
        carried_receive_again(receive);
}

static inline void take(int source, const struct knell_carrier_message *message)
{
    if (RARELY(message->kind == KNELL_CARRIER_PIECE))
        carried_piece(source, message->data, message->bytes);
    else if (RARELY(message->kind == KNELL_CARRIER_BEGIN))
        carried_pieces_begin(source, message);
    else
        arrive(source, message);
}

bool carried_take_from(int source)
{
    struct knell_carrier_message message;
    unsigned from = carried_index(source);
    for (int i = 0; knell_carrier_look(carried.carrier, from, &message); i++) {
        if (i == MOST_AT_ONCE) {
            knell_carrier_sweep(carried.carrier, from);
            return false;
        }
        take(source, &message);
        knell_carrier_pass(carried.carrier, from);
    }
    return true;
}

void carried_take_for(const struct carried *receive)
{
    struct knell_carrier_message message;
    int source = receive->peer;
    unsigned from = carried_index(source);
    for (int i = 0; i < MOST_AT_ONCE && receive->phase != CARRIED_OVER; i++) {
        if (!knell_carrier_look(carried.carrier, from, &message))
            return;
        take(source, &message);
        knell_carrier_pass(carried.carrier, from);
    }
}

/* ---- the dead ------------------------------------------------------------------------------------------------------------------- */

/* Nobody waits for what was freed by the program, and nobody will take it. */
static void drop_detached(int process)
{
    LIST_EACH(node, &carried.peer[process].queue)
    {
        struct carried *request = LIST_OF(node, struct carried, node);
        if (!request->detached)
            continue;
        list_take(node);
        carried.queued--;
        if (request->ticket)
            knell_carrier_end(carried.carrier, request->ticket);
        carried_complete(request, MPI_SUCCESS);
    }
    LIST_EACH(asked, &carried.asked)
    {
        struct carried *request = LIST_OF(asked, struct carried, node);
        if (!request->detached || request->peer != process)
            continue;
        list_take(asked);
        knell_carrier_end(carried.carrier, request->ticket);
        carried_complete(request, MPI_SUCCESS);
    }
}

/* What it published before it died can be received, also where it had no time to say so. */
static void sweep_up_after(int process)
{
    if (process == self.process || !carried_here(process))
        return;
    drop_detached(process);
    struct knell_carrier_message message;
    while (knell_carrier_look(carried.carrier, carried_index(process), &message)) {
        take(process, &message);
        knell_carrier_pass(carried.carrier, carried_index(process));
    }
    carried_pieces_end(process);
}

RARE static void sweep_up(void)
{
    while (carried.deaths < side_deaths())
        sweep_up_after(side_death_at(carried.deaths++));
}

/* ---- what goes ------------------------------------------------------------------------------------------------------------------ */

static void wait_for_answer(struct carried *request)
{
    request->phase = CARRIED_ASKED;
    list_append(&carried.asked, &request->node);
}

/* In pieces: true when all have gone. */
static bool send_pieces(struct carried *request, unsigned to, const struct knell_carrier_head *head)
{
    if (!request->begun) {
        if (knell_carrier_begin(carried.carrier, to, head, request->size, request->ticket) != 0)
            return false;
        request->begun = true;
        request->sent = 0;
    }
    while (request->sent < request->size) {
        size_t left = request->size - request->sent, piece = left < KNELL_CARRIER_MOST ? left : KNELL_CARRIER_MOST;
        if (knell_carrier_piece(carried.carrier, to, (const char *)request->data + request->sent, piece) != 0)
            return false;
        request->sent += piece;
    }
    return true;
}

/* A receiver that cannot read this process' memory has asked for pieces. */
static bool send_in_pieces(struct carried *request, unsigned to, const struct knell_carrier_head *head)
{
    if (!send_pieces(request, to, head))
        return false;
    knell_carrier_end(carried.carrier, request->ticket);
    carried_complete(request, MPI_SUCCESS);
    return true;
}

/* False: the ring is full. */
static bool try_to_send(struct carried *request)
{
    struct knell_carrier_head head = {request->context, request->tag};
    unsigned to = carried_index(request->peer);
    bool eager = request->size <= CARRIED_EAGER;
    if (request->ticket)
        return send_in_pieces(request, to, &head);
    if (eager && !request->synchronous) {
        if (knell_carrier_send(carried.carrier, to, &head, request->data, request->size) != 0)
            return false;
        carried_complete(request, MPI_SUCCESS);
        return true;
    }
    int code = eager ? knell_carrier_ask(carried.carrier, to, &head, request->data, request->size, &request->ticket)
                     : knell_carrier_offer(carried.carrier, to, &head, request->data, request->size, &request->ticket);
    if (code != 0)
        return false;
    wait_for_answer(request);
    return true;
}

static void wait_in_queue(struct carried *request)
{
    struct carried_peer *peer = &carried.peer[request->peer];
    request->phase = CARRIED_QUEUED;
    list_append(&peer->queue, &request->node);
    carried.queued++;
}

/* What came before goes before. */
void carried_send(struct carried *request)
{
    request->begun = false;
    if (!list_is_empty(&carried.peer[request->peer].queue) || !try_to_send(request))
        wait_in_queue(request);
}

static void push_queue(struct carried_peer *peer)
{
    LIST_EACH(node, &peer->queue)
    {
        struct carried *request = LIST_OF(node, struct carried, node);
        list_take(node);
        if (!try_to_send(request)) {
            list_put_before(peer->queue.ring.next, node);
            return;
        }
        carried.queued--;
    }
}

RARE static void push_queues(void)
{
    for (int process = 0; carried.queued > 0 && process < self.processes; process++)
        push_queue(&carried.peer[process]);
}

/* Done, or wanted in pieces; false: neither. */
bool carried_answered(struct carried *request)
{
    enum knell_carrier_state state = knell_carrier_state(carried.carrier, request->ticket);
    if (LIKELY(state != KNELL_CARRIER_DONE && state != KNELL_CARRIER_PIECES))
        return false;
    list_take(&request->node);
    carried.wanted_in_pieces |= state == KNELL_CARRIER_PIECES;
    if (LIKELY(state == KNELL_CARRIER_DONE)) {
        knell_carrier_end(carried.carrier, request->ticket);
        carried_complete(request, MPI_SUCCESS);
    } else if (!list_is_empty(&carried.peer[request->peer].queue) || !try_to_send(request)) {
        wait_in_queue(request);
    }
    return true;
}

/* Its receiver waits for the rest, while the program has its buffer back. */
void carried_send_rest(struct carried *request)
{
    struct carried *rest = carried_new();
    rest->is_send = rest->detached = true;
    rest->phase = CARRIED_QUEUED;
    rest->peer = request->peer;
    rest->context = request->context;
    rest->tag = request->tag;
    rest->size = request->size;
    rest->sent = request->sent;
    rest->begun = request->begun;
    rest->synchronous = false;
    rest->ticket = request->ticket;
    rest->packed = request->packed ? request->packed : malloc(request->size);
    if (!rest->packed)
        layer_die("out of memory for a message of %zu bytes", request->size);
    if (!request->packed)
        memcpy(rest->packed, request->data, request->size);
    rest->data = rest->packed;
    request->packed = NULL;
    request->ticket = 0;
    list_put_before(&request->node, &rest->node);
    list_take(&request->node);
    carried.detached++;
}

/* Those that nobody tests for go on, too. One that is done waits for its test, unless there will be none. */
RARE static void look_at_asked(void)
{
    LIST_EACH(node, &carried.asked)
    carried_answered(LIST_OF(node, struct carried, node));
}

/* ---- a turn --------------------------------------------------------------------------------------------------------------------- */

/* A process that sends all the time does not keep this one here. */
void carried_move_here(void)
{
    int from;
    if (RARELY(carried.deaths != side_deaths()))
        sweep_up();
    while ((from = knell_carrier_next(carried.carrier)) >= 0 && carried_take_from(carried.process_of[from]))
        continue;
    if (RARELY(carried.queued > 0))
        push_queues();
    if (!list_is_empty(&carried.asked) && (++carried.turns % ASKED_EVERY == 0 || carried.wanted_in_pieces))
        look_at_asked();
}

void carried_move(void)
{
    carried_move_here();
    if (!carried.all)
        carried_turn_natively();
}

/* The dead take nothing. */
bool carried_flush(void)
{
    if (!carried.carrier)
        return false;
    carried_enter();
    carried.turns = ASKED_EVERY - 1;
    carried_move();
    int waiting = 0;
    for (int process = 0; process < self.processes; process++)
        waiting += !list_is_empty(&carried.peer[process].queue) && !side_is_dead(process);
    LIST_EACH(node, &carried.asked)
    {
        const struct carried *request = LIST_OF(node, struct carried, node);
        waiting += request->detached && !side_is_dead(request->peer);
    }
    carried_leave();
    return waiting > 0;
}
