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

/* ---- all the ways to make a datatype without gaps ------------------------------------------------------------------------------------ */

enum { KINDS = 15 };

/* Of four ints, or of three (an overlap counts twice). Some in order, some not. */
static MPI_Datatype made(int kind)
{
    const int one[] = {1, 1, 1, 1}, two[] = {2, 2}, up[] = {0, 1, 2, 3}, mixed[] = {0, 2, 1, 3};
    const MPI_Aint far[] = {0, 8}, near[] = {8, 0}, twice[] = {0, 0, 8};
    MPI_Datatype type = MPI_DATATYPE_NULL, inner, ints[] = {MPI_INT, MPI_INT, MPI_INT};
    OK(MPI_Type_indexed(4, one, kind < 4 ? up : mixed, MPI_INT, &inner));
    switch (kind) {
    case 0:
    case 4:
        OK(MPI_Type_dup(inner, &type));
        break;
    case 1:
    case 5:
        OK(MPI_Type_create_resized(inner, 0, 16, &type));
        break;
    case 2:
    case 6:
        OK(MPI_Type_create_struct(1, one, far, &inner, &type));
        break;
    case 3:
        OK(MPI_Type_create_hvector(2, 2, 8, MPI_INT, &type));
        break;
    case 7:
        OK(MPI_Type_vector(2, 2, 2, MPI_INT, &type));
        break;
    case 8:
        OK(MPI_Type_create_struct(2, two, far, ints, &type));
        break;
    case 9:
        OK(MPI_Type_create_struct(2, two, near, ints, &type));
        break;
    case 10:
        OK(MPI_Type_create_hindexed(2, two, near, MPI_INT, &type));
        break;
    case 11:
        OK(MPI_Type_create_hindexed_block(2, 2, far, MPI_INT, &type));
        break;
    case 12:
        OK(MPI_Type_create_indexed_block(4, 1, mixed, MPI_INT, &type));
        break;
    case 13:
        OK(MPI_Type_create_struct(3, one, twice, ints, &type)); /* its size is its extent */
        break;
    default:
        OK(MPI_Type_create_subarray(2, two, two, (int[]){0, 0}, MPI_ORDER_FORTRAN, MPI_INT, &type));
    }
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_free(&inner));
    return type;
}

/* What everybody gets is what packing makes of it. */
static void check_kind(int kind)
{
    MPI_Datatype type = made(kind);
    int data[8], wanted[8], came[MOST][8], size, used = 0;
    for (int i = 0; i < 8; i++)
        data[i] = 100 * kind + i;
    OK(MPI_Type_size(type, &size));
    OK(MPI_Pack(data, 2, type, wanted, (int)sizeof wanted, &used, MPI_COMM_WORLD));
    CHECK(used == 2 * size);
    memset(came, 0, sizeof came);
    OK(MPI_Allgather(data, 2, type, came, 2 * size / (int)sizeof(int), MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < all; r++)
        CHECK(memcmp((int *)came + r * 2 * size / (int)sizeof(int), wanted, 2 * (size_t)size) == 0);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    MPI_Datatype turned;
    begin(&argc, &argv, 30);
    for (int kind = 0; kind < KINDS; kind++)
        check_kind(kind);
    OK(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &turned));
    OK(MPI_Type_commit(&turned));
    with_count(turned, LITTLE);
    with_count(turned, MUCH);
    OK(MPI_Type_free(&turned));
    return end();
}
