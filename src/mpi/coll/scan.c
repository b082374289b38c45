/* scan.c: MPI_Scan, MPI_Exscan and their nonblocking kinds. Before the round of distance d a member has the fold of the up
 * to d members that end with itself; it gets the d before them and sends its own d further up. An exclusive scan first shifts all by one
 * rank, and is then an inclusive one of the ranks above 0. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

enum { FAR, CAME, FIRST }; /* state: FIRST: the lowest rank of the scan */

/* One round, with what there is in `from`: false when nobody is that far away. */
static inline bool reach(struct coll *coll, const void *from)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank, far = coll->state[FAR];
    if (rank - far < coll->state[FIRST] && rank + far >= coll->comm->size)
        return false;
    coll->state[CAME] = rank - far >= coll->state[FIRST];
    if (rank + far < coll->comm->size)
        coll_send(coll, from, a->recv_count, a->recv_type, rank + far);
    if (coll->state[CAME])
        coll_recv(coll, coll->spare, a->recv_count, a->recv_type, rank - far);
    coll->state[FAR] = 2 * far;
    return true;
}

/* The own elements go out from where they are, and into their place when they are on their way. */
static bool scan_begin(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    const void *mine = a->send == MPI_IN_PLACE ? a->recv : a->send;
    if (coll_wrong(coll))
        return false;
    coll->state[FAR] = 1;
    if (coll->comm->rank > 0)
        coll->spare = coll_scratch(coll, (size_t)a->recv_count, a->recv_type);
    bool more = coll->code == MPI_SUCCESS && reach(coll, mine);
    coll_copy(coll, mine, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
    return more;
}

static bool scan_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->state[FAR] == 0)
        return scan_begin(coll);
    if (coll->state[CAME])
        coll_fold(coll, coll->spare, a->recv, a->recv_count, a->recv_type, a->op);
    return coll->code == MPI_SUCCESS && reach(coll, a->recv);
}

/* In place, what comes must wait in the spare until the own is sent. */
static void shift(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    bool in_place = a->send == MPI_IN_PLACE;
    if (coll_wrong(coll))
        return;
    if (rank > 0) {
        coll->spare = coll_scratch(coll, (size_t)a->recv_count, a->recv_type);
        if (coll->code != MPI_SUCCESS)
            return;
    }
    if (rank + 1 < coll->comm->size)
        coll_send(coll, in_place ? a->recv : a->send, a->recv_count, a->recv_type, rank + 1);
    if (rank > 0)
        coll_recv(coll, in_place ? coll->spare : a->recv, a->recv_count, a->recv_type, rank - 1);
}

static bool exscan_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->round == 0) {
        shift(coll);
        return true;
    }
    if (coll->comm->rank == 0)
        return false;
    if (a->send == MPI_IN_PLACE)
        coll_copy(coll, coll->spare, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
    coll->state[FIRST] = coll->state[FAR] = 1;
    coll->step = scan_step;
    return coll->code == MPI_SUCCESS && reach(coll, a->recv);
}

static int scan(coll_step *step, const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request)
{
    struct coll_args args = {
        .send = send, .recv = recv, .recv_count = count, .recv_type = type, .op = op, .gives = COLL_GIVES_OPERAND};
    return coll_call(comm, step, &args, request);
}

int mpi_scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return scan(scan_step, sendbuf, recvbuf, count, datatype, op, comm, NULL);
}

int mpi_iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request *request)
{
    return scan(scan_step, sendbuf, recvbuf, count, datatype, op, comm, request);
}

int mpi_exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return scan(exscan_step, sendbuf, recvbuf, count, datatype, op, comm, NULL);
}

int mpi_iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                MPI_Request *request)
{
    return scan(exscan_step, sendbuf, recvbuf, count, datatype, op, comm, request);
}
