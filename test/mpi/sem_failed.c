/* sem_failed: get_failed grows at its end only; ack_failed acknowledges so many of them; the older pair. */
#include "check.h"

static int ranks_of(MPI_Group group, int *rank)
{
    MPI_Group world;
    int size = group_size(group), number[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_translate_ranks(group, size, number, world, rank));
    OK(MPI_Group_free(&world));
    return size;
}

static int failed_now(int *rank)
{
    MPI_Group failed;
    OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
    int size = ranks_of(failed, rank);
    OK(MPI_Group_free(&failed));
    return size;
}

/* Trap: programs free what they get, also when it is empty. */
static int acked_now(int *rank)
{
    MPI_Group acked;
    OK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &acked));
    int size = ranks_of(acked, rank);
    OK(MPI_Group_free(&acked));
    CHECK(acked == MPI_GROUP_NULL);
    return size;
}

int main(int argc, char **argv)
{
    int before[8], now[8], acked = -1;
    begin(&argc, &argv, 20);
    CHECK(failed_now(now) == 0 && acked_now(now) == 0);
    OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 0, &acked));
    CHECK(acked == 0);
    FAILS(MPIX_Comm_ack_failed(MPI_COMM_WORLD, -1, &acked), MPI_ERR_ARG);
    FAILS(MPIX_Comm_ack_failed(MPI_COMM_WORLD, all + 1, &acked), MPI_ERR_ARG);
    meet(MPI_COMM_WORLD);

    die_if(me == 4);
    learn_death(MPI_COMM_WORLD, 4);
    CHECK(failed_now(now) == 1 && now[0] == 4);
    meet(MPI_COMM_WORLD);
    die_if(me == 1 || me == 2);
    learn_death(MPI_COMM_WORLD, 1);
    int known = failed_now(before);
    CHECK(known >= 2 && before[0] == 4);
    learn_death(MPI_COMM_WORLD, 2);
    CHECK(failed_now(now) == 3 && memcmp(before, now, (size_t)known * sizeof *now) == 0);

    CHECK(acked_now(before) == 0);
    OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 2, &acked));
    CHECK(acked == 2 && acked_now(before) == 2 && memcmp(before, now, 2 * sizeof *now) == 0);
    OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &acked)); /* never fewer than before */
    CHECK(acked == 2);
    OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
    CHECK(acked_now(before) == 3 && memcmp(before, now, 3 * sizeof *now) == 0);

    MPI_Comm living = shrunk(MPI_COMM_WORLD); /* knows no dead */
    MPI_Group failed;
    OK(MPIX_Comm_get_failed(living, &failed));
    CHECK(group_size(failed) == 0);
    OK(MPI_Group_free(&failed));
    return end();
}
