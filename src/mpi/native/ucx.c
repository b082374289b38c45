/* ucx.c: how an operation of UCX ended, which MPICH does not ask.
 *
 * When a connection ends, UCX ends all that is under way on it with an error. MPICH (4.0.2) takes every end but a cancellation and a
 * message that is too long for a success: a synchronous send that nobody matched, a large one that nobody received, a
 * receive of which a part never came. So the layer stands between the two: of an operation that the connection took with it MPICH
 * does not hear. To MPICH it is under way for ever, as others on that connection are of which UCX itself says nothing; the detector's
 * word ends them all.
 *
 * Each of MPICH's functions that hear of an end gets one of ours before it. They have no room for anything of ours, so ours differ
 * by their address. */
#include <mpi.h>

#ifdef MPICH
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

#include <stddef.h>
#include <stdint.h>

/* As in ucs/type/status.h and ucp/api/ucp.h, which need not be installed where the layer is built. */
enum { UCS_OK = 0, UCS_ERR_MESSAGE_TRUNCATED = -9, UCS_ERR_CANCELED = -16 };
enum { FIELD_CALLBACK = 1 << 1, FIELD_USER_DATA = 1 << 2, FIELD_DATATYPE = 1 << 3, FLAGS = ~0xffff };

typedef void any_end(void);
typedef void send_end(void *request, int status, void *user_data);
typedef void receive_end(void *request, int status, const void *info, void *user_data);

struct param {
    uint32_t op_attr_mask, flags;
    void *request;
    any_end *end;
    uint64_t datatype;
    void *user_data;
    uint64_t others[4]; /* each with a bit in the mask, which MPICH does not set */
};

/* ---- ends ------------------------------------------------------------------------------------------------------------------- */

enum { MOST = 16 };
static _Atomic(any_end *) send_end_of[MOST], receive_end_of[MOST];

/* Outside MPI_Init and MPI_Finalize the detector says the rest. */
static bool is_left_to_the_detector(void)
{
    return !(atomic_load_explicit(&layer_attention, memory_order_relaxed) & ATTENTION_OFF);
}

static void sent(int number, void *request, int status, void *user_data)
{
    if (LIKELY(status == UCS_OK) || !is_left_to_the_detector())
        ((send_end *)send_end_of[number])(request, status, user_data);
}

static void received(int number, void *request, int status, const void *info, void *user_data)
{
    bool told = status == UCS_OK || status == UCS_ERR_CANCELED || status == UCS_ERR_MESSAGE_TRUNCATED;
    if (LIKELY(told) || !is_left_to_the_detector())
        ((receive_end *)receive_end_of[number])(request, status, info, user_data);
}

#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define DEFINE(number)                                                                          \
    static void sent_##number(void *request, int status, void *user_data)                       \
    {                                                                                           \
        sent(number, request, status, user_data);                                               \
    }                                                                                           \
    static void received_##number(void *request, int status, const void *info, void *user_data) \
    {                                                                                           \
        received(number, request, status, info, user_data);                                     \
    }
ALL(DEFINE)

#define SENT(number) (any_end *)sent_##number,
#define RECEIVED(number) (any_end *)received_##number,
static any_end *const our_send_end[MOST] = {ALL(SENT)}, *const our_receive_end[MOST] = {ALL(RECEIVED)};

/* Ours for that one of MPICH's; the same when there are more than ever were seen. */
static any_end *before(any_end *end, _Atomic(any_end *) *known, any_end *const *ours)
{
    for (int i = 0; i < MOST; i++) {
        any_end *seen = atomic_load_explicit(&known[i], memory_order_relaxed);
        if (!seen && atomic_compare_exchange_strong(&known[i], &seen, end))
            seen = end;
        if (seen == end)
            return ours[i];
    }
    return end;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------ */

/* What MPICH says, and nothing else: it was written in pieces just before, and to read it as a whole is slow. False: it says something
 * that no version seen so far does. */
static inline bool copied(struct param *copy, const struct param *param)
{
    copy->op_attr_mask = param->op_attr_mask;
    copy->end = param->end;
    copy->datatype = param->datatype;
    copy->user_data = param->user_data;
    uint32_t seen = (uint32_t)(FIELD_CALLBACK | FIELD_USER_DATA | FIELD_DATATYPE | FLAGS);
    return (copy->op_attr_mask & ~seen) == 0 && copy->op_attr_mask & FIELD_CALLBACK;
}

#define EXPORT __attribute__((visibility("default")))

typedef void *ucp_send(void *ep, const void *buffer, size_t count, uint64_t tag, const struct param *param);
typedef void *ucp_receive(void *worker, void *buffer, size_t count, uint64_t tag, uint64_t mask,
                          const struct param *param);
typedef void *ucp_receive_matched(void *worker, void *buffer, size_t count, void *message, const struct param *param);
EXPORT ucp_send ucp_tag_send_nbx, ucp_tag_send_sync_nbx;
EXPORT ucp_receive ucp_tag_recv_nbx;
EXPORT ucp_receive_matched ucp_tag_msg_recv_nbx;

#define NEXT(name)                 \
    static __typeof__(&name) next; \
    if (RARELY(!next))             \
        next = (__typeof__(&name))layer_symbol(#name);

#define SEND(name)                                                                                  \
    void *name(void *ep, const void *buffer, size_t count, uint64_t tag, const struct param *param) \
    {                                                                                               \
        NEXT(name)                                                                                  \
        struct param ours;                                                                          \
        if (RARELY(!copied(&ours, param)))                                                          \
            return next(ep, buffer, count, tag, param);                                             \
        ours.end = before(ours.end, send_end_of, our_send_end);                                     \
        return next(ep, buffer, count, tag, &ours);                                                 \
    }
SEND(ucp_tag_send_nbx)
SEND(ucp_tag_send_sync_nbx)

void *ucp_tag_recv_nbx(void *worker, void *buffer, size_t count, uint64_t tag, uint64_t mask, const struct param *param)
{
    NEXT(ucp_tag_recv_nbx)
    struct param ours;
    if (RARELY(!copied(&ours, param)))
        return next(worker, buffer, count, tag, mask, param);
    ours.end = before(ours.end, receive_end_of, our_receive_end);
    return next(worker, buffer, count, tag, mask, &ours);
}

void *ucp_tag_msg_recv_nbx(void *worker, void *buffer, size_t count, void *message, const struct param *param)
{
    NEXT(ucp_tag_msg_recv_nbx)
    struct param ours;
    if (RARELY(!copied(&ours, param)))
        return next(worker, buffer, count, message, param);
    ours.end = before(ours.end, receive_end_of, our_receive_end);
    return next(worker, buffer, count, message, &ours);
}
#endif
