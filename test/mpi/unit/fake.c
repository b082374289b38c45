/* fake.c: messages and requests of the fake MPI. See fake.h. */
#include "fake.h"
#include "mpi/native/tune.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 4096, REQUEST_BASE = 0x20000, MESSAGE_BASE = 0x30000, REQUEST_COMPLETE = 0x1f000 };

struct message {
    struct message *next;
    MPI_Comm context;
    int source, tag, size;
    uintptr_t number; /* of its handle, once it is matched */
    unsigned char bytes[];
};

enum kind { UNUSED, SEND, POSTED, RECEIVED, TOKEN };

struct request {
    enum kind kind;
    bool complete, cancelled, cut;
    unsigned order; /* of posting */
    MPI_Comm context;
    int source, tag, room, size;
    void *buffer;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void *state;
};

bool fake_stalls;
int fake_refuses;
struct fake_sent fake_sent[FAKE_SENT_MOST];
int fake_sents;

static struct message *arrived, *matched;
static struct request request[REQUESTS];
static unsigned posts, matches;

/* ---- handles ----------------------------------------------------------------------------------------------------------------- */

/* The lowest free one: what was completed last is given out again at once, as MPIs do. */
static struct request *new_request(enum kind kind, MPI_Request *handle)
{
    int at = 0;
    while (at < REQUESTS && request[at].kind != UNUSED)
        at++;
    assert(at < REQUESTS);
    request[at] = (struct request){.kind = kind, .order = posts++};
    *handle = FAKE_HANDLE(MPI_Request, REQUEST_BASE + 16 * at);
    return &request[at];
}

static struct request *request_of(MPI_Request handle)
{
    uintptr_t at = (FAKE_NUMBER(handle) - REQUEST_BASE) / 16;
    assert(at < REQUESTS && request[at].kind != UNUSED);
    return &request[at];
}

int fake_requests(void)
{
    int count = 0;
    for (int i = 0; i < REQUESTS; i++)
        count += request[i].kind != UNUSED;
    return count;
}

int fake_waiting(void)
{
    int count = 0;
    for (const struct message *at = arrived; at; at = at->next)
        count++;
    return count;
}

/* ---- statuses ---------------------------------------------------------------------------------------------------------------- */

static void set_size(MPI_Status *status, int size)
{
#ifdef OPEN_MPI
    status->_ucount = (size_t)size;
#else
    status->count_lo = size;
    status->count_hi_and_cancelled &= 1;
#endif
}

static int get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    (void)type;
#ifdef OPEN_MPI
    *count = (MPI_Count)status->_ucount;
#else
    *count = status->count_lo;
#endif
    return MPI_SUCCESS;
}

static int status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    (void)type;
    set_size(status, count);
    return MPI_SUCCESS;
}

static int status_set_cancelled(MPI_Status *status, int flag)
{
#ifdef OPEN_MPI
    status->_cancelled = flag;
#else
    status->count_hi_and_cancelled = (status->count_hi_and_cancelled & ~1) | (flag ? 1 : 0);
#endif
    return MPI_SUCCESS;
}

static int test_cancelled(const MPI_Status *status, int *flag)
{
#ifdef OPEN_MPI
    *flag = status->_cancelled;
#else
    *flag = status->count_hi_and_cancelled & 1;
#endif
    return MPI_SUCCESS;
}

/* But for the error field. */
static void fill(MPI_Status *status, int source, int tag, int size, bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status_set_cancelled(status, cancelled);
    set_size(status, size);
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
static void receive(struct request *into, struct message *message)
{
    int size = message->size < into->room ? message->size : into->room;
    into->kind = RECEIVED;
    into->source = message->source;
    into->tag = message->tag;
    into->size = size;
    into->cut = size < message->size;
    if (size > 0)
        memcpy(into->buffer, message->bytes, (size_t)size);
    free(message);
}

static struct request *first_posted(const struct message *message)
{
    struct request *first = NULL;
    for (int i = 0; i < REQUESTS; i++)
        if (request[i].kind == POSTED && fits(message, request[i].source, request[i].tag, request[i].context) &&
            (!first || request[i].order < first->order))
            first = &request[i];
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
    struct request *wants = first_posted(made);
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
    struct request *made = new_request(POSTED, handle);
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
        fill(status, found->source, found->tag, found->size, false);
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
    struct request *into = new_request(RECEIVED, made);
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
        *handle = FAKE_HANDLE(MPI_Request, REQUEST_COMPLETE);
        return MPI_SUCCESS;
    }
    assert(fake_sents < FAKE_SENT_MOST);
    struct fake_sent *sent = &fake_sent[fake_sents++];
    *sent = (struct fake_sent){context, to, tag, count, {0}};
    memcpy(sent->bytes, buf, count < FAKE_SENT_BYTES ? (size_t)count : FAKE_SENT_BYTES);
    new_request(SEND, handle);
    return MPI_SUCCESS;
}

void fake_sent_forget(void)
{
    fake_sents = 0;
}

/* ---- completion -------------------------------------------------------------------------------------------------------------- */

static bool is_nothing(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL || FAKE_NUMBER(handle) == REQUEST_COMPLETE;
}

static bool is_complete(const struct request *at)
{
    if (at->kind == TOKEN || at->cancelled)
        return at->complete || at->cancelled;
    return at->kind != POSTED && !fake_stalls;
}

static int complete_token(struct request *at, MPI_Status *status)
{
    MPI_Status ignored, *into = status == MPI_STATUS_IGNORE ? &ignored : status;
    int code = at->query(at->state, into);
    at->release(at->state);
    return code;
}

static int test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    *flag = 1;
    if (is_nothing(*handle)) {
        fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    struct request *at = request_of(*handle);
    *flag = is_complete(at);
    if (!*flag)
        return MPI_SUCCESS;
    int code = at->cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (at->kind == TOKEN)
        code = complete_token(at, status);
    else
        fill(status, at->source, at->tag, at->size, at->cancelled);
    at->kind = UNUSED;
    *handle = MPI_REQUEST_NULL;
    return code;
}

static int request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = is_nothing(handle) || is_complete(request_of(handle));
    return MPI_SUCCESS;
}

static int wait_for_complete(MPI_Request *handle, MPI_Status *status)
{
    int complete = 0, code = test(handle, &complete, status);
    assert(complete);
    return code;
}

/* What is complete or matched cannot be cancelled any more. */
static int cancel(MPI_Request *handle)
{
    struct request *at = request_of(*handle);
    if (at->kind == TOKEN)
        return at->cancel(at->state, at->complete);
    at->cancelled = at->kind == POSTED;
    return MPI_SUCCESS;
}

/* A receive that is freed may still get a message; none here does. */
static int request_free(MPI_Request *handle)
{
    struct request *at = request_of(*handle);
    if (at->kind == TOKEN && at->complete)
        at->release(at->state);
    at->kind = UNUSED;
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                          MPI_Grequest_cancel_function *by, void *state, MPI_Request *handle)
{
    struct request *made = new_request(TOKEN, handle);
    made->query = query;
    made->release = release;
    made->cancel = by;
    made->state = state;
    return MPI_SUCCESS;
}

static int grequest_complete(MPI_Request handle)
{
    struct request *at = request_of(handle);
    assert(at->kind == TOKEN && !at->complete);
    at->complete = true;
    return MPI_SUCCESS;
}

void fake_fill_messages(void)
{
    native.get_elements_x = get_elements_x;
    native.status_set_elements = status_set_elements;
    native.status_set_cancelled = status_set_cancelled;
    native.test_cancelled = test_cancelled;
    native.irecv = irecv;
    native.iprobe = iprobe;
    native.improbe = improbe;
    native.imrecv = imrecv;
    native.isend = isend;
    native.test = test;
    native.request_get_status = request_get_status;
    native.wait = wait_for_complete;
    native.cancel = cancel;
    native.request_free = request_free;
    native.grequest_start = grequest_start;
    native.grequest_complete = grequest_complete;
}
