/* sem_hints: the hints mpi_error_uniform and mpi_error_range on communicators. A rank dies at another point each time; whatever the survivors get,
 * with mpi_error_uniform = coll they all get the same; with mpi_error_range a death revokes. */
#include "check.h"

#include <stdbool.h>

enum { STEPS = 24, LENGTH = 5000 };

static int data[4][LENGTH];

/* ---- setting and asking ----------------------------------------------------------------------------------------------------- */

static MPI_Info info_with(const char *key, const char *value)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    return info;
}

static void set(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);
    OK(MPI_Comm_set_info(comm, info));
    OK(MPI_Info_free(&info));
}

static bool has(MPI_Comm comm, const char *key, const char *value)
{
    char found[64] = "";
    int flag = 0;
    MPI_Info info;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get(info, key, sizeof found - 1, found, &flag));
    OK(MPI_Info_free(&info));
    return flag && strcmp(found, value) == 0;
}

static void ask(void)
{
    MPI_Comm a, b, c, d;
    MPI_Info info = info_with("mpi_error_range", "group");
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    CHECK(has(a, "mpi_error_uniform", "local") && has(a, "mpi_error_range", "local"));
    set(a, "mpi_error_uniform", "construct");
    CHECK(has(a, "mpi_error_uniform", "create"));
    set(a, "mpi_error_uniform", "coll");
    set(a, "mpi_error_uniform", "something else");
    CHECK(has(a, "mpi_error_uniform", "coll") && has(a, "mpi_error_range", "local"));
    OK(MPI_Comm_dup(a, &b));
    OK(MPI_Comm_dup_with_info(a, info, &c));
    OK(MPI_Comm_split_type(a, MPI_COMM_TYPE_SHARED, 0, info, &d));
    CHECK(has(b, "mpi_error_uniform", "coll"));
    CHECK(has(c, "mpi_error_uniform", "local") && has(c, "mpi_error_range", "group"));
    CHECK(has(d, "mpi_error_uniform", "local") && has(d, "mpi_error_range", "group"));
    OK(MPI_Barrier(b));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&a));
    OK(MPI_Comm_free(&b));
    OK(MPI_Comm_free(&c));
    OK(MPI_Comm_free(&d));
}

/* ---- uniform ------------------------------------------------------------------------------------------------------------------ */

static int one_after_the_other(MPI_Comm comm, int step)
{
    int sum;
    if (step % 3 == 0)
        return MPI_Bcast(data[0], LENGTH, MPI_INT, 0, comm);
    if (step % 3 == 1)
        return MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, 1, comm);
    return MPI_Gather(data[0], 100, MPI_INT, data[1], 100, MPI_INT, 1, comm);
}

/* Begun in one order, ended in another. The codes of three, as one number. */
static int at_once(MPI_Comm comm)
{
    MPI_Request request[3];
    int code[3];
    OK(MPI_Ibcast(data[0], LENGTH, MPI_INT, 0, comm, &request[0]));
    OK(MPI_Ibarrier(comm, &request[1]));
    OK(MPI_Iallgather(data[1], 10, MPI_INT, data[2], 10, MPI_INT, comm, &request[2]));
    for (int i = 0; i < 3; i++)
        code[(i + me) % 3] = MPI_Wait(&request[(i + me) % 3], MPI_STATUS_IGNORE);
    return code[0] + 1000 * code[1] + 1000000 * code[2];
}

/* Also those that come after the first failure: they fail, at all. */
static void lose_one(MPI_Comm comm, int victim, int when, int codes[STEPS])
{
    for (int step = 0; step < STEPS; step++) {
        die_if(me == victim && step == when);
        at = "a uniform collective";
        codes[step] = step % 4 == 3 ? at_once(comm) : one_after_the_other(comm, step);
    }
    CHECK(codes[STEPS - 1] != MPI_SUCCESS);
}

static MPI_Comm be_uniform(MPI_Comm comm, int victim, int when)
{
    int codes[STEPS];
    MPI_Comm uniform, rest;
    OK(MPI_Comm_dup(comm, &uniform));
    set(uniform, "mpi_error_uniform", "coll");
    lose_one(uniform, victim, when, codes);
    OK(MPIX_Comm_shrink(comm, &rest));
    for (int step = 0; step < STEPS; step++)
        check_same(rest, codes[step]);
    OK(MPI_Comm_free(&uniform));
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
    return rest;
}

/* A member that never comes: a revoke releases the others. */
static void be_released(MPI_Comm comm)
{
    MPI_Comm uniform;
    int rank;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_dup(comm, &uniform));
    set(uniform, "mpi_error_uniform", "coll");
    if (rank == 0)
        OK(MPIX_Comm_revoke(uniform));
    else
        FAILS(MPI_Bcast(data[0], 1, MPI_INT, 1, uniform), MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&uniform));
}

/* ---- range -------------------------------------------------------------------------------------------------------------------- */

static bool is_revoked(MPI_Comm comm)
{
    int flag = -1;
    OK(MPIX_Comm_is_revoked(comm, &flag));
    return flag;
}

/* A communicator of the living without the last, one with it, and one of the living alone that does not care. */
static MPI_Comm be_ranged(MPI_Comm comm)
{
    MPI_Comm living, group, universe, later, copy, rest;
    int rank, size, value = 0;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_split(comm, rank == size - 1, 0, &living));
    OK(MPI_Comm_dup(living, &universe));
    OK(MPI_Comm_dup(comm, &group));
    OK(MPI_Comm_dup(comm, &later));
    set(living, "mpi_error_range", "group");
    set(universe, "mpi_error_range", "universe");
    set(group, "mpi_error_range", "group");
    die_if(rank == size - 1);
    /* From a living one that never sends: nothing but the death ends it. */
    FAILS(MPI_Recv(&value, 1, MPI_INT, (rank + 1) % (size - 1), 3, group, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK(is_revoked(group) && is_revoked(universe) && !is_revoked(living) && !is_revoked(later));
    FAILS(MPI_Barrier(universe), MPIX_ERR_REVOKED);
    FAILS(MPI_Barrier(group), MPIX_ERR_REVOKED);
    FAILS(MPI_Comm_dup(group, &copy), MPIX_ERR_REVOKED);
    FAILS(MPI_Comm_dup(universe, &copy), MPIX_ERR_REVOKED);
    OK(MPI_Barrier(living));
    set(later, "mpi_error_range", "group");
    CHECK(is_revoked(later));
    OK(MPIX_Comm_shrink(group, &rest));
    OK(MPI_Barrier(rest));
    OK(MPI_Comm_free(&living));
    OK(MPI_Comm_free(&universe));
    OK(MPI_Comm_free(&group));
    OK(MPI_Comm_free(&later));
    return rest;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    begin(&argc, &argv, 50);
    if (argc > 2) { /* as `knell run --info` has set it */
        CHECK(has(MPI_COMM_WORLD, argv[1], argv[2]));
        return end();
    }
    ask();
    comm = be_uniform(comm, all - 1, 4);
    comm = be_uniform(comm, all - 2, 7);
    be_released(comm);
    comm = be_ranged(comm);
    return end();
}
