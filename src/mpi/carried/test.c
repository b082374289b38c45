/* test.c: the ends of requests, in the shape of the MPI's own calls. Those with arrays may hold requests of both. */
#include "mpi/carried/state.h"
#include "mpi/detector/side.h"
#include "mpi/native/tune.h"

/* What is looked at directly is the ring of the sender; the others have their turn every so often. */
enum { MOVE_EVERY = 16 };

/* ---- statuses -------------------------------------------------------------------------------------------------------------------- */

/* The error field is for calls that complete several. */
static void set_status(MPI_Status *status, int source, int tag, size_t size, bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
#ifdef OPEN_MPI
    status->_ucount = size;
    status->_cancelled = cancelled;
#else
    status->count_lo = (int)(size & 0xffffffff);
    status->count_hi_and_cancelled = (int)(size >> 32 << 1 | cancelled);
#endif
}

void carried_status_of(int source, int tag, size_t size, MPI_Status *status)
{
    set_status(status, source, tag, size, false);
}

void carried_status(const struct carried *request, MPI_Status *status)
{
    if (RARELY(request->from_native)) {
        int error = status == MPI_STATUS_IGNORE ? 0 : status->MPI_ERROR;
        if (status != MPI_STATUS_IGNORE) {
            *status = request->native_status;
            status->MPI_ERROR = error;
        }
    } else if (request->is_send || request->cancelled)
        set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, request->cancelled);
    else
        set_status(status, request->source, request->found_tag, request->received, false);
}

/* ---- one ------------------------------------------------------------------------------------------------------------------------- */

/* Who waits for what the MPI below does is waited for here, perhaps by the same process. */
static int went_below(int code, int complete)
{
    if (LIKELY(code == MPI_SUCCESS) && !complete) {
        carried_enter();
        carried_move_here();
        carried_leave();
    }
    return code;
}

static void look_for_answer(struct carried *request)
{
    if (request->phase == CARRIED_ASKED && !request->to_self)
        carried_answered(request);
}

static inline bool is_over(struct carried *request)
{
    if (request->phase == CARRIED_OVER)
        return true;
    if (request->is_send) {
        look_for_answer(request);
    } else if (LIKELY(request->peer >= 0) && request->peer != self.process) {
        carried_take_for(request);
        if (LIKELY(request->phase == CARRIED_OVER))
            return true;
        if (++carried.tests % MOVE_EVERY != 0)
            return false;
    }
    if (request->phase != CARRIED_OVER)
        carried_move();
    if (request->is_send)
        look_for_answer(request);
    else if (RARELY(request->native != MPI_REQUEST_NULL) && request->phase != CARRIED_OVER)
        carried_test_natively(request);
    return request->phase == CARRIED_OVER;
}

static int finish(struct carried *request, MPI_Request *handle, MPI_Status *status)
{
    int code = request->code;
    carried_status(request, status);
    carried_release(request);
    *handle = MPI_REQUEST_NULL;
    return code;
}

static int test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    int code = MPI_SUCCESS;
    carried_enter();
    struct carried *request = carried_of(*handle);
    if (request) {
        *flag = is_over(request);
        if (*flag)
            code = finish(request, handle, status);
    }
    carried_leave();
    return request ? code : went_below(carried.below.test(handle, flag, status), *flag);
}

static int request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    carried_enter();
    struct carried *request = carried_of(handle);
    if (request) {
        *flag = is_over(request);
        if (*flag)
            carried_status(request, status);
    }
    carried_leave();
    return request ? MPI_SUCCESS : went_below(carried.below.request_get_status(handle, flag, status), *flag);
}

static int wait(MPI_Request *handle, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;
    if (!carried_is(*handle))
        return carried.below.wait(handle, status);
    while (!flag && code == MPI_SUCCESS)
        code = test(handle, &flag, status);
    return code;
}

/* ---- several ----------------------------------------------------------------------------------------------------------------------- */

static bool is_any_carried(int count, const MPI_Request *handle)
{
    bool any = false;
    carried_enter();
    for (int i = 0; i < count && !any; i++)
        any = handle[i] == native_request_complete || carried_of(handle[i]);
    carried_leave();
    return any;
}

static int testany(int count, MPI_Request *handle, int *index, int *flag, MPI_Status *status)
{
    bool active = false;
    if (!is_any_carried(count, handle))
        return went_below(carried.below.testany(count, handle, index, flag, status), *flag);
    *flag = 0;
    for (int i = 0; i < count; i++) {
        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        active = true;
        int code = test(&handle[i], flag, status);
        if (!*flag && code == MPI_SUCCESS)
            continue;
        *flag = 1;
        *index = i;
        return code;
    }
    *index = MPI_UNDEFINED;
    *flag = !active;
    if (!active)
        set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    return MPI_SUCCESS;
}

static int testsome(int count, MPI_Request *handle, int *done, int *indices, MPI_Status *statuses)
{
    int all = MPI_SUCCESS;
    bool active = false;
    if (!is_any_carried(count, handle))
        return went_below(carried.below.testsome(count, handle, done, indices, statuses), *done);
    *done = 0;
    for (int i = 0; i < count; i++) {
        int flag = 0;
        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        active = true;
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*done];
        int code = test(&handle[i], &flag, status);
        if (!flag && code == MPI_SUCCESS)
            continue;
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = code;
        all = code != MPI_SUCCESS ? MPI_ERR_IN_STATUS : all;
        indices[(*done)++] = i;
    }
    if (!active)
        *done = MPI_UNDEFINED;
    return all;
}

static bool are_all_over(int count, const MPI_Request *handle)
{
    for (int i = 0; i < count; i++) {
        int flag = 1;
        if (handle[i] != MPI_REQUEST_NULL && handle[i] != native_request_complete)
            request_get_status(handle[i], &flag, MPI_STATUS_IGNORE);
        if (!flag)
            return false;
    }
    return true;
}

static int testall(int count, MPI_Request *handle, int *flag, MPI_Status *statuses)
{
    int all = MPI_SUCCESS;
    if (!is_any_carried(count, handle))
        return went_below(carried.below.testall(count, handle, flag, statuses), *flag);
    *flag = are_all_over(count, handle);
    for (int i = 0; *flag && i < count; i++) {
        int one = 1, code = MPI_SUCCESS;
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        if (handle[i] == MPI_REQUEST_NULL)
            set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
        else
            code = test(&handle[i], &one, status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = code;
        all = code != MPI_SUCCESS ? MPI_ERR_IN_STATUS : all;
    }
    return all;
}

static int waitall(int count, MPI_Request *handle, MPI_Status *statuses)
{
    int flag = 0, code = MPI_SUCCESS;
    if (!is_any_carried(count, handle))
        return carried.below.waitall(count, handle, statuses);
    while (!flag && code == MPI_SUCCESS)
        code = testall(count, handle, &flag, statuses);
    return code;
}

/* ---- taking back ---------------------------------------------------------------------------------------------------------------------- */

/* A synchronous send of this process to itself. */
static bool take_back_from_self(struct carried *request)
{
    if (request->to_self->matched)
        return false;
    carried_off(request->to_self);
    carried_throw_away(request->to_self);
    request->to_self = NULL;
    return true;
}

/* A send with a ticket that is queued goes in pieces: its receiver has it. */
static bool take_back(struct carried *request)
{
    if (request->phase == CARRIED_POSTED) {
        list_take(&request->node);
        return true;
    }
    if (request->phase == CARRIED_QUEUED && !request->ticket) {
        list_take(&request->node);
        carried.queued--;
        return true;
    }
    if (request->phase != CARRIED_ASKED)
        return false;
    if (request->to_self)
        return take_back_from_self(request);
    if (!knell_carrier_withdraw(carried.carrier, request->ticket))
        return false;
    list_take(&request->node);
    return true;
}

/* What was matched, too, if it can be had back. Somebody may be reading the memory of a send just now: it ends, or dies. */
static bool give_up(struct carried *request)
{
    look_for_answer(request);
    if (request->phase == CARRIED_FILLING) {
        carried_let_go(request);
        return true;
    }
    if (request->phase == CARRIED_QUEUED && request->ticket) {
        carried_send_rest(request);
        return true;
    }
    if (request->phase == CARRIED_ASKED && !request->to_self &&
        knell_carrier_give_up(carried.carrier, request->ticket)) {
        list_take(&request->node);
        return true;
    }
    return take_back(request);
}

/* False: it is not of this room. */
static bool end_early(MPI_Request handle, bool (*get_back)(struct carried *request))
{
    if (!carried.carrier)
        return false;
    carried_enter();
    struct carried *request = carried_of(handle);
    if (request && request->native != MPI_REQUEST_NULL && request->phase != CARRIED_OVER) {
        carried_cancel_natively(request);
    } else if (request && request->phase != CARRIED_OVER && get_back(request)) {
        request->cancelled = true;
        carried_complete(request, MPI_SUCCESS);
    }
    carried_leave();
    return request != NULL;
}

bool carried_cancel(MPI_Request handle)
{
    return end_early(handle, take_back);
}

static int cancel(MPI_Request *handle)
{
    return end_early(*handle, give_up) ? MPI_SUCCESS : carried.below.cancel(handle);
}

/* A send to the dead: whatever it was doing there, nobody does it any more. */
static void drop(struct carried *request)
{
    list_take(&request->node);
    carried.queued -= request->phase == CARRIED_QUEUED;
    if (request->ticket)
        knell_carrier_end(carried.carrier, request->ticket);
    carried_release(request);
}

/* What is under way goes on, unless its receiver is gone: then it is the detector that has ended it. */
static int request_free(MPI_Request *handle)
{
    carried_enter();
    struct carried *request = carried_of(*handle);
    if (request) {
        *handle = MPI_REQUEST_NULL;
        if (request->phase == CARRIED_OVER) {
            carried_release(request);
        } else if (request->is_send && side_is_dead(request->peer)) {
            drop(request);
        } else {
            request->detached = true;
            carried.detached += request->is_send;
        }
    }
    carried_leave();
    return request ? MPI_SUCCESS : carried.below.request_free(handle);
}

void carried_install_tests(void)
{
    native.test = test;
    native.testany = testany;
    native.testsome = testsome;
    native.testall = testall;
    native.wait = wait;
    native.waitall = waitall;
    native.cancel = cancel;
    native.request_free = request_free;
    native.request_get_status = request_get_status;
}
