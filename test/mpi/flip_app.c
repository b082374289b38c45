/* flip_app: for the test of silent faults: rank 0 sends known data in several ways, rank 1 counts the bits that came wrong and
 * prints which they were. Nobody's own buffer may change, and no other message. */
#include "check.h"

#include <stdint.h>

enum { ROUNDS = 50, COUNT = 100, STRIDE = 3, PART = 10 };

static uint64_t digest = 14695981039346656037u; /* of where the wrong bits were */

static int wrong_bits(const int *got, const int *sent, int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++)
        for (int bit = 0; bit < 32; bit++)
            if ((unsigned)(got[i] ^ sent[i]) >> bit & 1) {
                digest = (digest ^ (unsigned)(32 * i + bit)) * 1099511628211u;
                wrong++;
            }
    return wrong;
}

static void fill(int *data, int count, int round)
{
    for (int i = 0; i < count; i++)
        data[i] = 1000 * round + i;
}

static int by_send(int round)
{
    int data[COUNT], got[COUNT];
    fill(data, COUNT, round);
    if (me == 0)
        OK(MPI_Send(data, COUNT, MPI_INT, 1, 1, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(got, COUNT, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return me == 0 ? 0 : wrong_bits(got, data, COUNT);
}

/* Every third int, from the second on: what lies between is no payload. In every other round by its address. */
static int by_type_with_holes(int round)
{
    MPI_Datatype vector, holes;
    MPI_Aint place = sizeof(int);
    int data[1 + STRIDE * PART], kept[1 + STRIDE * PART], wanted[PART], got[PART], one[] = {1};
    fill(data, 1 + STRIDE * PART, round);
    if (round % 2)
        OK(MPI_Get_address(data + 1, &place));
    OK(MPI_Type_vector(PART, 1, STRIDE, MPI_INT, &vector));
    OK(MPI_Type_create_hindexed(1, one, &place, vector, &holes));
    OK(MPI_Type_commit(&holes));
    memcpy(kept, data, sizeof data);
    for (int i = 0; i < PART; i++)
        wanted[i] = data[1 + STRIDE * i];
    if (me == 0)
        OK(MPI_Ssend(round % 2 ? MPI_BOTTOM : data, 1, holes, 1, 2, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(got, PART, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(memcmp(kept, data, sizeof data) == 0);
    OK(MPI_Type_free(&holes));
    OK(MPI_Type_free(&vector));
    return me == 0 ? 0 : wrong_bits(got, wanted, PART);
}

/* Several under way at once. */
static int by_isend(int round)
{
    int data[4][COUNT], got[4][COUNT], wrong = 0;
    MPI_Request request[4];
    MPI_Status status[4];
    for (int i = 0; i < 4; i++) {
        fill(data[i], COUNT, round + i);
        if (me == 0)
            OK(MPI_Isend(data[i], COUNT, MPI_INT, 1, 3, MPI_COMM_WORLD, &request[i]));
        else
            OK(MPI_Irecv(got[i], COUNT, MPI_INT, 0, 3, MPI_COMM_WORLD, &request[i]));
    }
    OK(MPI_Waitall(4, request, status));
    for (int i = 0; me == 1 && i < 4; i++)
        wrong += wrong_bits(got[i], data[i], COUNT);
    return wrong;
}

static int by_sendrecv(int round)
{
    int data[COUNT], got[COUNT];
    fill(data, COUNT, round);
    OK(MPI_Sendrecv(data, COUNT, MPI_INT, 1 - me, 4, got, COUNT, MPI_INT, 1 - me, 4, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    return wrong_bits(got, data, COUNT);
}

static int by_replace(int round)
{
    int data[COUNT], got[COUNT];
    fill(data, COUNT, round);
    memcpy(got, data, sizeof data);
    OK(MPI_Sendrecv_replace(got, COUNT, MPI_INT, 1 - me, 5, 1 - me, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return wrong_bits(got, data, COUNT);
}

static int by_bsend(int round)
{
    static char buffer[COUNT * sizeof(int) + MPI_BSEND_OVERHEAD];
    int data[COUNT], got[COUNT], size;
    void *detached;
    fill(data, COUNT, round);
    if (me == 1) {
        OK(MPI_Recv(got, COUNT, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return wrong_bits(got, data, COUNT);
    }
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    OK(MPI_Bsend(data, COUNT, MPI_INT, 1, 6, MPI_COMM_WORLD));
    OK(MPI_Buffer_detach(&detached, &size));
    return 0;
}

/* ---- collectives ----------------------------------------------------------------------------------------------------------- */

/* The root's own buffer stays as it is. */
static int by_bcast(int round)
{
    int data[COUNT], got[COUNT];
    MPI_Request request;
    fill(data, COUNT, round);
    memcpy(got, data, me == 0 ? sizeof data : 0);
    if (round % 2) {
        OK(MPI_Bcast(got, COUNT, MPI_INT, 0, MPI_COMM_WORLD));
    } else {
        OK(MPI_Ibcast(got, COUNT, MPI_INT, 0, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    return wrong_bits(got, data, COUNT);
}

static int by_scatter(int round)
{
    int data[2 * COUNT], got[COUNT], counts[] = {COUNT, COUNT}, displs[] = {COUNT, 0};
    fill(data, 2 * COUNT, round);
    if (round % 2)
        OK(MPI_Scatter(data, COUNT, MPI_INT, got, COUNT, MPI_INT, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Scatterv(data, counts, displs, MPI_INT, got, COUNT, MPI_INT, 0, MPI_COMM_WORLD));
    return wrong_bits(got, data + (round % 2 ? COUNT * me : COUNT - COUNT * me), COUNT);
}

static int by_gather(int round)
{
    int data[COUNT], got[2 * COUNT];
    fill(data, COUNT, round);
    OK(MPI_Gather(data, COUNT, MPI_INT, got, COUNT, MPI_INT, 1, MPI_COMM_WORLD));
    return me == 0 ? 0 : wrong_bits(got, data, COUNT) + wrong_bits(got + COUNT, data, COUNT);
}

static int by_allgather_in_place(int round)
{
    int data[COUNT], got[2 * COUNT];
    fill(data, COUNT, round);
    memcpy(got + COUNT * me, data, sizeof data);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, COUNT, MPI_INT, MPI_COMM_WORLD));
    return wrong_bits(got, data, COUNT) + wrong_bits(got + COUNT, data, COUNT);
}

/* Everybody sends the same. */
static int by_alltoall(int round)
{
    int data[2 * COUNT], got[2 * COUNT];
    fill(data, COUNT, round);
    fill(data + COUNT, COUNT, round);
    memcpy(got, data, sizeof data);
    OK(MPI_Alltoall(round % 2 ? data : MPI_IN_PLACE, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD));
    return wrong_bits(got, data, 2 * COUNT);
}

/* NULL: as it is. */
static MPI_Datatype at_its_address(const int *location, MPI_Datatype type)
{
    MPI_Datatype made;
    MPI_Aint place = 0;
    if (location)
        OK(MPI_Get_address(location, &place));
    OK(MPI_Type_create_hindexed(1, &(int){1}, &place, type, &made));
    OK(MPI_Type_commit(&made));
    return made;
}

/* To rank 0 all ints, to rank 1 every third. In every other round by their addresses. */
static int by_alltoallw(int round)
{
    int counts[] = {COUNT, 1}, places[] = {0, COUNT * sizeof(int)}, nowhere[] = {0, 0}, got[2 * COUNT];
    int data[COUNT + STRIDE * PART], sent[PART], mine = me == 0 ? COUNT : PART, taken[] = {mine, mine};
    MPI_Datatype vector, types[] = {MPI_INT, MPI_INT}, ints[] = {MPI_INT, MPI_INT};
    MPI_Request request;
    OK(MPI_Type_vector(PART, 1, STRIDE, MPI_INT, &vector));
    OK(MPI_Type_commit(&vector));
    types[1] = vector;
    fill(data, COUNT + STRIDE * PART, round);
    for (int i = 0; i < 2; i++)
        types[i] = at_its_address(round % 2 ? &data[COUNT * i] : NULL, types[i]);
    OK(MPI_Ialltoallw(round % 2 ? MPI_BOTTOM : data, counts, round % 2 ? nowhere : places, types, got, taken, places,
                      ints, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 2; i++)
        OK(MPI_Type_free(&types[i]));
    OK(MPI_Type_free(&vector));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < PART; i++)
        sent[i] = data[COUNT + STRIDE * i];
    const int *wanted = me == 0 ? data : sent;
    return wrong_bits(got, wanted, mine) + wrong_bits(got + COUNT, wanted, mine);
}

/* What this rank contributes is zero; what the sum is otherwise came wrong. */
static int by_allreduce(int round)
{
    int zero[COUNT] = {0}, sum[COUNT];
    (void)round;
    OK(MPI_Allreduce(zero, sum, COUNT, MPI_INT, MPI_BXOR, MPI_COMM_WORLD));
    CHECK(zero[0] == 0 && zero[COUNT - 1] == 0);
    return wrong_bits(sum, zero, COUNT);
}

static int by_reduce_in_place(int round)
{
    int zero[COUNT] = {0}, sum[COUNT] = {0};
    (void)round;
    OK(MPI_Reduce(me == 1 ? MPI_IN_PLACE : zero, sum, COUNT, MPI_INT, MPI_BXOR, 1, MPI_COMM_WORLD));
    return wrong_bits(sum, zero, COUNT);
}

static int by_reduce_scatter(int round)
{
    int zero[2 * COUNT] = {0}, sum[2 * COUNT] = {0}, counts[] = {COUNT, COUNT};
    if (round % 2)
        OK(MPI_Reduce_scatter(zero, sum, counts, MPI_INT, MPI_BXOR, MPI_COMM_WORLD));
    else
        OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, sum, COUNT, MPI_INT, MPI_BXOR, MPI_COMM_WORLD));
    return wrong_bits(sum, zero, COUNT);
}

static const struct {
    const char *name;
    int (*by)(int round);
} ways[] = {
    {"send", by_send},
    {"holes", by_type_with_holes},
    {"isend", by_isend},
    {"sendrecv", by_sendrecv},
    {"replace", by_replace},
    {"bsend", by_bsend},
    {"bcast", by_bcast},
    {"scatter", by_scatter},
    {"gather", by_gather},
    {"allgather", by_allgather_in_place},
    {"alltoall", by_alltoall},
    {"alltoallw", by_alltoallw},
    {"allreduce", by_allreduce},
    {"reduce", by_reduce_in_place},
    {"reduce_scatter", by_reduce_scatter},
};

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    CHECK(all == 2);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        int wrong = 0;
        for (int round = 0; round < ROUNDS; round++)
            wrong += ways[way].by(round);
        if (me == 1)
            printf("%s %d; ", ways[way].name, wrong);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 1)
        printf("digest %016llx\n", (unsigned long long)digest);
    return end();
}
