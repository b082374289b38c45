/* sem_inter_death.c VICTIM: a death before MPI_Intercomm_create, which then fails at all survivors; what they do after; a death in an
 * intercommunicator; revokes in the middle of a creation. Even ranks make one group, odd ranks the other; 0 and 1 lead them. */
#include "check.h"

enum { TAG = 7 };

/* Both groups of `comm`, by the parity of the world's rank. */
static int make(MPI_Comm comm, MPI_Comm *local, MPI_Comm *inter)
{
    int side = me % 2, rank, first[2], lowest[2];
    OK(MPI_Comm_rank(comm, &rank));
    first[side] = rank;
    first[!side] = all;
    OK(MPI_Allreduce(first, lowest, 2, MPI_INT, MPI_MIN, comm));
    OK(MPI_Comm_split(comm, side, 0, local));
    return CODE(MPI_Intercomm_create(*local, 0, comm, lowest[!side], TAG, inter));
}

/* Dies before it calls. */
static void dead_before(int victim)
{
    MPI_Comm local, inter = MPI_COMM_WORLD;
    OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &local));
    die_if(me == victim);
    FAILS(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me % 2 ? 0 : 1, TAG, &inter), MPIX_ERR_PROC_FAILED);
    CHECK(inter == MPI_COMM_NULL);
    OK(MPI_Comm_free(&local));
}

/* One of the even group dies after the creation: the last one. Its rank there: */
static void dead_after(MPI_Comm inter, int victim)
{
    int side = me % 2, size, others, got = -1, flag = 1, acked, code;
    MPI_Status status;
    MPI_Group failed;
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &others));
    meet(inter);
    die_if(me == victim);
    if (side) { /* of the other group: nobody knows who sends */
        learn_death(inter, others - 1);
        FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &status), MPIX_ERR_PROC_FAILED);
        FAILS(MPI_Send(&got, 1, MPI_INT, others - 1, 1, inter), MPIX_ERR_PROC_FAILED);
    }
    meet(inter);
    OK(MPIX_Comm_get_failed(inter, &failed));
    CHECK(group_size(failed) == 1);
    OK(MPI_Group_free(&failed));
    if (!side) { /* of the own group: messages come from the other one */
        int rank, from = 0;
        OK(MPI_Comm_rank(inter, &rank));
        if (rank == 0) {
            OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &status));
            CHECK(status.MPI_SOURCE == from && got == 77);
        }
    } else {
        int rank, value = 77;
        OK(MPI_Comm_rank(inter, &rank));
        if (rank == 0)
            OK(MPI_Send(&value, 1, MPI_INT, 0, 1, inter));
    }
    FAILS(MPI_Barrier(inter), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Intercomm_merge(inter, side, &(MPI_Comm){MPI_COMM_NULL}), MPIX_ERR_PROC_FAILED);
    flag = side ? 5 : 3;
    code = CODE(MPIX_Comm_agree(inter, &flag));
    CHECK(code == MPIX_ERR_PROC_FAILED && flag == (side ? 3 : 5));
    OK(MPIX_Comm_ack_failed(inter, 1, &acked));
    CHECK(acked == 1);
    OK(MPIX_Comm_agree(inter, &flag));
}

/* The survivors have an intercommunicator of those who are left, and one communicator of all. */
static MPI_Comm repaired(MPI_Comm inter)
{
    int side = me % 2, size, others, now, rest, sum = -1, one = 1;
    MPI_Comm left, merged;
    MPI_Request request;
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_remote_size(inter, &others));
    OK(MPIX_Comm_ishrink(inter, &left, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_size(left, &now));
    OK(MPI_Comm_remote_size(left, &rest));
    CHECK(now == size - !side && rest == others - side);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left));
    CHECK(sum == rest);
    OK(MPI_Intercomm_merge(left, side, &merged));
    OK(MPI_Comm_size(merged, &size));
    CHECK(size == now + rest);
    check_same(merged, size);
    OK(MPI_Comm_free(&left));
    return merged;
}

/* A member of one group revokes its communicator while others wait in the creation: both groups fail, and can try again. */
static void revoked_local(MPI_Comm comm, int revoking)
{
    MPI_Comm local, inter, again;
    int side = me % 2, rank, size, first[2], lowest[2];
    OK(MPI_Comm_rank(comm, &rank));
    first[side] = rank;
    first[!side] = all;
    OK(MPI_Allreduce(first, lowest, 2, MPI_INT, MPI_MIN, comm));
    OK(MPI_Comm_split(comm, side, 0, &local));
    OK(MPI_Comm_size(local, &size));
    OK(MPI_Comm_rank(local, &rank));
    if (side == revoking && rank == size - 1)
        OK(MPIX_Comm_revoke(local));
    if (size > 1 || side != revoking)
        FAILS(MPI_Intercomm_create(local, 0, comm, lowest[!side], TAG, &inter), MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&local));
    OK(make(comm, &again, &inter));
    OK(MPI_Barrier(inter));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&again));
}

/* The communicator of the leaders is revoked, and the other group never comes. */
static void revoked_peer(MPI_Comm comm)
{
    MPI_Comm local, peer, inter;
    int side = me % 2, rank, first[2], lowest[2];
    OK(MPI_Comm_dup(comm, &peer));
    OK(MPI_Comm_rank(comm, &rank));
    first[side] = rank;
    first[!side] = all;
    OK(MPI_Allreduce(first, lowest, 2, MPI_INT, MPI_MIN, comm));
    OK(MPI_Comm_split(comm, side, 0, &local));
    if (side)
        OK(MPIX_Comm_revoke(peer));
    else
        FAILS(MPI_Intercomm_create(local, 0, peer, lowest[!side], TAG, &inter), MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&local));
    OK(MPI_Comm_free(&peer));
}

int main(int argc, char **argv)
{
    MPI_Comm comm, local, inter;
    begin(&argc, &argv, 40);
    int victim = argc > 1 ? atoi(argv[1]) : 0, last = all % 2 ? all - 1 : all - 2;
    dead_before(victim);
    comm = shrunk(MPI_COMM_WORLD);
    OK(make(comm, &local, &inter));
    OK(MPI_Comm_free(&local));
    dead_after(inter, last);
    OK(MPI_Comm_free(&comm));
    comm = repaired(inter);
    OK(MPI_Comm_free(&inter));
    revoked_local(comm, 0);
    revoked_local(comm, 1);
    revoked_peer(comm);
    OK(make(comm, &local, &inter));
    OK(MPI_Barrier(inter));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
    OK(MPI_Comm_free(&comm));
    return end();
}
