/* coll: every collective, blocking and not, in place and not, with holes in the data, without any data, with operations that do
 * not commute: what comes must be what is computed here, and no other byte may have changed. Arguments that mean nothing to a
 * member are garbage there. With the argument `bottom` every buffer is MPI_BOTTOM with a datatype of absolute addresses. */
#include "coll_data.h"

/* ---- both forms ------------------------------------------------------------------------------------------------------------------ */

static void finish(MPI_Request *request)
{
    static unsigned turn;
    int done = 0;
    if (turn++ % 2)
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    while (*request != MPI_REQUEST_NULL)
        OK(MPI_Test(request, &done, MPI_STATUS_IGNORE));
}

#define RUN(call, icall, ...)                  \
    do {                                       \
        doing = #call;                         \
        if (later) {                           \
            MPI_Request request_;              \
            OK(icall(__VA_ARGS__, &request_)); \
            finish(&request_);                 \
        } else                                 \
            OK(call(__VA_ARGS__));             \
    } while (0)

/* ---- the collectives ------------------------------------------------------------------------------------------------------------ */

static void test_bcast(int count, int root)
{
    struct buffer buffer = make(count);
    for (int i = 0; i < count; i++)
        me == root ? set(&buffer, i, root, i) : want(&buffer, i, root, i);
    /* The same data, described by other datatypes at the root. */
    if (me == root && now == &kinds[1] && !bottom)
        RUN(MPI_Bcast, MPI_Ibcast, data(&buffer), count * WORDS, MPI_UNSIGNED, root, MPI_COMM_WORLD);
    else
        RUN(MPI_Bcast, MPI_Ibcast, data(&buffer), count, buffer.type, root, MPI_COMM_WORLD);
    compare(&buffer, "the buffer");
}

/* send = what this rank gives, at 0 .. count - 1. In place it is in recv. */
static struct buffer giving(int count, struct buffer *recv, bool here)
{
    struct buffer send = make(count);
    for (int i = 0; i < count; i++) {
        set(&send, i, me, i);
        if (here)
            set(recv, i, me, i);
    }
    return send;
}

static void test_reduce(int count, int root)
{
    bool here = in_place && me == root;
    struct buffer recv = make(count), send = giving(count, &recv, here);
    for (int i = 0; me == root && i < count; i++)
        want_fold(&recv, i, 0, all - 1, i);
    struct operands to = operands(&send, &recv);
    RUN(MPI_Reduce, MPI_Ireduce, here ? MPI_IN_PLACE : to.send, me == root ? to.recv : IGNORED, count, to.type, now->op,
        root, MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_allreduce(int count)
{
    struct buffer recv = make(count), send = giving(count, &recv, in_place);
    for (int i = 0; i < count; i++)
        want_fold(&recv, i, 0, all - 1, i);
    struct operands to = operands(&send, &recv);
    RUN(MPI_Allreduce, MPI_Iallreduce, in_place ? MPI_IN_PLACE : to.send, to.recv, count, to.type, now->op,
        MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_scan(int count)
{
    struct buffer recv = make(count), send = giving(count, &recv, in_place);
    for (int i = 0; i < count; i++)
        want_fold(&recv, i, 0, me, i);
    struct operands to = operands(&send, &recv);
    RUN(MPI_Scan, MPI_Iscan, in_place ? MPI_IN_PLACE : to.send, to.recv, count, to.type, now->op, MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_exscan(int count)
{
    struct buffer recv = make(count), send = giving(count, &recv, in_place);
    for (int i = 0; me > 0 && i < count; i++)
        want_fold(&recv, i, 0, me - 1, i);
    struct operands to = operands(&send, &recv);
    RUN(MPI_Exscan, MPI_Iexscan, in_place ? MPI_IN_PLACE : to.send, to.recv, count, to.type, now->op, MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_reduce_scatter(int count, bool block)
{
    int counts[16], total = 0, mine = 0;
    for (int r = 0; r < all; r++) {
        counts[r] = block ? count : count / (r % 3 + 1) * (r % 4 != 2);
        mine += r < me ? counts[r] : 0;
        total += counts[r];
    }
    struct buffer recv = make(total), send = giving(total, &recv, in_place);
    for (int i = 0; i < counts[me]; i++)
        want_fold(&recv, i, 0, all - 1, mine + i);
    /* In place the rest of recv stays as it is. */
    struct operands to = operands(&send, &recv);
    const void *from = in_place ? MPI_IN_PLACE : to.send;
    if (block)
        RUN(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, to.recv, count, to.type, now->op,
            MPI_COMM_WORLD);
    else
        RUN(MPI_Reduce_scatter, MPI_Ireduce_scatter, from, to.recv, counts, to.type, now->op, MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

/* Blocks of different sizes, in reverse order, with gaps. */
static int block_count(int count, int rank)
{
    return rank % 3 == 1 ? 0 : count / (rank % 2 + 1);
}

static int block_at(int count, int rank)
{
    return (all - 1 - rank) * (count + 1);
}

static void test_gather(int count, int root, bool v)
{
    int counts[16], displs[16];
    bool here = in_place && me == root;
    struct buffer recv = make(all * (count + 1)), send = make(count);
    for (int r = 0; r < all; r++) {
        counts[r] = v ? block_count(count, r) : count;
        displs[r] = v ? block_at(count, r) : r * count;
        for (int i = 0; me == root && i < counts[r]; i++)
            here &&r == me ? set(&recv, displs[r] + i, r, i) : want(&recv, displs[r] + i, r, i);
    }
    for (int i = 0; i < counts[me]; i++)
        set(&send, i, me, i);
    const void *from = here ? MPI_IN_PLACE : data(&send);
    void *into = me == root ? data(&recv) : IGNORED;
    MPI_Datatype from_type = here ? MPI_DATATYPE_NULL : send.type,
                 into_type = me == root ? recv.type : MPI_DATATYPE_NULL;
    if (v)
        RUN(MPI_Gatherv, MPI_Igatherv, from, here ? -1 : counts[me], from_type, into, me == root ? counts : IGNORED,
            me == root ? displs : IGNORED, into_type, root, MPI_COMM_WORLD);
    else
        RUN(MPI_Gather, MPI_Igather, from, here ? -1 : count, from_type, into, me == root ? count : -1, into_type, root,
            MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_scatter(int count, int root, bool v)
{
    int counts[16], displs[16];
    bool here = in_place && me == root;
    struct buffer recv = make(count), send = make(all * (count + 1));
    for (int r = 0; r < all; r++) {
        counts[r] = v ? block_count(count, r) : count;
        displs[r] = v ? block_at(count, r) : r * count;
        for (int i = 0; me == root && i < counts[r]; i++)
            set(&send, displs[r] + i, root, r * count + i);
    }
    for (int i = 0; !here && i < counts[me]; i++)
        want(&recv, i, root, me * count + i);
    void *into = here ? MPI_IN_PLACE : data(&recv);
    const void *from = me == root ? data(&send) : IGNORED;
    MPI_Datatype into_type = here ? MPI_DATATYPE_NULL : recv.type,
                 from_type = me == root ? send.type : MPI_DATATYPE_NULL;
    if (v)
        RUN(MPI_Scatterv, MPI_Iscatterv, from, me == root ? counts : IGNORED, me == root ? displs : IGNORED, from_type,
            into, here ? -1 : counts[me], into_type, root, MPI_COMM_WORLD);
    else
        RUN(MPI_Scatter, MPI_Iscatter, from, me == root ? count : -1, from_type, into, here ? -1 : count, into_type,
            root, MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_allgather(int count, bool v)
{
    int counts[16], displs[16];
    struct buffer recv = make(all * (count + 1)), send = make(count);
    for (int r = 0; r < all; r++) {
        counts[r] = v ? block_count(count, r) : count;
        displs[r] = v ? block_at(count, r) : r * count;
        for (int i = 0; i < counts[r]; i++)
            in_place &&r == me ? set(&recv, displs[r] + i, r, i) : want(&recv, displs[r] + i, r, i);
    }
    for (int i = 0; i < counts[me]; i++)
        set(&send, i, me, i);
    const void *from = in_place ? MPI_IN_PLACE : data(&send);
    MPI_Datatype from_type = in_place ? MPI_DATATYPE_NULL : send.type;
    if (v)
        RUN(MPI_Allgatherv, MPI_Iallgatherv, from, in_place ? -1 : counts[me], from_type, data(&recv), counts, displs,
            recv.type, MPI_COMM_WORLD);
    else
        RUN(MPI_Allgather, MPI_Iallgather, from, in_place ? -1 : count, from_type, data(&recv), count, recv.type,
            MPI_COMM_WORLD);
    compare(&recv, "recv");
    compare(&send, "send");
}

/* Between a and b: the same both ways, as in place demands. */
static int pair_count(int count, int a, int b)
{
    return (a + b) % 4 == 1 ? 0 : count / ((a + b) % 3 + 1);
}

enum alltoall { PLAIN, V, W };

/* MPI_Alltoallw's own datatypes and places. MPI_BOTTOM is the same in both directions, the data are not. */
struct ways {
    MPI_Datatype send[16], recv[16];
    int displs[16];
};

static struct ways ways_of(const struct buffer *send, const struct buffer *recv, const int *displs)
{
    struct ways ways;
    for (int r = 0; r < all; r++) {
        int bytes = displs[r] * now->extent;
        ways.send[r] = bottom ? shifted(address(send->real + MARGIN + bytes)) : now->type;
        ways.recv[r] = bottom ? shifted(address(recv->real + MARGIN + bytes)) : now->type;
        ways.displs[r] = bottom ? 0 : bytes;
    }
    return ways;
}

static void free_ways(struct ways *ways)
{
    for (int r = 0; bottom && r < all; r++) {
        OK(MPI_Type_free(&ways->send[r]));
        OK(MPI_Type_free(&ways->recv[r]));
    }
}

static void call_alltoall(struct buffer *send, struct buffer *recv, int count, const int *counts, const int *displs,
                          enum alltoall form)
{
    const void *from = in_place ? MPI_IN_PLACE : data(send);
    const int *from_counts = in_place ? IGNORED : counts, *from_displs = in_place ? IGNORED : displs;
    MPI_Datatype from_type = in_place ? MPI_DATATYPE_NULL : send->type;
    struct ways ways = ways_of(send, recv, displs);
    if (form == PLAIN)
        RUN(MPI_Alltoall, MPI_Ialltoall, from, in_place ? -1 : count, from_type, data(recv), count, recv->type,
            MPI_COMM_WORLD);
    else if (form == V)
        RUN(MPI_Alltoallv, MPI_Ialltoallv, from, from_counts, from_displs, from_type, data(recv), counts, displs,
            recv->type, MPI_COMM_WORLD);
    else
        RUN(MPI_Alltoallw, MPI_Ialltoallw, from, from_counts, in_place ? IGNORED : ways.displs,
            in_place ? IGNORED : ways.send, data(recv), counts, ways.displs, ways.recv, MPI_COMM_WORLD);
    free_ways(&ways);
}

static void test_alltoall(int count, enum alltoall form)
{
    int counts[16], displs[16];
    struct buffer recv = make(all * (count + 1)), send = make(all * (count + 1));
    for (int r = 0; r < all; r++) {
        counts[r] = form == PLAIN ? count : pair_count(count, me, r);
        displs[r] = form == PLAIN ? r * count : block_at(count, r);
        for (int i = 0; i < counts[r]; i++) {
            set(&send, displs[r] + i, me, r * count + i);
            if (in_place)
                set(&recv, displs[r] + i, me, r * count + i);
            want(&recv, displs[r] + i, r, me * count + i);
        }
    }
    call_alltoall(&send, &recv, count, counts, displs, form);
    compare(&recv, "recv");
    compare(&send, "send");
}

static void test_barrier(void)
{
    if (later) {
        MPI_Request request;
        OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        finish(&request);
    } else
        OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void test_reductions(int count)
{
    test_allreduce(count);
    test_scan(count);
    test_exscan(count);
    test_reduce_scatter(count, true);
    test_reduce_scatter(count, false);
}

/* MPI's own operations know no datatypes of absolute addresses. */
static void test_all(int count)
{
    bool reduces = !bottom || now->op != MPI_SUM;
    doing_count = count;
    for (int root = 0; root<all; root += all> 2 ? all - 1 : 1) {
        test_bcast(count, root);
        if (reduces)
            test_reduce(count, root);
        test_gather(count, root, false);
        test_gather(count, root, true);
        test_scatter(count, root, false);
        test_scatter(count, root, true);
    }
    test_barrier();
    if (reduces)
        test_reductions(count);
    test_allgather(count, false);
    test_allgather(count, true);
    for (enum alltoall form = PLAIN; form <= W; form++)
        test_alltoall(count, form);
}

/* ---- what only nonblocking ones can do -------------------------------------------------------------------------------------------- */

/* Many at once, completed in any order; their datatype and operation are freed while they run. */
static void test_many(void)
{
    enum { MANY = 12, COUNT = 2100 };
    MPI_Request request[MANY];
    MPI_Status status[MANY];
    MPI_Datatype type;
    MPI_Op op;
    struct buffer recv[MANY], send[MANY];
    now = &kinds[1];
    doing = "many MPI_Iallreduce";
    OK(MPI_Type_contiguous(4, MPI_UNSIGNED, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(user_fold, 0, &op));
    for (int k = 0; k < MANY; k++) {
        int count = k % 2 ? COUNT : 3;
        recv[k] = make(count);
        send[k] = giving(count, &recv[k], false);
        for (int i = 0; i < count; i++)
            want_fold(&recv[k], i, 0, all - 1, i);
        OK(MPI_Iallreduce(data(&send[k]), data(&recv[k]), count, type, op, MPI_COMM_WORLD, &request[k]));
    }
    OK(MPI_Type_free(&type));
    OK(MPI_Op_free(&op));
    CHECK(type == MPI_DATATYPE_NULL && op == MPI_OP_NULL);
    for (int k = MANY - 1; k >= MANY / 2; k--)
        OK(MPI_Wait(&request[k], MPI_STATUS_IGNORE));
    OK(MPI_Waitall(MANY, request, status)); /* not MPI_STATUSES_IGNORE: MPICH's is an address that gcc warns of */
    for (int k = 0; k < MANY; k++) {
        compare(&recv[k], "recv");
        compare(&send[k], "send");
    }
}

/* The same bits everywhere, though the order of additions matters. */
static void test_bits(int count)
{
    double *mine = malloc((size_t)count * sizeof *mine), *sum = malloc((size_t)count * sizeof *sum),
           *first = malloc((size_t)count * sizeof *first);
    CHECK(mine && sum && first);
    for (int i = 0; i < count; i++)
        mine[i] = (i % 2 ? 1e16 : 1.0 / 3) * (me % 2 ? -1 : 1) / (me + 1) + i * 1e-7;
    OK(MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    memcpy(first, sum, (size_t)count * sizeof *sum);
    OK(MPI_Bcast(first, count, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    CHECK(memcmp(first, sum, (size_t)count * sizeof *sum) == 0);
    free(mine);
    free(sum);
    free(first);
}

static void test_bad_calls(void)
{
    int word = 0;
    FAILS(MPI_Bcast(&word, 1, MPI_INT, all, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Reduce(&word, &word, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Allreduce(MPI_IN_PLACE, &word, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    static const int counts[] = {0, 1, 7, 2100};
    bottom = argc > 1 && strcmp(argv[1], "bottom") == 0;
    make_kinds();
    for (int form = 0; form < 4; form++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            later = form & 1;
            in_place = form & 2;
            now = &kinds[k];
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                test_all(counts[c]);
            if (now->words == 1)
                continue;
            doing_count = 20000;
            test_bcast(20000, all - 1);
            test_allreduce(20000);
            doing_count = 140000;
            test_bcast(140000, all - 1);
        }
    if (!bottom) {
        test_many();
        test_bits(3);
        test_bits(5000);
        test_bad_calls();
    }
    free_kinds();
    return end();
}
