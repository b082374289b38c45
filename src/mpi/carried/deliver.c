/* deliver.c: a message gets into the buffer of its receive, and its sender gets its answer. */
#include "mpi/base/settings.h"
#include "mpi/carried/state.h"
#include "mpi/detector/side.h"

#include <stdlib.h>
#include <string.h>

void carried_complete(struct carried *request, int code)
{
    request->phase = CARRIED_OVER;
    request->code = code;
    if (RARELY(request->holds != MPI_REQUEST_NULL))
        carried.below.request_free(&request->holds);
    if (request->detached) {
        carried.detached -= request->is_send;
        carried_release(request);
    }
}

/* What the receive has room for; the rest is cut off, which is an error. */
static size_t fitting(const struct carried *receive, uint64_t size)
{
    return size <= receive->room ? (size_t)size : receive->room;
}

static void found(struct carried *receive, int source, int tag, uint64_t size)
{
    receive->source = source;
    receive->found_tag = tag;
    receive->received = fitting(receive, size);
}

void carried_fill(struct carried *receive, int source, int tag, const void *data, size_t size)
{
    size_t bytes = fitting(receive, size);
    int code = size > bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    found(receive, source, tag, size);
    if (LIKELY(receive->type == MPI_DATATYPE_NULL)) {
        if (bytes > 0)
            memcpy(receive->buffer, data, bytes);
    } else {
        int unpacked = carried_unpack(data, bytes, receive);
        code = unpacked != MPI_SUCCESS ? unpacked : code;
    }
    carried_complete(receive, code);
}

/* ---- what is here --------------------------------------------------------------------------------------------------------------- */

static bool deliver_whole(struct carried *receive, struct arrived *message)
{
    struct carried *self_send = message->self;
    if (message->kind == KNELL_CARRIER_ASKS && !self_send) {
        if (!knell_carrier_accept(carried.carrier, carried_index(message->source), message->ticket)) {
            carried_throw_away(message);
            return false;
        }
        knell_carrier_answer(carried.carrier, carried_index(message->source), message->ticket, KNELL_CARRIER_DONE);
    }
    carried_fill(receive, message->source, message->head.tag, self_send ? self_send->data : message->data,
                 message->size);
    if (self_send) {
        self_send->to_self = NULL;
        carried_complete(self_send, MPI_SUCCESS);
    }
    carried_throw_away(message);
    return true;
}

/* ---- what is in the sender's memory ------------------------------------------------------------------------------------------------ */

static int pull_unpacked(struct carried *receive, const struct arrived *message, size_t bytes)
{
    void *packed = malloc(bytes);
    if (!packed)
        layer_die("out of memory");
    int code = knell_carrier_pull(carried.carrier, carried_index(message->source), message->address, packed, bytes);
    if (code == 0 && carried_unpack(packed, bytes, receive) != MPI_SUCCESS)
        receive->code = MPI_ERR_OTHER;
    free(packed);
    return code;
}

RARE static void say_forbidden(int source)
{
    if (!carried.said && settings_get("KNELL_VERBOSE"))
        layer_say("the memory of rank %d may not be read (kernel.yama.ptrace_scope, or a container): large messages go "
                  "through the ring, in pieces",
                  source);
    carried.said = true;
}

static int pull(struct carried *receive, const struct arrived *message)
{
    size_t bytes = fitting(receive, message->size);
    if (bytes == 0)
        return 0;
    if (RARELY(carried.only_pieces))
        return KNELL_CARRIER_FORBIDDEN;
    if (receive->type != MPI_DATATYPE_NULL)
        return pull_unpacked(receive, message, bytes);
    return knell_carrier_pull(carried.carrier, carried_index(message->source), message->address, receive->buffer,
                              bytes);
}

static void fill_by(struct carried *receive, struct arrived *message)
{
    receive->phase = CARRIED_FILLING;
    receive->filling = message;
    message->into = receive;
}

/* Its sender is asked to send it through the ring. */
static void ask_for_pieces(struct carried *receive, struct arrived *message)
{
    fill_by(receive, message);
    message->in_pieces = true;
    list_append(&carried.peer[message->source].pieces, &message->of_pieces);
    knell_carrier_answer(carried.carrier, carried_index(message->source), message->ticket, KNELL_CARRIER_PIECES);
}

/* The memory of a living process can be unreadable for more than one reason: its first thread may have ended before the others. The dead
 * send no pieces. */
static bool deliver_offered(struct carried *receive, struct arrived *message)
{
    unsigned from = carried_index(message->source);
    if (!knell_carrier_accept(carried.carrier, from, message->ticket)) {
        carried_throw_away(message);
        return false;
    }
    int code = pull(receive, message);
    if (code != 0 && !side_is_dead(message->source)) {
        if (code == KNELL_CARRIER_FORBIDDEN)
            say_forbidden(message->source);
        ask_for_pieces(receive, message);
        return true;
    }
    if (code != 0) {
        carried_throw_away(message);
        return false;
    }
    knell_carrier_answer(carried.carrier, from, message->ticket, KNELL_CARRIER_DONE);
    found(receive, message->source, message->head.tag, message->size);
    carried_complete(receive, message->size > receive->room  ? MPI_ERR_TRUNCATE
                              : receive->code != MPI_SUCCESS ? receive->code
                                                             : MPI_SUCCESS);
    carried_throw_away(message);
    return true;
}

/* ---- what comes in pieces ------------------------------------------------------------------------------------------------------------ */

/* Only what a receive here has asked for comes in pieces. */
void carried_pieces_begin(int source, const struct knell_carrier_message *message)
{
    LIST_EACH(node, &carried.peer[source].pieces)
    {
        struct arrived *asked = LIST_OF(node, struct arrived, of_pieces);
        if (asked->ticket != message->ticket)
            continue;
        list_take(node);
        asked->data = malloc(asked->size);
        if (!asked->data)
            layer_die("out of memory for a message of %llu bytes", (unsigned long long)asked->size);
        carried.peer[source].coming = asked;
        return;
    }
}

void carried_piece(int source, const void *data, size_t size)
{
    struct arrived *coming = carried.peer[source].coming;
    if (!coming || size > coming->size - coming->have)
        return;
    memcpy(coming->data + coming->have, data, size);
    coming->have += size;
    if (coming->have < coming->size)
        return;
    carried.peer[source].coming = NULL;
    coming->in_pieces = false;
    coming->kind = KNELL_CARRIER_DATA;
    if (coming->into)
        carried_fill(coming->into, source, coming->head.tag, coming->data, coming->size);
    if (coming->into || !(coming->listed || coming->matched))
        carried_throw_away(coming);
}

/* Its receive waits for another one, and the detector says whether there can be one. What a probe has matched has no sender any more, which
 * its receive will find. */
static void lose(struct arrived *message)
{
    struct carried *receive = message->into;
    message->in_pieces = false;
    if (message->matched)
        return;
    if (message->listed)
        carried_off(message);
    carried_throw_away(message);
    if (receive)
        carried_receive_again(receive);
}

void carried_pieces_end(int source)
{
    struct carried_peer *peer = &carried.peer[source];
    struct arrived *coming = peer->coming;
    peer->coming = NULL;
    if (coming)
        lose(coming);
    while (!list_is_empty(&peer->pieces)) {
        struct list_node *node = peer->pieces.ring.next;
        list_take(node);
        lose(LIST_OF(node, struct arrived, of_pieces));
    }
}

void carried_let_go(struct carried *receive)
{
    receive->filling->into = NULL;
    carried_keep_arrived(receive->filling);
}

bool carried_deliver(struct carried *receive, struct arrived *message)
{
    if (RARELY(message->in_pieces)) {
        fill_by(receive, message);
        return true;
    }
    return message->kind == KNELL_CARRIER_OFFER ? deliver_offered(receive, message) : deliver_whole(receive, message);
}
