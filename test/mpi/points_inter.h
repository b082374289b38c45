/* points_inter.h: for points.c: intercommunicators of the even and the odd ranks. */
#ifndef KNELL_TEST_MPI_POINTS_INTER_H
#define KNELL_TEST_MPI_POINTS_INTER_H

#include "points_coll.h"

static int inter_others(void)
{
    return rank % 2 ? (size + 1) / 2 : size / 2;
}

/* Both groups have what the other one gave. */
static int inter_exchange(MPI_Comm inter)
{
    int one = 1, count = -1, got = -1, peer = rank / 2, others = inter_others();
    int code = CODE(MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, inter));
    CHECK(code != MPI_SUCCESS || count == others);
    if (code == MPI_SUCCESS && (rank ^ 1) < size)
        code = CODE(MPI_Sendrecv(&rank, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, inter, MPI_STATUS_IGNORE));
    CHECK(code != MPI_SUCCESS || (rank ^ 1) >= size || got == (rank ^ 1));
    return code;
}

static int inter_merge(MPI_Comm inter)
{
    MPI_Comm merged;
    int now = -1, one = 1, count = 0, code = CODE(MPI_Intercomm_merge(inter, rank % 2 == 0, &merged));
    if (code != MPI_SUCCESS)
        return code;
    OK(MPI_Comm_rank(merged, &now));
    CHECK(now == rank / 2 + (rank % 2 ? 0 : inter_others()));
    code = CODE(MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, merged));
    CHECK(code != MPI_SUCCESS || count == size);
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(merged));
    OK(MPI_Comm_free(&merged));
    return code;
}

static int inter_split(MPI_Comm inter)
{
    MPI_Comm part;
    int code = CODE(MPI_Comm_split(inter, rank / 2 % 2, 0, &part)), flag = 1;
    if (code != MPI_SUCCESS || part == MPI_COMM_NULL)
        return code;
    code = CODE(MPI_Bcast(&flag, 1, MPI_INT, rank % 2 ? 0 : rank / 2 < 2 ? MPI_ROOT : MPI_PROC_NULL, part));
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(part));
    OK(MPI_Comm_free(&part));
    return code;
}

/* The flags of the other group; then a shrink, which nothing keeps from what it does. */
static int inter_ulfm(MPI_Comm inter)
{
    MPI_Comm left;
    int flag = rank % 2 ? 5 : 3, code = CODE(MPIX_Comm_agree(inter, &flag)), members;
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    CHECK(code != MPI_SUCCESS || flag == (rank % 2 ? 3 : 5));
    OK(MPIX_Comm_shrink(inter, &left));
    OK(MPI_Comm_remote_size(left, &members));
    CHECK(members <= inter_others());
    OK(MPI_Comm_free(&left));
    return code;
}

/* All take part in the last act, whatever came before it. */
static int inter_acts(MPI_Comm inter)
{
    int (*const acts[])(MPI_Comm) = {inter_exchange, inter_merge, inter_split};
    int code = MPI_SUCCESS;
    for (size_t i = 0; i < sizeof acts / sizeof *acts && code == MPI_SUCCESS; i++)
        code = acts[i](inter);
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(inter));
    int last = inter_ulfm(inter);
    OK(MPI_Comm_free(&inter));
    return code != MPI_SUCCESS ? code : last;
}

static int by_inter(void)
{
    MPI_Comm local, inter;
    if (size < 2)
        return MPI_SUCCESS;
    int code = CODE(MPI_Comm_split(comm, rank % 2, 0, &local));
    if (code != MPI_SUCCESS)
        return code;
    code = CODE(MPI_Intercomm_create(local, 0, comm, !(rank % 2), 5, &inter));
    if (code == MPI_SUCCESS)
        code = inter_acts(inter);
    OK(MPI_Comm_free(&local));
    return code;
}

#endif
