/* allreduce.c: MPI_Allreduce and MPI_Iallreduce.
 *
 * Little data: recursive doubling. Members beyond the largest power of two fold into a neighbour first and get the result last.
 * Blocks of neighbouring ranks are folded, the lower ones on the left: so operations that do not commute keep their order, and
 * all members compute the same bits. The first message goes out from the program's own buffer, before anything is copied.
 * Much data: everybody folds a piece (pieces.c) and sends it to all. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

/* Two members exchange all of it up to PAIR_BYTES too, but not where the halves go eagerly, up to EAGER_HALVES_BYTES. */
#ifdef MPICH
enum {
    LITTLE_BYTES = 4096,
    EAGER_HALVES_BYTES = 0,
    PAIR_BYTES = 0
}; /* 8 KiB and their header are not eager in UCX over TCP */
#else
enum { LITTLE_BYTES = 32768, EAGER_HALVES_BYTES = 65536, PAIR_BYTES = 262144 };
#endif
enum { PHASE, FAR }; /* state */
enum { START, ENTERED, DOUBLING, LEAVING, END };

static int floor_power(int size)
{
    int power = 1;
    while (2 * power <= size)
        power *= 2;
    return power;
}

/* ---- little ------------------------------------------------------------------------------------------------------------------- */

/* The first 2 * extra ranks pair up, the odd one of a pair takes part; all after them do. */
static int rank_at(int place, int extra)
{
    return place < extra ? 2 * place + 1 : place + extra;
}

/* What came, in `spare`, is folded with what there is: MPI_Reduce_local leaves "left op right" in the right one. */
static void fold(struct coll *coll, bool came_from_lower)
{
    const struct coll_args *a = coll->args;
    if (came_from_lower) {
        coll_fold(coll, coll->spare, coll->mine, a->recv_count, a->recv_type, a->op);
        return;
    }
    void *folded = coll->spare;
    coll_fold(coll, coll->mine, folded, a->recv_count, a->recv_type, a->op);
    coll->spare = coll->mine == a->send ? coll->other : coll->mine;
    coll->mine = folded;
}

/* What comes from above is folded into where it came, what comes from below into `mine`, which must then be writable. */
static void prepare(struct coll *coll, bool first_from_lower)
{
    const struct coll_args *a = coll->args;
    bool in_place = a->send == MPI_IN_PLACE;
    if (in_place || first_from_lower || coll->comm->size > 2)
        coll->other = coll_scratch(coll, (size_t)a->recv_count, a->recv_type);
    coll->mine = in_place ? a->recv : (void *)a->send;
    coll->spare = in_place || first_from_lower ? coll->other : a->recv;
}

/* Once the first message is on its way from the program's buffer. */
static void become_writable(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    coll_copy(coll, coll->mine, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
    coll->mine = a->recv;
}

static void enter(struct coll *coll, int place, int extra)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    prepare(coll, rank < 2 * extra || place % 2);
    if (rank >= 2 * extra || coll->code != MPI_SUCCESS)
        return;
    if (rank % 2 == 0) {
        coll_send(coll, coll->mine, a->recv_count, a->recv_type, rank + 1);
        return;
    }
    coll_recv(coll, coll->spare, a->recv_count, a->recv_type, rank - 1);
    become_writable(coll);
}

static void double_once(struct coll *coll, int place, int extra)
{
    const struct coll_args *a = coll->args;
    int partner = rank_at(place ^ coll->state[FAR], extra);
    coll_send(coll, coll->mine, a->recv_count, a->recv_type, partner);
    coll_recv(coll, coll->spare, a->recv_count, a->recv_type, partner);
    if (coll->mine == a->send && coll->spare != a->recv)
        become_writable(coll);
}

/* The even ones of the pairs have nothing to do between the beginning and the end. */
static void leave(struct coll *coll, int extra)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    if (rank < 2 * extra && rank % 2 == 0) {
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, rank + 1);
        return;
    }
    if (rank < 2 * extra)
        coll_send(coll, coll->mine, a->recv_count, a->recv_type, rank - 1);
    if (coll->mine != a->recv)
        coll_copy(coll, coll->mine, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
}

static bool doubling_step(struct coll *coll)
{
    int rank = coll->comm->rank, power = floor_power(coll->comm->size), extra = coll->comm->size - power;
    int place = rank < 2 * extra ? rank / 2 : rank - extra;
    bool idle = rank < 2 * extra && rank % 2 == 0;
    switch (coll->state[PHASE]) {
    case START:
        enter(coll, place, extra);
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
    if (coll->state[FAR] < power) {
        double_once(coll, place, extra);
        return true;
    }
    leave(coll, extra);
    coll->state[PHASE] = END;
    return extra > 0;
}

/* ---- much --------------------------------------------------------------------------------------------------------------------- */

static struct coll_pieces pieces_of(const struct coll *coll)
{
    const struct coll_args *a = coll->args;
    bool in_place = a->send == MPI_IN_PLACE;
    struct coll_pieces pieces = {
        .from = in_place ? a->recv : a->send, .from_is_ours = in_place, .total = a->recv_count};
    pieces.into = coll_at(a->recv, coll_piece_at(coll, &pieces, coll->comm->rank), coll_extent_of(a->recv_type));
    return pieces;
}

static void spread(struct coll *coll, const struct coll_pieces *pieces)
{
    const struct coll_args *a = coll->args;
    MPI_Aint extent = coll_extent_of(a->recv_type);
    int me = coll->comm->rank, size = coll->comm->size;
    for (int i = 1; i < size; i++)
        coll_send(coll, pieces->into, coll_piece_count(coll, pieces, me), a->recv_type, (me + i) % size);
    for (int i = 1; i < size; i++) {
        int source = (me - i + size) % size;
        coll_recv(coll, coll_at(a->recv, coll_piece_at(coll, pieces, source), extent),
                  coll_piece_count(coll, pieces, source), a->recv_type, source);
    }
}

static bool pieces_step(struct coll *coll)
{
    struct coll_pieces pieces = pieces_of(coll);
    if (coll->round == 0)
        coll_pieces_exchange(coll, &pieces);
    if (coll->round == 1) {
        coll_pieces_fold(coll, &pieces);
        spread(coll, &pieces);
    }
    return coll->round < 2;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------------- */

static bool is_little(size_t bytes, int size)
{
    return bytes <= LITTLE_BYTES || (size == 2 && bytes > EAGER_HALVES_BYTES && bytes <= PAIR_BYTES);
}

static bool allreduce_step(struct coll *coll)
{
    int count = coll->args->recv_count, size = coll->comm->size;
    if (coll_wrong(coll))
        return false;
    size_t bytes = (size_t)count * coll_size_of(coll->args->recv_type);
    coll->step = is_little(bytes, size) || count < size || size == 1 ? doubling_step : pieces_step;
    return coll->step(coll);
}

static int allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     MPI_Request *request)
{
    struct coll_args args = {.send = send,
                             .recv = recv,
                             .recv_count = count,
                             .recv_type = type,
                             .op = op,
                             .gives = COLL_GIVES_OPERAND,
                             .inter = coll_inter_allreduce};
    return coll_call(comm, allreduce_step, &args, request);
}

int mpi_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return allreduce(sendbuf, recvbuf, count, datatype, op, comm, NULL);
}

int mpi_iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    return allreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
}
