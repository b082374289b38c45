/* trap_order: a datatype whose elements fill their place without a gap, and lie in it in another order than they travel in: what comes is
 * in the order of the datatype, wherever it is received, and at the sender itself. */
#include "check.h"

enum { MOST = 6, LITTLE = 3, MUCH = 20000 };

static int given[2 * MUCH], got[2 * MOST * MUCH];

static void prepare(int count)
{
    for (int i = 0; i < 2 * count; i++)
        given[i] = 1000000 * me + i;
    for (int i = 0; i < 2 * all * count; i++)
        got[i] = -1;
}

/* Pairs of rank r, each turned round. */
static void check_turned(int r, const int *pairs, int count)
{
    for (int i = 0; i < 2 * count; i++)
        CHECK(pairs[i] == 1000000 * r + (i ^ 1));
}

static void with_count(MPI_Datatype turned, int count)
{
    prepare(count);
    OK(MPI_Allgather(given, count, turned, got, 2 * count, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < all; r++)
        check_turned(r, got + 2 * r * count, count);
    prepare(count);
    OK(MPI_Gather(given, count, turned, got, 2 * count, MPI_INT, 1, MPI_COMM_WORLD));
    for (int r = 0; me == 1 && r < all; r++)
        check_turned(r, got + 2 * r * count, count);
    prepare(count);
    if (me == 0)
        OK(MPI_Bcast(given, count, turned, 0, MPI_COMM_WORLD));
    else
        OK(MPI_Bcast(got, 2 * count, MPI_INT, 0, MPI_COMM_WORLD));
    if (me != 0)
        check_turned(0, got, count);
    prepare(count);
    OK(MPI_Allgather(given, 2 * count, MPI_INT, got, count, turned, MPI_COMM_WORLD));
    for (int r = 0; r < all; r++)
        check_turned(r, got + 2 * r * count, count);
}

int main(int argc, char **argv)
{
    MPI_Datatype turned;
    begin(&argc, &argv, 30);
    OK(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &turned));
    OK(MPI_Type_commit(&turned));
    with_count(turned, LITTLE);
    with_count(turned, MUCH);
    OK(MPI_Type_free(&turned));
    return end();
}
