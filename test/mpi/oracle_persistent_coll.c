/* oracle_persistent_coll: random persistent collectives on several communicators, some of them at once: kinds, counts, roots, datatypes,
 * operations that do not commute, MPI_IN_PLACE, neighbours. They are started several times, in an order of each
 * rank's own, beside blocking ones, and completed by any call. For each seed a line with a digest of all that was received: the same
 * with any MPI and under the layer. All ranks make the same plan.
 *
 * MPICH 4.0.2 alone cannot do it: it frees datatypes once for each start, and fails in completion calls that find an inactive one. There
 * the MPI left alone does the nonblocking ones instead, in one order. */
#include "oracle_persistent_coll.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t digest;

/* ---- starting -------------------------------------------------------------------------------------------------------------------- */

/* Which of them, in an order of this rank's own. */
static int chosen(int round, int *order)
{
    int count = 0;
    for (int i = 0; i < OPS; i++)
        if (plan[i].rounds >> round & 1)
            order[count++] = i;
    for (int i = count - 1; i > 0 && !stands_in; i--) {
        int other = draw(&own, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return count;
}

static void start(MPI_Request *some, const int *order, int count)
{
    bool at_once = draw(&own, 2);
    for (int i = 0; i < count; i++) {
        if (stands_in)
            make(order[i]);
        some[i] = request[order[i]]; /* handles are copied, as programs do */
        if (!stands_in && !at_once)
            MPI_Start(&some[i]);
    }
    if (!stands_in && at_once)
        MPI_Startall(count, some);
}

static void complete(MPI_Request *some, int count)
{
    MPI_Status status[OPS];
    int index = 0, flag = 0, way = draw(&own, 4);
    for (int i = 0; way == 0 && i < count; i++)
        MPI_Wait(&some[i], status);
    if (way == 1)
        MPI_Waitall(count, some, status);
    while (way == 2 && !flag)
        MPI_Testall(count, some, &flag, status);
    while (way == 3 && index != MPI_UNDEFINED)
        MPI_Waitany(count, some, &index, status);
}

/* Others beside them, on the same communicators. */
static void beside(int round)
{
    int sum = 0, given = me + round, comm = round % COMMS;
    MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, comms[comm]);
    MPI_Bcast(&sum, 1, MPI_INT, 0, comms[comm]);
    digest += mix((uint64_t)sum);
}

/* Of rank 0 MPI_Exscan has nothing to say; nobody but the root has a result of a reduction. */
static bool has_result(const struct plan *p)
{
    if (p->kind == EXSCAN)
        return rank_in[p->comm] > 0;
    return rank_in[p->comm] == p->root || (p->kind != GATHER && p->kind != GATHERV && p->kind != REDUCE);
}

static void record(const int *order, int count, int round)
{
    for (int n = 0; n < count; n++) {
        int i = order[n];
        uint64_t all = mix((uint64_t)me * 64 + (uint64_t)i * 8 + (uint64_t)round);
        for (int k = 0; k < INTS && has_result(&plan[i]); k++)
            all = mix(all + (uint64_t)in[i][k]);
        digest += all;
    }
}

static void run_round(int round)
{
    int order[OPS], count = chosen(round, order);
    MPI_Request some[OPS];
    for (int i = 0; i < count; i++)
        fill(order[i], round);
    start(some, order, count);
    beside(round);
    complete(some, count);
    record(order, count, round);
}

static void run_seed(int seed)
{
    uint64_t total = 0;
    digest = 0;
    make_plan(seed);
    for (int i = 0; i < OPS; i++) {
        arrays[i].type = new_type(plan[i].type);
        request[i] = MPI_REQUEST_NULL;
        if (!stands_in)
            make(i);
    }
    for (int round = 0; round < ROUNDS; round++)
        run_round(round);
    for (int i = 0; i < OPS; i++) {
        if (!stands_in)
            MPI_Request_free(&request[i]);
        if (arrays[i].type != MPI_INT)
            MPI_Type_free(&arrays[i].type);
    }
    MPI_Reduce(&digest, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d %016llx\n", seed, (unsigned long long)total);
}

/* ---- what lasts ------------------------------------------------------------------------------------------------------------------ */

static void begin(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comms[2]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){1}, 0, &comms[AROUND]);
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_rank(comms[i], &rank_in[i]);
        MPI_Comm_size(comms[i], &size_of[i]);
    }
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose_pairs, 0, &compose);
    for (int i = 0; i < OPS; i++) {
        out[i] = malloc(INTS * sizeof(int));
        in[i] = malloc(INTS * sizeof(int));
    }
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 1;
    stands_in = MPI_VERSION >= 4 && !knell_kill_me;
    MPI_Init(&argc, &argv);
    begin();
    for (int seed = first; seed < first + seeds; seed++)
        run_seed(seed);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    for (int i = 0; i < OPS; i++) {
        free(out[i]);
        free(in[i]);
    }
    MPI_Type_free(&pair);
    MPI_Op_free(&compose);
    MPI_Finalize();
    return 0;
}
