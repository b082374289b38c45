/* inter_random: random intercommunicators: the world in two groups of any order, messages and collectives of both, parts of them made by
 * MPI_Comm_split and MPI_Comm_create, and one communicator of all by MPI_Intercomm_merge. Every answer and all that is received is
 * compared with what the standard says, which the program computes by itself: the MPIs left alone are no oracle here, since both hang in
 * collectives of some small intercommunicators (Open MPI 4.1.4, MPICH 4.0.2). Usage: inter_random FIRST COUNT */
#include "check.h"

#include <stdbool.h>

enum { MOST = 16, BLOCK = 40, ROOM = MOST * BLOCK };

static unsigned long long state, now; /* now: the seed */

#define RIGHT(x)                                                       \
    do {                                                               \
        if (!(x))                                                      \
            fprintf(stderr, "rank %d: seed %llu is wrong\n", me, now); \
        CHECK(x);                                                      \
    } while (0)

/* ---- chance: the same at all --------------------------------------------------------------------------------------------------------- */

static int chance(int below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)below);
}

/* ---- two groups ----------------------------------------------------------------------------------------------------------------------- */

/* Of an intercommunicator, as this process sees it. `first`: its group is the one whose leader chance named first. */
struct inter {
    MPI_Comm comm;
    bool first;
    int rank, size, others;
    int mine[MOST], theirs[MOST]; /* the ranks in the world */
};

static void check_group(MPI_Group group, const int *wanted, int count)
{
    MPI_Group world;
    int in_world;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    RIGHT(group_size(group) == count);
    for (int i = 0; i < count; i++) {
        OK(MPI_Group_translate_ranks(group, 1, &i, world, &in_world));
        RIGHT(in_world == wanted[i]);
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&group));
}

/* `inter` has what is wanted. */
static void check_inter(struct inter *inter, MPI_Comm comm)
{
    MPI_Group group;
    int flag, rank, size;
    inter->comm = comm;
    OK(MPI_Comm_test_inter(comm, &flag));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    RIGHT(flag && size == inter->size && inter->mine[rank] == me);
    inter->rank = rank;
    OK(MPI_Comm_remote_size(comm, &size));
    RIGHT(size == inter->others);
    OK(MPI_Comm_group(comm, &group));
    check_group(group, inter->mine, inter->size);
    OK(MPI_Comm_remote_group(comm, &group));
    check_group(group, inter->theirs, inter->others);
}

/* Those of `from` that have this colour, by key; arrays by rank in the world. */
static int choose(const int *of, int count, const int *color, int wanted, const int *key, int *chosen)
{
    int size = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < count; i++)
            if (color[of[i]] == wanted && key[of[i]] == k)
                chosen[size++] = of[i];
    return size;
}

/* Everybody draws for all. */
static void draw(int *value, int below)
{
    for (int i = 0; i < all; i++)
        value[i] = chance(below);
}

static struct inter make(MPI_Comm *local)
{
    struct inter inter = {0};
    int side[MOST], key[MOST], world[MOST], tag = chance(100), leader[2] = {chance(1000), chance(1000)};
    MPI_Comm comm;
    draw(side, 2);
    draw(key, 3);
    side[0] = 0;
    side[1] = 1;
    for (int i = 0; i < all; i++)
        world[i] = i;
    inter.first = side[me] == 0;
    inter.size = choose(world, all, side, side[me], key, inter.mine);
    inter.others = choose(world, all, side, !side[me], key, inter.theirs);
    OK(MPI_Comm_split(MPI_COMM_WORLD, side[me], key[me], local));
    OK(MPI_Intercomm_create(*local, leader[side[me]] % inter.size, MPI_COMM_WORLD,
                            inter.theirs[leader[!side[me]] % inter.others], tag, &comm));
    check_inter(&inter, comm);
    return inter;
}

/* ---- messages -------------------------------------------------------------------------------------------------------------------------- */

/* Everybody of one group sends to one of the other, chosen by chance. */
static void messages(const struct inter *inter)
{
    int many = chance(2) ? 1 : BLOCK, spread = 1 + chance(5), got[BLOCK], sent[BLOCK];
    bool from_first = chance(2), any = chance(2), sync = chance(2);
    MPI_Status status;
    for (int i = 0; i < BLOCK; i++)
        sent[i] = 1000 * me + i;
    if (inter->first == from_first) {
        int to = inter->rank * spread % inter->others;
        if (sync)
            OK(MPI_Ssend(sent, many, MPI_INT, to, inter->rank, inter->comm));
        else
            OK(MPI_Send(sent, many, MPI_INT, to, inter->rank, inter->comm));
        return;
    }
    for (int i = 0; i < inter->others; i++)
        if (i * spread % inter->size == inter->rank) {
            OK(MPI_Probe(any ? MPI_ANY_SOURCE : i, i, inter->comm, &status));
            RIGHT(status.MPI_SOURCE == i);
            OK(MPI_Recv(got, BLOCK, MPI_INT, i, any ? i : MPI_ANY_TAG, inter->comm, &status));
            RIGHT(status.MPI_SOURCE == i && status.MPI_TAG == i);
            for (int k = 0; k < many; k++)
                RIGHT(got[k] == 1000 * inter->theirs[i] + k);
        }
}

/* ---- collectives ----------------------------------------------------------------------------------------------------------------------- */

static int from[ROOM], into[ROOM], wanted[ROOM], counts[MOST], displs[MOST], out_counts[MOST], out_displs[MOST];
static MPI_Datatype types[MOST];

/* What the member of one group at `a` gives one of the other at `b`: the same at both. */
static int between(int seed, bool first, int mine, int other)
{
    int a = first ? mine : other, b = first ? other : mine;
    return (seed + 7 * a + 3 * b) % 6;
}

static int lay(const struct inter *inter, int seed, int *count, int *displ, int backwards)
{
    int offset = 0;
    for (int i = 0; i < inter->others; i++) {
        int which = backwards ? inter->others - 1 - i : i;
        count[which] = between(seed, inter->first, inter->rank, which);
        displ[which] = offset;
        offset += count[which] + (backwards ? 1 : 0);
    }
    return offset;
}

/* The name of the root, and how many of its own blocks a member has. */
static int root_name(const struct inter *inter, bool root_first, int number)
{
    int roots = inter->first == root_first ? inter->size : inter->others, root = number % roots;
    if (inter->first != root_first)
        return root;
    return inter->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

enum {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    KINDS
};

struct arguments {
    int root, count;
    MPI_Op op;
};

static int call(const struct inter *inter, int kind, const struct arguments *a)
{
    int n = a->count, root = a->root;
    MPI_Comm c = inter->comm;
    switch (kind) {
    case BARRIER:
        return MPI_Barrier(c);
    case BCAST:
        return MPI_Bcast(root == MPI_ROOT ? from : into, n, MPI_INT, root, c);
    case GATHER:
        return MPI_Gather(from, n, MPI_INT, into, n, MPI_INT, root, c);
    case GATHERV:
        return MPI_Gatherv(from, n, MPI_INT, into, counts, displs, MPI_INT, root, c);
    case SCATTER:
        return MPI_Scatter(from, n, MPI_INT, into, n, MPI_INT, root, c);
    case SCATTERV:
        return MPI_Scatterv(from, counts, displs, MPI_INT, into, n, MPI_INT, root, c);
    case ALLGATHER:
        return MPI_Allgather(from, n, MPI_INT, into, n, MPI_INT, c);
    case ALLGATHERV:
        return MPI_Allgatherv(from, n, MPI_INT, into, counts, displs, MPI_INT, c);
    case ALLTOALL:
        return MPI_Alltoall(from, n, MPI_INT, into, n, MPI_INT, c);
    case ALLTOALLV:
        return MPI_Alltoallv(from, out_counts, out_displs, MPI_INT, into, counts, displs, MPI_INT, c);
    case ALLTOALLW:
        return MPI_Alltoallw(from, out_counts, out_displs, types, into, counts, displs, types, c);
    case REDUCE:
        return MPI_Reduce(from, into, n, MPI_INT, a->op, root, c);
    case ALLREDUCE:
        return MPI_Allreduce(from, into, n, MPI_INT, a->op, c);
    case REDUCE_SCATTER:
        return MPI_Reduce_scatter(from, into, counts, MPI_INT, a->op, c);
    default:
        return MPI_Reduce_scatter_block(from, into, n, MPI_INT, a->op, c);
    }
}

static int call_later(const struct inter *inter, int kind, const struct arguments *a, MPI_Request *r)
{
    int n = a->count, root = a->root;
    MPI_Comm c = inter->comm;
    switch (kind) {
    case BARRIER:
        return MPI_Ibarrier(c, r);
    case BCAST:
        return MPI_Ibcast(root == MPI_ROOT ? from : into, n, MPI_INT, root, c, r);
    case GATHER:
        return MPI_Igather(from, n, MPI_INT, into, n, MPI_INT, root, c, r);
    case GATHERV:
        return MPI_Igatherv(from, n, MPI_INT, into, counts, displs, MPI_INT, root, c, r);
    case SCATTER:
        return MPI_Iscatter(from, n, MPI_INT, into, n, MPI_INT, root, c, r);
    case SCATTERV:
        return MPI_Iscatterv(from, counts, displs, MPI_INT, into, n, MPI_INT, root, c, r);
    case ALLGATHER:
        return MPI_Iallgather(from, n, MPI_INT, into, n, MPI_INT, c, r);
    case ALLGATHERV:
        return MPI_Iallgatherv(from, n, MPI_INT, into, counts, displs, MPI_INT, c, r);
    case ALLTOALL:
        return MPI_Ialltoall(from, n, MPI_INT, into, n, MPI_INT, c, r);
    case ALLTOALLV:
        return MPI_Ialltoallv(from, out_counts, out_displs, MPI_INT, into, counts, displs, MPI_INT, c, r);
    case ALLTOALLW:
        return MPI_Ialltoallw(from, out_counts, out_displs, types, into, counts, displs, types, c, r);
    case REDUCE:
        return MPI_Ireduce(from, into, n, MPI_INT, a->op, root, c, r);
    case ALLREDUCE:
        return MPI_Iallreduce(from, into, n, MPI_INT, a->op, c, r);
    case REDUCE_SCATTER:
        return MPI_Ireduce_scatter(from, into, counts, MPI_INT, a->op, c, r);
    default:
        return MPI_Ireduce_scatter_block(from, into, n, MPI_INT, a->op, c, r);
    }
}

/* Counts that differ from member to member: those of the other group, as it knows them itself. */
static void lay_for(const struct inter *inter, int kind, int seed, struct arguments *a)
{
    if (kind == ALLTOALLV || kind == ALLTOALLW) {
        lay(inter, seed, counts, displs, seed % 2);
        lay(inter, seed, out_counts, out_displs, 0);
        for (int i = 0; i < inter->others && kind == ALLTOALLW; i++) {
            displs[i] *= (int)sizeof(int);
            out_displs[i] *= (int)sizeof(int);
        }
    }
    if (kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV)
        for (int i = 0, offset = 0; i < inter->others; i++) {
            counts[i] = (seed + i) % 5;
            displs[i] = offset;
            offset += counts[i] + 1;
        }
    if (kind == GATHERV || kind == SCATTERV || kind == ALLGATHERV)
        a->count = (seed + inter->rank) % 5;
    if (kind == REDUCE_SCATTER_BLOCK) /* as much for one group as for the other */
        a->count = inter->others * (1 + seed % 2);
    if (kind == REDUCE_SCATTER)
        for (int i = 0; i < inter->size; i++) /* 12 in all */
            counts[i] = i == 0 ? 12 - (inter->size - 1) : 1;
}

/* ---- what the standard says ------------------------------------------------------------------------------------------------------------ */

static int base; /* of this collective */

static int given(int world, int i)
{
    return base + 100 * world + i;
}

static void want(int offset, int world, int first, int count)
{
    for (int i = 0; i < count; i++)
        wanted[offset + i] = given(world, first + i);
}

static int folded(const struct inter *inter, MPI_Op op, int i)
{
    int result = given(inter->theirs[0], i);
    for (int r = 1; r < inter->others; r++) {
        int other = given(inter->theirs[r], i);
        if (op == MPI_SUM)
            result += other;
        else if (op == MPI_BXOR)
            result ^= other;
        else if ((op == MPI_MAX) == (other > result))
            result = other;
    }
    return result;
}

static void want_folded(const struct inter *inter, MPI_Op op, int first, int count)
{
    for (int i = 0; i < count; i++)
        wanted[i] = folded(inter, op, first + i);
}

/* Where the root of a scatterv, or a member in alltoallv, has what it sends to this one. */
static int place_at(const struct inter *inter, int kind, int seed, int sender)
{
    int offset = 0;
    for (int i = 0; i < inter->rank; i++)
        offset += kind == SCATTERV ? (seed + i) % 5 + 1 : between(seed, !inter->first, sender, i);
    return offset;
}

static void want_of(const struct inter *inter, int kind, int seed, int r, const struct arguments *a)
{
    int n = a->count, world = inter->theirs[r];
    if (kind == GATHER || kind == ALLGATHER)
        want(r * n, world, 0, n);
    if (kind == GATHERV || kind == ALLGATHERV)
        want(displs[r], world, 0, counts[r]);
    if (kind == ALLTOALL)
        want(r * n, world, inter->rank * n, n);
    if (kind == ALLTOALLV)
        want(displs[r], world, place_at(inter, kind, seed, r), counts[r]);
    if (kind == ALLTOALLW)
        want(displs[r] / (int)sizeof(int), world, place_at(inter, kind, seed, r), counts[r]);
}

static void want_all(const struct inter *inter, int kind, int seed, const struct arguments *a)
{
    bool rooted =
        kind == BCAST || kind == SCATTER || kind == SCATTERV || kind == GATHER || kind == GATHERV || kind == REDUCE;
    bool root = a->root == MPI_ROOT, gets = a->root >= 0;
    int n = a->count, before = 0;
    for (int r = 0; r < inter->others && (!rooted || root); r++)
        want_of(inter, kind, seed, r, a);
    if (kind == BCAST && gets)
        want(0, inter->theirs[a->root], 0, n);
    if (kind == SCATTER && gets)
        want(0, inter->theirs[a->root], inter->rank * n, n);
    if (kind == SCATTERV && gets)
        want(0, inter->theirs[a->root], place_at(inter, kind, seed, a->root), n);
    if (kind == ALLREDUCE || (kind == REDUCE && root))
        want_folded(inter, a->op, 0, n);
    for (int i = 0; i < inter->rank; i++)
        before += kind == REDUCE_SCATTER ? counts[i] : n;
    if (kind == REDUCE_SCATTER || kind == REDUCE_SCATTER_BLOCK)
        want_folded(inter, a->op, before, kind == REDUCE_SCATTER ? counts[inter->rank] : n);
}

static void collective(const struct inter *inter)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_MIN};
    int kind = chance(KINDS), seed = chance(1000), number = chance(1000), op = chance(4);
    bool root_first = chance(2), later = chance(2);
    struct arguments a = {.op = ops[op], .count = chance(4) ? chance(8) : chance(BLOCK)};
    MPI_Request request;
    base = chance(100000);
    a.root = root_name(inter, root_first, number);
    lay_for(inter, kind, seed, &a);
    for (int i = 0; i < ROOM; i++) {
        from[i] = given(me, i);
        into[i] = wanted[i] = -1;
    }
    want_all(inter, kind, seed, &a);
    if (later) {
        OK(call_later(inter, kind, &a, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        OK(call(inter, kind, &a));
    }
    if (memcmp(into, wanted, sizeof into) != 0)
        fprintf(stderr, "rank %d: seed %llu: collective %d, %s\n", me, now, kind, later ? "later" : "at once");
    RIGHT(memcmp(into, wanted, sizeof into) == 0);
}

/* ---- communicators ---------------------------------------------------------------------------------------------------------------------- */

static void some(const struct inter *inter, int times)
{
    for (int i = 0; i < times; i++)
        if (chance(4) == 0)
            messages(inter);
        else
            collective(inter);
}

static void merge(const struct inter *inter)
{
    int high[2] = {chance(2), chance(2)}, rank, sum, size, place = inter->rank;
    MPI_Comm merged;
    OK(MPI_Intercomm_merge(inter->comm, high[!inter->first], &merged));
    OK(MPI_Comm_rank(merged, &rank));
    OK(MPI_Comm_size(merged, &size));
    if (high[!inter->first] > high[inter->first])
        place += inter->others;
    RIGHT(size == inter->size + inter->others && (rank == place || high[0] == high[1]));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged));
    RIGHT(sum == size * (size - 1) / 2);
    OK(MPI_Comm_free(&merged));
}

/* A part of it. What members do next they draw together: also those that are in no part. */
static void go_on(struct inter *part, MPI_Comm made, bool member)
{
    unsigned long long after = state;
    RIGHT((made != MPI_COMM_NULL) == (member && part->size > 0 && part->others > 0));
    if (made != MPI_COMM_NULL) {
        check_inter(part, made);
        some(part, 2);
        OK(MPI_Comm_free(&made));
    }
    state = after + 1;
}

static void split(const struct inter *inter)
{
    struct inter part = {.first = inter->first};
    int color[MOST], key[MOST];
    MPI_Comm made;
    draw(color, 3);
    draw(key, 3);
    part.size = choose(inter->mine, inter->size, color, color[me], key, part.mine);
    part.others = choose(inter->theirs, inter->others, color, color[me], key, part.theirs);
    OK(MPI_Comm_split(inter->comm, color[me] == 2 ? MPI_UNDEFINED : color[me], key[me], &made));
    go_on(&part, made, color[me] != 2);
}

static void copy(const struct inter *inter)
{
    struct inter copied = *inter;
    MPI_Comm made;
    int result;
    OK(MPI_Comm_dup(inter->comm, &made));
    OK(MPI_Comm_compare(inter->comm, made, &result));
    RIGHT(result == MPI_CONGRUENT);
    go_on(&copied, made, true);
}

/* So many of a group, from the last on. */
static int last_of(const int *group, int count, int most, int *part)
{
    int size = most < count ? most : count;
    for (int i = 0; i < size; i++)
        part[i] = group[count - 1 - i];
    return size;
}

static void create(const struct inter *inter)
{
    struct inter created = {.first = inter->first};
    int most = 1 + chance(3), rank[MOST];
    MPI_Group group, part;
    MPI_Comm made;
    created.size = last_of(inter->mine, inter->size, most, created.mine);
    created.others = last_of(inter->theirs, inter->others, most, created.theirs);
    for (int i = 0; i < created.size; i++)
        rank[i] = inter->size - 1 - i;
    OK(MPI_Comm_group(inter->comm, &group));
    OK(MPI_Group_incl(group, created.size, rank, &part));
    OK(MPI_Comm_create(inter->comm, part, &made));
    go_on(&created, made, inter->rank >= inter->size - created.size);
    OK(MPI_Group_free(&part));
    OK(MPI_Group_free(&group));
}

/* ------------------------------------------------------------------------------------------------------------------------------------------- */

static void seed(void)
{
    static void (*const acts[])(const struct inter *inter) = {merge, split, copy, create, split};
    MPI_Comm local;
    state = now * 0x9e3779b97f4a7c15ull;
    chance(2);
    struct inter inter = make(&local);
    some(&inter, 4);
    acts[chance(sizeof acts / sizeof *acts)](&inter);
    if (chance(2))
        OK(MPI_Comm_free(&local));
    some(&inter, 2);
    acts[chance(sizeof acts / sizeof *acts)](&inter);
    OK(MPI_Comm_free(&inter.comm));
    if (local != MPI_COMM_NULL)
        OK(MPI_Comm_free(&local));
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                       count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    begin(&argc, &argv, 50);
    for (int i = 0; i < MOST; i++)
        types[i] = MPI_INT;
    for (now = first; now < first + count; now++)
        seed();
    return end();
}
