/* oracle_topo: random topologies and collectives of their neighbours: grids with their parts, graphs with several edges between two
 * members and to oneself, blocks of random sizes, places and datatypes, several collectives at once. A line for each seed: a digest of
 * all answers and all that was received, and how much of it is not what the standard says. Usage: oracle_topo FIRST COUNT
 *
 * Left out is what the MPI below does not do as the standard says (docs/design/mpi.md, "Collectives of neighbours"): some cases of several
 * edges from one member to another. topo.c has them. The order of neighbours after MPI_Dist_graph_create is the MPI's own, too: their set is
 * compared. */
#include "neighbors.h"

#include <stdio.h>

enum { DIMS = 4, MOST = 64, AT_ONCE = 3 };

static int me, all;
static unsigned long long state, digest;
static int wrongs;

/* ---- chance: the same at all --------------------------------------------------------------------------------------------------------- */

static int chance(int below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)below);
}

static void note(int value)
{
    digest = (digest ^ (unsigned)value) * 1099511628211ull;
}

static void note_all(const int *values, int count)
{
    for (int i = 0; i < count; i++)
        note(values[i]);
}

static int rank_of(int rank)
{
    return rank == MPI_PROC_NULL ? -1 : rank; /* the MPIs have different numbers for it */
}

/* ---- what the MPI below does right ---------------------------------------------------------------------------------------------------- */

static int doubles(const int *list, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            found += list[i] == list[j] && list[i] != MPI_PROC_NULL;
    return found;
}

/* Has a grid more than one direction in which everybody is its own neighbour? */
static bool many_loops(const struct near *near)
{
    int loops = 0;
    for (int i = 0; i < near->in && near->cart; i++)
        loops += near->from[i] == near->rank;
    return loops > 2;
}

/* The same answer at all members. */
static bool is_right_natively(const struct near *near, int kind, bool later)
{
    int mine, any;
#ifdef OPEN_MPI
    mine = near->cart && later && kind >= NEAR_ALLTOALL && doubles(near->from, near->in) > 0;
#else
    (void)later;
    int several = doubles(near->from, near->in) + doubles(near->to, near->out);
    if (kind == NEAR_ALLTOALL)
        mine = near->cart ? many_loops(near) : several > 0;
    else
        mine = kind > NEAR_ALLTOALL && near->cart && several > 0;
    mine |= kind == NEAR_ALLTOALLW && near->in != near->out; /* blocks are not sent */
#endif
    (void)many_loops;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, near->comm);
    return !any;
}

/* ---- collectives ----------------------------------------------------------------------------------------------------------------------- */

/* In an order of the neighbours that is the MPI's own, what is received has no digest. */
static void finish(struct near_op *op, bool ordered)
{
    int wrong = 0;
    unsigned long long received = 0;
    near_end(op, &wrong, &received);
    wrongs += wrong;
    if (ordered)
        digest ^= received;
}

/* Some now and some later, all of them under way at once. (Open MPI 4.1.4 crashes when the communicator is freed meanwhile.) */
static void exchange(MPI_Comm comm, bool ordered)
{
    struct near near = near_of(comm, chance(8) ? 1 + chance(6) : 3000, (unsigned)chance(1000));
    struct near_op op[AT_ONCE];
    int begun = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        int kind = chance(NEAR_KINDS);
        bool later = chance(2);
        if (is_right_natively(&near, kind, later))
            near_begin(&near, kind, later, &op[begun++]);
    }
    while (begun > 0)
        finish(&op[--begun], ordered);
    MPI_Comm_free(&comm);
    near_free(&near);
}

/* On itself, or on a copy. */
static void exchange_on(MPI_Comm comm, bool ordered)
{
    MPI_Comm copy = comm;
    if (comm == MPI_COMM_NULL)
        return;
    if (chance(3) == 0) {
        MPI_Comm_dup(comm, &copy);
        MPI_Comm_free(&comm);
    }
    exchange(copy, ordered);
}

/* ---- grids ------------------------------------------------------------------------------------------------------------------------------- */

static void ask_cart(MPI_Comm comm)
{
    int ndims, rank, size, found, source, dest, dims[DIMS], periods[DIMS], coords[DIMS];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Cartdim_get(comm, &ndims);
    MPI_Cart_get(comm, ndims, dims, periods, coords);
    note(rank), note(size), note(ndims);
    note_all(dims, ndims), note_all(periods, ndims), note_all(coords, ndims);
    for (int i = 0; i < 4; i++) {
        MPI_Cart_coords(comm, (rank + i) % size, ndims, coords);
        note_all(coords, ndims);
        for (int d = 0; d < ndims; d++)
            coords[d] += periods[d] ? dims[d] * (i - 2) : 0;
        MPI_Cart_rank(comm, coords, &found);
        note(found);
    }
    for (int d = 0; d < ndims; d++)
        for (int far = -3; far <= 3; far++) {
            MPI_Cart_shift(comm, d, far, &source, &dest);
            note(rank_of(source)), note(rank_of(dest));
        }
}

static void cart(void)
{
    int ndims = 1 + chance(DIMS), size = 1, dims[DIMS], periods[DIMS], remain[DIMS];
    MPI_Comm comm, part;
    for (int i = 0; i < ndims; i++) {
        dims[i] = 1 + chance(all / size);
        size *= dims[i];
        periods[i] = chance(2);
    }
    for (int i = 0; i < ndims; i++)
        remain[i] = chance(2);
    remain[chance(ndims)] = 1; /* of a part without directions MPICH 4.0.2 makes one communicator, not one for each */
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &comm);
    note(comm == MPI_COMM_NULL);
    if (comm == MPI_COMM_NULL)
        return;
    ask_cart(comm);
    MPI_Cart_sub(comm, remain, &part);
    ask_cart(part);
    unsigned long long kept = state; /* parts of one grid may differ in what they go through */
    exchange_on(part, true);
    state = kept + 1;
    exchange_on(comm, true);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------------------------------ */

static int edges, edge[MOST][3]; /* from, to, weight */

static void lay_edges(int nodes)
{
    edges = chance(4 * nodes + 1);
    for (int i = 0; i < edges; i++) {
        edge[i][0] = chance(nodes);
        edge[i][1] = chance(5) ? chance(nodes) : edge[i][0];
        edge[i][2] = chance(100);
    }
}

/* Both ways. */
static void graph(void)
{
    int nodes = 1 + chance(all), ends[MOST], list[2 * MOST], count = 0, n, m;
    MPI_Comm comm;
    lay_edges(nodes);
    for (int v = 0; v < nodes; v++) {
        for (int i = 0; i < edges; i++) {
            if (edge[i][0] == v)
                list[count++] = edge[i][1];
            else if (edge[i][1] == v)
                list[count++] = edge[i][0];
        }
        ends[v] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, nodes, ends, list, 0, &comm);
    note(comm == MPI_COMM_NULL);
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Graphdims_get(comm, &n, &m);
    note(n), note(m);
    MPI_Graph_get(comm, n, m, ends, list);
    note_all(ends, n), note_all(list, m);
    for (int v = 0; v < n; v++) {
        MPI_Graph_neighbors_count(comm, v, &m);
        MPI_Graph_neighbors(comm, v, m, list);
        note(m), note_all(list, m);
    }
    exchange_on(comm, true);
}

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void note_list(const int *list, const int *weights, int count, bool ordered)
{
    int pairs[MOST][2];
    for (int i = 0; i < count; i++)
        pairs[i][0] = list[i], pairs[i][1] = weights[i];
    if (!ordered)
        qsort(pairs, (size_t)count, sizeof *pairs, compare);
    note_all(pairs[0], 2 * count);
}

static void ask_dist_graph(MPI_Comm comm, bool ordered)
{
    int in, out, weighted, from[MOST], to[MOST], in_weights[MOST] = {0}, out_weights[MOST] = {0};
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    note(in), note(out), note(weighted != 0);
    MPI_Dist_graph_neighbors(comm, in, from, weighted ? in_weights : near_unweighted(), out, to,
                             weighted ? out_weights : near_unweighted());
    note_list(from, in_weights, in, ordered);
    note_list(to, out_weights, out, ordered);
}

/* Each has its own order. */
static void adjacent(void)
{
    int in = 0, out = 0, from[MOST], to[MOST], in_weights[MOST], out_weights[MOST];
    bool weighted = chance(2), backwards = me % 2;
    MPI_Comm comm;
    lay_edges(all);
    for (int k = 0; k < edges; k++) {
        int i = backwards ? edges - 1 - k : k;
        if (edge[i][1] == me)
            in_weights[in] = edge[i][2], from[in++] = edge[i][0];
        if (edge[i][0] == me)
            out_weights[out] = edge[i][2], to[out++] = edge[i][1];
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, weighted ? in_weights : near_unweighted(), out, to,
                                   weighted ? out_weights : near_unweighted(), MPI_INFO_NULL, 0, &comm);
    ask_dist_graph(comm, true);
    exchange_on(comm, true);
}

/* Anybody gives any edge; several of one node, or one at a time. */
static void general(void)
{
    int n = 0, m = 0, from[MOST], degrees[MOST], to[MOST], weights[MOST], giver = chance(all + 1);
    bool weighted = chance(2);
    MPI_Comm comm;
    lay_edges(all);
    for (int i = 0; i < edges; i++) {
        if ((giver < all ? giver : chance(all)) != me)
            continue;
        if (n > 0 && from[n - 1] == edge[i][0])
            degrees[n - 1]++;
        else
            from[n] = edge[i][0], degrees[n++] = 1;
        to[m] = edge[i][1], weights[m++] = edge[i][2];
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, n, from, degrees, to, weighted ? weights : near_unweighted(), MPI_INFO_NULL,
                          0, &comm);
    ask_dist_graph(comm, false);
    exchange_on(comm, false);
}

/* ------------------------------------------------------------------------------------------------------------------------------------------- */

/* Is all as the standard says? */
static bool seed(unsigned long long number)
{
    static void (*const cases[])(void) = {cart, cart, graph, adjacent, general};
    unsigned long long total;
    int wrong_in_all = 0;
    state = number * 0x9e3779b97f4a7c15ull;
    digest = 14695981039346656037ull;
    wrongs = 0;
    chance(2);
    cases[chance(sizeof cases / sizeof *cases)]();
    digest *= 2 * (unsigned)me + 1;
    MPI_Reduce(&digest, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrongs, &wrong_in_all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("%llu %016llx %d wrong\n", number, total, wrong_in_all);
    fflush(stdout);
    return wrong_in_all == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                       count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    bool right = true;
    for (unsigned long long i = 0; i < count; i++)
        right &= seed(first + i);
    MPI_Finalize();
    return !right;
}
