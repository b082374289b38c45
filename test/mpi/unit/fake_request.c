/* fake_request.c: requests of the fake MPI, and how they end. See fake.h. */
#include "fake_request.h"

#include <assert.h>

enum { REQUEST_BASE = 0x20000 };

int fake_duplicates, fake_duplicates_at_wait;

struct fake_request fake_request[FAKE_REQUESTS];
static unsigned posts;

/* The lowest free one: what was completed last is given out again at once, as MPIs do. */
struct fake_request *fake_request_new(enum fake_kind kind, MPI_Request *handle)
{
    int at = 0;
    while (at < FAKE_REQUESTS && fake_request[at].kind != FAKE_UNUSED)
        at++;
    assert(at < FAKE_REQUESTS);
    fake_request[at] = (struct fake_request){.kind = kind, .order = posts++};
    *handle = FAKE_HANDLE(MPI_Request, REQUEST_BASE + 16 * at);
    return &fake_request[at];
}

static struct fake_request *fake_request_of(MPI_Request handle)
{
    uintptr_t at = (FAKE_NUMBER(handle) - REQUEST_BASE) / 16;
    assert(at < FAKE_REQUESTS && fake_request[at].kind != FAKE_UNUSED);
    return &fake_request[at];
}

int fake_requests(void)
{
    int count = 0;
    for (int i = 0; i < FAKE_REQUESTS; i++)
        count += fake_request[i].kind != FAKE_UNUSED;
    return count;
}

/* ---- completion -------------------------------------------------------------------------------------------------------------- */

static bool is_nothing(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL || FAKE_NUMBER(handle) == FAKE_COMPLETE;
}

static bool is_complete(const struct fake_request *at)
{
    if (at->kind == FAKE_TOKEN || at->cancelled)
        return at->complete || at->cancelled;
    return at->kind != FAKE_POSTED && !fake_stalls;
}

static int complete_token(struct fake_request *at, MPI_Status *status)
{
    MPI_Status ignored, *into = status == MPI_STATUS_IGNORE ? &ignored : status;
    int code = at->query(at->state, into);
    at->release(at->state);
    return code;
}

static int test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    if (!fake_duplicates_at_wait)
        fake_duplicates_at_wait = fake_duplicates;
    *flag = 1;
    if (is_nothing(*handle)) {
        fake_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
        *handle = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    struct fake_request *at = fake_request_of(*handle);
    *flag = is_complete(at);
    if (!*flag)
        return MPI_SUCCESS;
    int code = at->cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (at->kind == FAKE_TOKEN)
        code = complete_token(at, status);
    else
        fake_status(status, at->source, at->tag, at->size, at->cancelled);
    at->kind = FAKE_UNUSED;
    *handle = MPI_REQUEST_NULL;
    return code;
}

static int request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = is_nothing(handle) || is_complete(fake_request_of(handle));
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
    struct fake_request *at = fake_request_of(*handle);
    if (at->kind == FAKE_TOKEN)
        return at->cancel(at->state, at->complete);
    at->cancelled = at->kind == FAKE_POSTED;
    return MPI_SUCCESS;
}

/* A receive that is freed may still get a message; none here does. */
static int request_free(MPI_Request *handle)
{
    struct fake_request *at = fake_request_of(*handle);
    if (at->kind == FAKE_TOKEN && at->complete)
        at->release(at->state);
    at->kind = FAKE_UNUSED;
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                          MPI_Grequest_cancel_function *by, void *state, MPI_Request *handle)
{
    struct fake_request *made = fake_request_new(FAKE_TOKEN, handle);
    made->query = query;
    made->release = release;
    made->cancel = by;
    made->state = state;
    return MPI_SUCCESS;
}

static int grequest_complete(MPI_Request handle)
{
    struct fake_request *at = fake_request_of(handle);
    assert(at->kind == FAKE_TOKEN && !at->complete);
    at->complete = true;
    return MPI_SUCCESS;
}

void fake_fill_requests(void)
{
    native.test = test;
    native.request_get_status = request_get_status;
    native.wait = wait_for_complete;
    native.cancel = cancel;
    native.request_free = request_free;
    native.grequest_start = grequest_start;
    native.grequest_complete = grequest_complete;
}
