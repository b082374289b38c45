/* sem_inter.c: intercommunicators without deaths: creation, queries, messages, collectives, merge, dup, split, create, ULFM calls. */
#include "check.h"

enum { TAG = 7, MOST = 16 };

static MPI_Comm local, inter;
static int side, mine, others, my_rank; /* of two groups: the even ranks, the odd ones */

/* The world's rank of one of the remote group. */
static int remote_me(int rank)
{
    return 2 * rank + !side;
}

static void make(void)
{
    int flag = -1, size = -1, rank = -1;
    side = me % 2;
    OK(MPI_Comm_split(MPI_COMM_WORLD, side, 0, &local));
    OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, !side, TAG, &inter));
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag == 1);
    OK(MPI_Comm_test_inter(local, &flag));
    CHECK(flag == 0);
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_rank(inter, &rank));
    OK(MPI_Comm_remote_size(inter, &others));
    mine = (all + 1 - side) / 2;
    my_rank = me / 2;
    CHECK(size == mine && rank == my_rank && others == all - mine);
    FAILS(MPI_Comm_remote_size(local, &size), MPI_ERR_COMM);
}

static void check_group(MPI_Group group, int parity, int size)
{
    MPI_Group world;
    int rank[MOST], in_world[MOST];
    CHECK(group_size(group) == size);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < size; i++)
        rank[i] = i;
    OK(MPI_Group_translate_ranks(group, size, rank, world, in_world));
    for (int i = 0; i < size; i++)
        CHECK(in_world[i] == 2 * i + parity);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&group));
}

static void groups(void)
{
    MPI_Group group;
    OK(MPI_Comm_group(inter, &group));
    check_group(group, side, mine);
    OK(MPI_Comm_remote_group(inter, &group));
    check_group(group, !side, others);
}

static void messages(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int to = my_rank % others, got = -1, flag = 0;
    OK(MPI_Isend(&me, 1, MPI_INT, to, my_rank, inter, &request));
    for (int i = 0; i < others; i++)
        if (i % mine == my_rank) {
            OK(MPI_Probe(i, MPI_ANY_TAG, inter, &status));
            CHECK(status.MPI_SOURCE == i && status.MPI_TAG == i);
            OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, i, inter, &status));
            CHECK(status.MPI_SOURCE == i && got == remote_me(i));
        }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (my_rank < others && my_rank < mine && my_rank < (mine < others ? mine : others)) {
        OK(MPI_Sendrecv(&me, 1, MPI_INT, my_rank, 3, &got, 1, MPI_INT, my_rank, 3, inter, &status));
        CHECK(got == remote_me(my_rank) && status.MPI_SOURCE == my_rank);
        OK(MPI_Issend(&me, 1, MPI_INT, my_rank, 4, inter, &request));
        while (!flag)
            OK(MPI_Improbe(MPI_ANY_SOURCE, 4, inter, &flag, &message, &status));
        CHECK(status.MPI_SOURCE == my_rank);
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
        CHECK(got == remote_me(my_rank));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    FAILS(MPI_Send(&me, 1, MPI_INT, others, 0, inter), MPI_ERR_RANK);
    OK(MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 0, inter));
}

static int sum_of_remote(void)
{
    int sum = 0;
    for (int i = 0; i < others; i++)
        sum += remote_me(i);
    return sum;
}

/* Every rank of both groups is the root once. */
static void rooted(int root_side, int root)
{
    int is_root = side == root_side && my_rank == root, block[MOST], value = is_root ? 1000 + me : -1;
    int name = side != root_side ? root : is_root ? MPI_ROOT : MPI_PROC_NULL, got = -1;
    OK(MPI_Bcast(&value, 1, MPI_INT, name, inter));
    CHECK(side != root_side ? value == 1000 + remote_me(root) : value == (is_root ? 1000 + me : -1));
    for (int i = 0; i < MOST; i++)
        block[i] = -1;
    OK(MPI_Gather(&me, 1, MPI_INT, block, 1, MPI_INT, name, inter));
    for (int i = 0; i < others; i++)
        CHECK(block[i] == (is_root ? remote_me(i) : -1));
    for (int i = 0; i < MOST; i++)
        block[i] = 50 * me + i;
    OK(MPI_Scatter(block, 1, MPI_INT, &got, 1, MPI_INT, name, inter));
    CHECK(side != root_side ? got == 50 * remote_me(root) + my_rank : got == -1);
    got = -1;
    OK(MPI_Reduce(&me, &got, 1, MPI_INT, MPI_SUM, name, inter));
    CHECK(got == (is_root ? sum_of_remote() : -1));
}

static void collectives(void)
{
    int block[MOST], out[MOST], got = -1, product = mine * others;
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < (all + 1 - s) / 2; r++)
            rooted(s, r);
    OK(MPI_Barrier(inter));
    OK(MPI_Allgather(&me, 1, MPI_INT, block, 1, MPI_INT, inter));
    for (int i = 0; i < others; i++)
        CHECK(block[i] == remote_me(i));
    for (int i = 0; i < others; i++)
        out[i] = 100 * me + i;
    OK(MPI_Alltoall(out, 1, MPI_INT, block, 1, MPI_INT, inter));
    for (int i = 0; i < others; i++)
        CHECK(block[i] == 100 * remote_me(i) + my_rank);
    OK(MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_SUM, inter));
    CHECK(got == sum_of_remote());
    int *all_of = malloc((size_t)product * sizeof *all_of), *piece = malloc((size_t)others * sizeof *piece);
    for (int i = 0; i < product; i++)
        all_of[i] = me + i;
    OK(MPI_Reduce_scatter_block(all_of, piece, others, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < others; i++)
        CHECK(piece[i] == sum_of_remote() + others * (my_rank * others + i));
    free(all_of);
    free(piece);
    FAILS(MPI_Scan(&me, &got, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    FAILS(MPI_Bcast(&got, 1, MPI_INT, others, inter), MPI_ERR_ROOT);
}

/* Order: those who are low first. */
static void merges(void)
{
    for (int highs = 0; highs < 4; highs++) {
        int high = side ? highs / 2 : highs % 2, rank, size, flag, even_first = highs == 2 || highs == 0 || highs == 3;
        MPI_Comm merged;
        OK(MPI_Intercomm_merge(inter, high, &merged));
        OK(MPI_Comm_test_inter(merged, &flag));
        OK(MPI_Comm_rank(merged, &rank));
        OK(MPI_Comm_size(merged, &size));
        CHECK(!flag && size == all);
        CHECK(rank == my_rank + ((side == 0) == even_first ? 0 : others));
        OK(MPI_Barrier(merged));
        OK(MPI_Comm_free(&merged));
    }
    MPI_Comm none;
    FAILS(MPI_Intercomm_merge(local, 0, &none), MPI_ERR_COMM);
}

static void dups(void)
{
    MPI_Comm copy;
    MPI_Request request;
    int result = -1, got = -1;
    OK(MPI_Comm_dup(inter, &copy));
    OK(MPI_Comm_compare(inter, copy, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(inter, inter, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Comm_compare(inter, local, &result));
    CHECK(result == MPI_UNEQUAL);
    OK(MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_SUM, copy));
    CHECK(got == sum_of_remote());
    OK(MPI_Comm_disconnect(&copy));
    OK(MPI_Comm_idup(inter, &copy, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(copy));
    OK(MPI_Comm_free(&copy));
}

/* By the parity of the local rank, in reverse order; a colour of one group only makes nothing. */
static void splits(void)
{
    MPI_Comm part;
    int size, remote, got = -1, sum = 0, count[2] = {0, 0};
    for (int i = 0; i < all; i++)
        if (i / 2 % 2 == my_rank % 2)
            count[i % 2]++, sum += i % 2 != side ? i : 0;
    OK(MPI_Comm_split(inter, my_rank % 2, -me, &part));
    CHECK((part == MPI_COMM_NULL) == (count[0] == 0 || count[1] == 0));
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_size(part, &size));
        OK(MPI_Comm_remote_size(part, &remote));
        CHECK(size == count[side] && remote == count[!side]);
        OK(MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_SUM, part));
        CHECK(got == sum);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_split(inter, side, 0, &part));
    CHECK(part == MPI_COMM_NULL);
    OK(MPI_Comm_split(inter, MPI_UNDEFINED, 0, &part));
    CHECK(part == MPI_COMM_NULL);
}

/* The first of each group. */
static void creates(void)
{
    MPI_Group group, first;
    MPI_Comm part;
    int zero = 0, got = -1;
    OK(MPI_Comm_group(inter, &group));
    OK(MPI_Group_incl(group, 1, &zero, &first));
    OK(MPI_Comm_create(inter, first, &part));
    CHECK((part != MPI_COMM_NULL) == (my_rank == 0));
    if (part != MPI_COMM_NULL) {
        OK(MPI_Sendrecv(&me, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE));
        CHECK(got == !side);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_create(inter, side ? first : MPI_GROUP_EMPTY, &part));
    CHECK(part == MPI_COMM_NULL);
    OK(MPI_Group_free(&first));
    OK(MPI_Group_free(&group));
}

/* The flags of the remote group; a shrink with nobody dead; a revoke. */
static void ulfm(void)
{
    int flag = side ? 6 : 3, size;
    MPI_Comm whole, none;
    MPI_Group failed;
    MPI_Request request;
    OK(MPIX_Comm_agree(inter, &flag));
    CHECK(flag == (side ? 3 : 6));
    flag = ~(1 << my_rank) & (side ? ~0x10000 : ~0);
    OK(MPIX_Comm_iagree(inter, &flag, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(flag == (~((1 << others) - 1) & (side ? ~0 : ~0x10000)));
    OK(MPIX_Comm_get_failed(inter, &failed));
    CHECK(group_size(failed) == 0);
    OK(MPI_Group_free(&failed));
    OK(MPIX_Comm_shrink(inter, &whole));
    OK(MPI_Comm_remote_size(whole, &size));
    CHECK(size == others);
    meet(whole);
    if (me == 0)
        OK(MPIX_Comm_revoke(whole));
    CHECK(CODE(MPI_Recv(&size, 1, MPI_INT, 0, 0, whole, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    OK(MPIX_Comm_is_revoked(whole, &flag));
    CHECK(flag == 1);
    FAILS(MPI_Barrier(whole), MPIX_ERR_REVOKED);
    FAILS(MPI_Intercomm_merge(whole, side, &none), MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&whole));
}

/* Groups that are not disjoint, wrong ranks and tags. */
static void wrong(void)
{
    MPI_Comm made = MPI_COMM_WORLD;
    FAILS(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 1, TAG, &made), MPI_ERR_COMM);
    CHECK(made == MPI_COMM_NULL);
    FAILS(MPI_Intercomm_create(local, mine, MPI_COMM_WORLD, !side, TAG, &made), MPI_ERR_RANK);
    FAILS(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, all, TAG, &made), MPI_ERR_RANK);
    FAILS(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, !side, -1, &made), MPI_ERR_TAG);
}

static int copied, deleted;
static int copy_attr(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    *(void **)out = in;
    *flag = 1;
    copied++;
    return MPI_SUCCESS;
}

static int delete_attr(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int keyval, flag = 0, *value = NULL;
    MPI_Comm copy;
    OK(MPI_Comm_create_keyval(copy_attr, delete_attr, &keyval, NULL));
    OK(MPI_Comm_set_attr(inter, keyval, &me));
    OK(MPI_Comm_dup(inter, &copy));
    OK(MPI_Comm_get_attr(copy, keyval, &value, &flag));
    CHECK(flag && value == &me && copied == 1);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_delete_attr(inter, keyval));
    CHECK(deleted == 2);
    OK(MPI_Comm_free_keyval(&keyval));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    make();
    groups();
    for (int i = 0; i < 5; i++) {
        messages();
        collectives();
    }
    merges();
    dups();
    splits();
    creates();
    attributes();
    wrong();
    OK(MPI_Comm_free(&local)); /* what was made of it lives on */
    for (int i = 0; i < 3; i++)
        messages();
    ulfm();
    return end();
}
