/* post.c: sends and receives in the shape of the MPI's own calls. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"
#include "mpi/native/tune.h"

#include <stdlib.h>
#include <string.h>

/* ---- sends ---------------------------------------------------------------------------------------------------------------------- */

/* It stays where it is, in no list: its receiver is this process. */
static void wait_for_self(struct carried *request, struct arrived *message)
{
    message->self = request;
    request->to_self = message;
    request->phase = CARRIED_ASKED;
}

static void keep_for_self(struct carried *request, struct arrived *message)
{
    message->data = malloc(request->size ? request->size : 1);
    if (!message->data)
        layer_die("out of memory for messages");
    if (request->size > 0)
        memcpy(message->data, request->data, request->size);
    carried_complete(request, MPI_SUCCESS);
}

/* To this process: it has come when it is sent. */
static void send_to_self(struct carried *request)
{
    struct knell_carrier_head head = {request->context, request->tag};
    struct carried *receive = carried_find_posted(self.process, &head);
    if (receive) {
        carried_fill(receive, self.process, head.tag, request->data, request->size);
        carried_complete(request, MPI_SUCCESS);
        return;
    }
    struct arrived *made = calloc(1, sizeof *made);
    if (!made)
        layer_die("out of memory for messages");
    made->order = carried.order++;
    made->source = self.process;
    made->head = head;
    made->size = made->have = request->size;
    if (request->synchronous || request->size > CARRIED_EAGER)
        wait_for_self(request, made);
    else
        keep_for_self(request, made);
    carried_keep_arrived(made);
}

static int prepare(const void *buf, int count, MPI_Datatype type, size_t *size, void **packed)
{
    bool plain;
    int code = carried_type(type, count, size, &plain);
    if (RARELY(code != MPI_SUCCESS))
        return code;
    if (LIKELY(plain))
        return LIKELY(buf != NULL) || *size == 0 ? MPI_SUCCESS : MPI_ERR_BUFFER;
    return carried_pack(buf, count, type, *size, packed);
}

/* What goes through the ring at once needs no request. */
static inline bool sent_at_once(const void *data, size_t size, int dest, int tag, uint32_t context)
{
    struct knell_carrier_head head = {context, tag};
    return size <= CARRIED_EAGER && dest != self.process && list_is_empty(&carried.peer[dest].queue) &&
           knell_carrier_send(carried.carrier, carried_index(dest), &head, data, size) == 0;
}

static MPI_Request begin_send(const void *data, void *packed, size_t size, int dest, int tag, uint32_t context,
                              bool synchronous)
{
    struct carried *request = carried_new();
    request->is_send = true;
    request->peer = dest;
    request->context = context;
    request->tag = tag;
    request->data = data;
    request->packed = packed;
    request->size = size;
    request->synchronous = synchronous;
    if (dest == self.process)
        send_to_self(request);
    else
        carried_send(request);
    return carried_handle(request);
}

static inline int post_send(const void *buf, int count, MPI_Datatype type, int dest, int tag, int context,
                            bool synchronous, MPI_Request *handle)
{
    size_t size;
    void *packed = NULL;
    int code = prepare(buf, count, type, &size, &packed);
    if (RARELY(code != MPI_SUCCESS))
        return code;
    const void *data = packed ? packed : buf;
    carried_enter();
    if (LIKELY(!synchronous) && LIKELY(sent_at_once(data, size, dest, tag, (uint32_t)context))) {
        *handle = native_request_complete;
        free(packed);
    } else {
        *handle = begin_send(data, packed, size, dest, tag, (uint32_t)context, synchronous);
    }
    carried_leave();
    return MPI_SUCCESS;
}

/* Nobody's message is complete. What the MPI below completes at once is let go of at once: nobody above counts it. */
#define SEND(name, synchronous)                                                                      \
    static int name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
                    MPI_Request *request)                                                            \
    {                                                                                                \
        int context = context_carried(comm);                                                         \
        if (LIKELY(context >= 0 && dest >= 0 && carried_here(dest)))                                 \
            return post_send(buf, count, type, dest, tag, context, synchronous, request);            \
        if (context >= 0 && dest == MPI_PROC_NULL) {                                                 \
            *request = native_request_complete;                                                      \
            return MPI_SUCCESS;                                                                      \
        }                                                                                            \
        int code = carried.below.name(buf, count, type, dest, tag, comm, request);                   \
        if (code == MPI_SUCCESS && *request == native_request_complete)                              \
            native_let_go();                                                                         \
        return code;                                                                                 \
    }
SEND(isend, false)
SEND(issend, true)
SEND(irsend, false)

/* ---- receives ------------------------------------------------------------------------------------------------------------------- */

/* The program may free its datatype while the receive is under way: a request of the MPI's own, which is never started, holds it. The native
 * call also says what is wrong with a datatype that has not been seen before. */
static int hold_type(void *buf, int count, MPI_Datatype type, MPI_Request *holds)
{
    return carried.below.recv_init(buf, count, type, 0, 0, MPI_COMM_SELF, holds);
}

static inline int new_receive(void *buf, int count, MPI_Datatype type, struct carried **made)
{
    size_t size;
    bool plain;
    MPI_Request holds = MPI_REQUEST_NULL;
    int code = carried_type(type, count, &size, &plain);
    if (LIKELY(code == MPI_SUCCESS) && RARELY(!plain))
        code = hold_type(buf, count, type, &holds);
    if (LIKELY(code == MPI_SUCCESS) && RARELY(plain && !buf && size > 0))
        code = MPI_ERR_BUFFER;
    if (RARELY(code != MPI_SUCCESS))
        return code;
    carried_enter();
    struct carried *receive = carried_new();
    receive->is_send = false;
    receive->buffer = buf;
    receive->count = count;
    receive->given = type;
    receive->room = size;
    if (RARELY(!plain)) {
        receive->type = type;
        receive->holds = holds;
    }
    *made = receive;
    return MPI_SUCCESS;
}

static void receive_from_nobody(struct carried *receive)
{
    receive->source = MPI_PROC_NULL;
    receive->found_tag = MPI_ANY_TAG;
    receive->received = 0;
    carried_complete(receive, MPI_SUCCESS);
}

static int irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    int context = context_carried(comm);
    struct carried *receive;
    if (RARELY(context < 0 || (source >= 0 && !carried_here(source))))
        return carried.below.irecv(buf, count, type, source, tag, comm, request);
    int code = new_receive(buf, count, type, &receive);
    if (RARELY(code != MPI_SUCCESS))
        return code;
    receive->context = (uint32_t)context;
    receive->comm = comm;
    receive->peer = source;
    receive->tag = tag;
    if (RARELY(source == MPI_PROC_NULL))
        receive_from_nobody(receive);
    else
        carried_receive(receive);
    *request = carried_handle(receive);
    carried_leave();
    return MPI_SUCCESS;
}

/* The next message of the ring, and nothing that came or waits before it. */
static bool is_next(int source, const struct knell_carrier_head *head, struct knell_carrier_message *message)
{
    struct carried_peer *peer = &carried.peer[source];
    return list_is_empty(&peer->posted) && list_is_empty(&peer->unexpected) && list_is_empty(&carried.posted_any) &&
           knell_carrier_look(carried.carrier, carried_index(source), message) && message->kind == KNELL_CARRIER_DATA &&
           message->head.context == head->context && message->head.tag == head->tag;
}

/* Where operations are counted (inject/inside.c) each is posted. */
bool carried_receive_now(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm)
{
    struct knell_carrier_message message;
    int context = carried.carrier ? context_carried(comm) : -1;
    size_t room;
    bool plain;
    if (context < 0 || native.irecv != irecv || source == self.process || !carried_here(source) ||
        carried_type(type, count, &room, &plain) != MPI_SUCCESS || !plain)
        return false;
    carried_enter();
    struct knell_carrier_head head = {(uint32_t)context, tag};
    bool received = is_next(source, &head, &message) && message.bytes <= room && (buf || message.bytes == 0);
    if (received) {
        if (message.bytes > 0)
            memcpy(buf, message.data, message.bytes);
        knell_carrier_pass(carried.carrier, carried_index(source));
    }
    carried_leave();
    return received;
}

/* Its sender may be gone meanwhile: then it stays without a message, and the detector ends it. */
static int imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    struct carried *receive;
    carried_enter();
    struct arrived *found = carried_message_of(*message);
    carried_leave();
    if (!found)
        return carried.below.imrecv(buf, count, type, message, request);
    int code = new_receive(buf, count, type, &receive);
    if (code != MPI_SUCCESS)
        return code;
    carried_message_end(*message);
    *message = MPI_MESSAGE_NULL;
    receive->context = CARRIED_NOWHERE;
    receive->peer = found->source;
    receive->tag = found->head.tag;
    found->matched = false;
    receive->order = carried.order++;
    if (!carried_deliver(receive, found))
        carried_post(receive);
    *request = carried_handle(receive);
    carried_leave();
    return MPI_SUCCESS;
}

void carried_install_posts(void)
{
    native.isend = isend;
    native.issend = issend;
    native.irsend = irsend;
    native.irecv = irecv;
    native.imrecv = imrecv;
}
