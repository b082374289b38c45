/* coll_allreduce.c: MPI_Allreduce and MPI_Iallreduce by recursive doubling. Members beyond the largest power of two fold into a
 * neighbour first and get the result last. Blocks of neighbouring ranks are folded, the lower ones on the left: so operations
 * that do not commute keep their order, and all members compute the same bits. */
#include "mpi/coll.h"
#include "mpi/gen/own.h"

enum { PHASE, FAR, SWAPPED }; /* state */
enum { START, ENTERED, DOUBLING, LEAVING, END };

static int floor_power(int size)
{
    int power = 1;
    while (2 * power <= size)
        power *= 2;
    return power;
}

/* The first 2 * extra ranks pair up, the odd one of a pair takes part; all after them do. */
static int rank_at(int place, int extra)
{
    return place < extra ? 2 * place + 1 : place + extra;
}

static void *result(const struct knell__coll *coll)
{
    return coll->state[SWAPPED] ? coll->work : coll->args.recv;
}

static void *other(const struct knell__coll *coll)
{
    return coll->state[SWAPPED] ? coll->args.recv : coll->work;
}

/* What came, in the other buffer, is folded with the result so far: MPI_Reduce_local leaves "left op right" in the right one. */
static void fold(struct knell__coll *coll, bool came_from_lower)
{
    const struct knell__coll_args *a = &coll->args;
    if (came_from_lower) {
        knell__coll_fold(coll, other(coll), result(coll), a->recv_count, a->recv_type, a->op);
        return;
    }
    knell__coll_fold(coll, result(coll), other(coll), a->recv_count, a->recv_type, a->op);
    coll->state[SWAPPED] = !coll->state[SWAPPED];
}

static void enter(struct knell__coll *coll, int extra)
{
    const struct knell__coll_args *a = &coll->args;
    int rank = coll->comm->rank;
    if (a->send != MPI_IN_PLACE)
        knell__coll_copy(coll, a->send, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
    coll->work = knell__coll_scratch(coll, a->recv_count, a->recv_type);
    if (rank >= 2 * extra || coll->code != MPI_SUCCESS)
        return;
    if (rank % 2)
        knell__coll_recv(coll, other(coll), a->recv_count, a->recv_type, rank - 1);
    else
        knell__coll_send(coll, result(coll), a->recv_count, a->recv_type, rank + 1);
}

static void double_once(struct knell__coll *coll, int place, int extra)
{
    const struct knell__coll_args *a = &coll->args;
    int partner = rank_at(place ^ coll->state[FAR], extra);
    knell__coll_recv(coll, other(coll), a->recv_count, a->recv_type, partner);
    knell__coll_send(coll, result(coll), a->recv_count, a->recv_type, partner);
}

/* The even ones of the pairs have nothing to do between the beginning and the end. */
static void leave(struct knell__coll *coll, int extra)
{
    const struct knell__coll_args *a = &coll->args;
    int rank = coll->comm->rank;
    if (coll->state[SWAPPED])
        knell__coll_copy(coll, coll->work, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
    if (rank >= 2 * extra)
        return;
    if (rank % 2)
        knell__coll_send(coll, a->recv, a->recv_count, a->recv_type, rank - 1);
    else
        knell__coll_recv(coll, a->recv, a->recv_count, a->recv_type, rank + 1);
}

static bool allreduce_step(struct knell__coll *coll)
{
    int rank = coll->comm->rank, power = floor_power(coll->comm->size), extra = coll->comm->size - power;
    int place = rank < 2 * extra ? rank / 2 : rank - extra;
    bool idle = rank < 2 * extra && rank % 2 == 0;
    switch (coll->state[PHASE]) {
    case START:
        enter(coll, extra);
        coll->state[PHASE] = idle ? LEAVING : ENTERED;
        return true;
    case ENTERED:
        if (rank < 2 * extra)
            fold(coll, true);
        coll->state[FAR] = 1;
        coll->state[PHASE] = DOUBLING;
        break;
    case DOUBLING:
        fold(coll, place & coll->state[FAR]);
        coll->state[FAR] *= 2;
        break;
    case LEAVING:
        leave(coll, extra);
        coll->state[PHASE] = END;
        return true;
    default:
        return false;
    }
    if (coll->state[FAR] < power)
        double_once(coll, place, extra);
    else {
        leave(coll, extra);
        coll->state[PHASE] = END;
    }
    return true;
}

static struct knell__coll_args make_args(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op)
{
    return (struct knell__coll_args){.send = send, .recv = recv, .recv_count = count, .recv_type = type, .op = op};
}

int knell__mpi_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__coll_args args = make_args(sendbuf, recvbuf, count, datatype, op);
    if (!comm)
        return knell__native.allreduce(sendbuf, recvbuf, count, datatype, op, handle);
    return knell__coll_blocking(comm, allreduce_step, &args);
}

int knell__mpi_iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm handle,
                          MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__coll_args args = make_args(sendbuf, recvbuf, count, datatype, op);
    if (!comm)
        return knell__native.iallreduce(sendbuf, recvbuf, count, datatype, op, handle, request);
    return knell__coll_nonblocking(comm, allreduce_step, &args, request);
}
