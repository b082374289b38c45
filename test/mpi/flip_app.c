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

/* Every third int, from the second on: what lies between is no payload. */
static int by_type_with_holes(int round)
{
    MPI_Datatype vector, holes;
    int data[1 + STRIDE * PART], kept[1 + STRIDE * PART], wanted[PART], got[PART], one[] = {1};
    OK(MPI_Type_vector(PART, 1, STRIDE, MPI_INT, &vector));
    OK(MPI_Type_create_hindexed(1, one, (MPI_Aint[]){sizeof(int)}, vector, &holes));
    OK(MPI_Type_commit(&holes));
    fill(data, 1 + STRIDE * PART, round);
    memcpy(kept, data, sizeof data);
    for (int i = 0; i < PART; i++)
        wanted[i] = data[1 + STRIDE * i];
    if (me == 0)
        OK(MPI_Ssend(data, 1, holes, 1, 2, MPI_COMM_WORLD));
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
    OK(MPI_Sendrecv(data, COUNT, MPI_INT, 1 - me, 4, got, COUNT, MPI_INT, 1 - me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return wrong_bits(got, data, COUNT);
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

int main(int argc, char **argv)
{
    static int (*const ways[])(int round) = {by_send, by_type_with_holes, by_isend, by_sendrecv, by_allreduce};
    int wrong[5] = {0};
    begin(&argc, &argv, 50);
    CHECK(all == 2);
    for (int way = 0; way < 5; way++)
        for (int round = 0; round < ROUNDS; round++)
            wrong[way] += ways[way](round);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 1)
        printf("wrong bits: send %d, holes %d, isend %d, sendrecv %d, allreduce %d; digest %016llx\n", wrong[0], wrong[1], wrong[2],
               wrong[3], wrong[4], (unsigned long long)digest);
    return end();
}
