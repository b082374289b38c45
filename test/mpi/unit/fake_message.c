/* fake_message.c: messages of the fake MPI, in and out. See fake.h. */
#include "fake_request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BASE = 0x30000 };

struct message {
    struct message *next;
    MPI_Comm context;
    int source, tag, size;
    uintptr_t number; /* of its handle, once it is matched */
    unsigned char bytes[];
};

bool fake_stalls;
int fake_refuses;
struct fake_sent fake_sent[FAKE_SENT_MOST];
int fake_sents;

static struct message *arrived, *matched;
static unsigned matches;

int fake_waiting(void)
{
    int count = 0;
    for (const struct message *at = arrived; at; at = at->next)
        count++;
    return count;
}

/* ---- matching ---------------------------------------------------------------------------------------------------------------- */

static bool fits(const struct message *message, int source, int tag, MPI_Comm context)
{
    return message->context == context && (source == MPI_ANY_SOURCE || source == message->source) &&
           (tag == MPI_ANY_TAG || tag == message->tag);
}

static struct message **find(int source, int tag, MPI_Comm context)
{
    struct message **at = &arrived;
    while (*at && !fits(*at, source, tag, context))
        at = &(*at)->next;
    return at;
}

static struct message *take(struct message **at)
{
    struct message *taken = *at;
    *at = taken->next;
    return taken;
}

/* The message's bytes are the receiver's; what is too long is cut. */
static void receive(struct fake_request *into, struct message *message)
{
    int size = message->size < into->room ? message->size : into->room;
    into->kind = FAKE_RECEIVED;
    into->source = message->source;
    into->tag = message->tag;
    into->size = size;
    into->cut = size < message->size;
    if (size > 0)
        memcpy(into->buffer, message->bytes, (size_t)size);
    free(message);
}

static struct fake_request *first_posted(const struct message *message)
{
    struct fake_request *first = NULL;
    for (int i = 0; i < FAKE_REQUESTS; i++)
        if (fake_request[i].kind == FAKE_POSTED &&
            fits(message, fake_request[i].source, fake_request[i].tag, fake_request[i].context) &&
            (!first || fake_request[i].order < first->order))
            first = &fake_request[i];
    return first;
}

void fake_arrive(MPI_Comm context, int source, int tag, const void *bytes, int size)
{
    struct message *made = malloc(sizeof *made + (size_t)size);
    struct message **last = &arrived;
    assert(made);
    *made = (struct message){.context = context, .source = source, .tag = tag, .size = size};
    if (size > 0)
        memcpy(made->bytes, bytes, (size_t)size);
    struct fake_request *wants = first_posted(made);
    if (wants) {
        receive(wants, made);
        return;
    }
    while (*last)
        last = &(*last)->next;
    *last = made;
}

static int irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm context, MPI_Request *handle)
{
    (void)type;
    if (fake_refuses > 0)
        return fake_refuses--, MPI_ERR_ARG;
    struct fake_request *made = fake_request_new(FAKE_POSTED, handle);
    made->buffer = buf;
    made->room = count;
    made->source = source;
    made->tag = tag;
    made->context = context;
    struct message **at = find(source, tag, context);
    if (*at)
        receive(made, take(at));
    return MPI_SUCCESS;
}

static int iprobe(int source, int tag, MPI_Comm context, int *flag, MPI_Status *status)
{
    const struct message *found = *find(source, tag, context);
    *flag = found != NULL;
    if (found)
        fake_status(status, found->source, found->tag, found->size, false);
    return MPI_SUCCESS;
}

static int improbe(int source, int tag, MPI_Comm context, int *flag, MPI_Message *handle, MPI_Status *status)
{
    struct message **at = find(source, tag, context);
    iprobe(source, tag, context, flag, status);
    if (!*flag)
        return MPI_SUCCESS;
    struct message *found = take(at);
    found->number = MESSAGE_BASE + 16 * (uintptr_t)matches++;
    found->next = matched;
    matched = found;
    *handle = FAKE_HANDLE(MPI_Message, found->number);
    return MPI_SUCCESS;
}

static int imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *handle, MPI_Request *made)
{
    struct message **at = &matched;
    (void)type;
    if (fake_refuses > 0)
        return fake_refuses--, MPI_ERR_ARG;
    while (*at && (*at)->number != FAKE_NUMBER(*handle))
        at = &(*at)->next;
    assert(*at); /* received twice, or never probed */
    struct fake_request *into = fake_request_new(FAKE_RECEIVED, made);
    into->buffer = buf;
    into->room = count;
    receive(into, take(at));
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

static int isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm context, MPI_Request *handle)
{
    (void)type;
    if (to == MPI_PROC_NULL) {
        *handle = FAKE_HANDLE(MPI_Request, FAKE_COMPLETE);
        return MPI_SUCCESS;
    }
    assert(fake_sents < FAKE_SENT_MOST);
    struct fake_sent *sent = &fake_sent[fake_sents++];
    *sent = (struct fake_sent){context, to, tag, count, {0}};
    memcpy(sent->bytes, buf, count < FAKE_SENT_BYTES ? (size_t)count : FAKE_SENT_BYTES);
    fake_request_new(FAKE_SEND, handle);
    return MPI_SUCCESS;
}

void fake_sent_forget(void)
{
    fake_sents = 0;
}

void fake_fill_messages(void)
{
    native.irecv = irecv;
    native.iprobe = iprobe;
    native.improbe = improbe;
    native.imrecv = imrecv;
    native.isend = isend;
}
