/* topo: process topologies and the collectives of neighbours, by the words of the standard: grids of all shapes that fit, graphs with several
 * edges between two members and to oneself, which communicators have a topology, and wrong arguments. */
#include "check.h"
#include "neighbors.h"

/* The class of what the call returns. */
#define GIVES(call, wanted)                    \
    do {                                       \
        int class_ = -1, code_ = CODE(call);   \
        MPI_Error_class(code_, &class_);       \
        CHECK(class_ == (wanted) && #call[0]); \
    } while (0)

static void check_neighbors(MPI_Comm comm)
{
    for (unsigned salt = 0; salt < 4; salt++) {
        struct near near = near_of(comm, salt == 3 ? 5000 : 4, salt);
        for (int kind = 0; kind < NEAR_KINDS; kind++)
            for (int later = 0; later < 2; later++) {
                int wrong = 0;
                unsigned long long digest = 0;
                OK(near_do(&near, kind, later, &wrong, &digest));
                if (wrong)
                    fprintf(stderr, "rank %d: kind %d, %s, salt %u: %d wrong\n", me, kind, later ? "later" : "now",
                            salt, wrong);
                CHECK(wrong == 0);
            }
        near_free(&near);
    }
}

static int kind_of(MPI_Comm comm)
{
    int kind = -7;
    OK(MPI_Topo_test(comm, &kind));
    return kind;
}

/* ---- which communicators have it ----------------------------------------------------------------------------------------------------- */

static void check_children(MPI_Comm comm, void (*check)(MPI_Comm))
{
    MPI_Comm made, again;
    MPI_Request request;
    MPI_Group group;
    OK(MPI_Comm_dup(comm, &made));
    OK(MPI_Comm_idup(made, &again, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&made)); /* the copy's copy needs neither of them */
    check(again);
    OK(MPI_Comm_dup_with_info(again, MPI_INFO_NULL, &made));
    OK(MPI_Comm_free(&again));
    check(made);
    OK(MPI_Comm_split(made, 0, 0, &again));
    CHECK(kind_of(again) == MPI_UNDEFINED);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_group(made, &group));
    OK(MPI_Comm_create(made, group, &again));
    CHECK(kind_of(again) == MPI_UNDEFINED);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_create_group(made, group, 3, &again));
    CHECK(kind_of(again) == MPI_UNDEFINED);
    OK(MPI_Comm_free(&again));
    OK(MPI_Group_free(&group));
    again = shrunk(made);
    CHECK(kind_of(again) == MPI_UNDEFINED);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&made));
}

/* ---- grids --------------------------------------------------------------------------------------------------------------------------- */

enum { DIMS = 3 };
static int ndims, dims[DIMS], periods[DIMS];

/* Row by row. */
static void place(int rank, int *coords)
{
    for (int i = ndims - 1; i >= 0; i--) {
        coords[i] = rank % dims[i];
        rank /= dims[i];
    }
}

static int rank_at(const int *coords)
{
    int rank = 0;
    for (int i = 0; i < ndims; i++) {
        int along = coords[i];
        if (!periods[i] && (along < 0 || along >= dims[i]))
            return MPI_PROC_NULL;
        rank = rank * dims[i] + ((along % dims[i]) + dims[i]) % dims[i];
    }
    return rank;
}

static void check_shifts(MPI_Comm comm, int rank)
{
    int coords[DIMS], source, dest;
    for (int d = 0; d < ndims; d++)
        for (int far = -4; far <= 4; far++) {
            OK(MPI_Cart_shift(comm, d, far, &source, &dest));
            place(rank, coords);
            coords[d] += far;
            CHECK(dest == rank_at(coords));
            coords[d] -= 2 * far;
            CHECK(source == rank_at(coords));
        }
}

static void check_cart(MPI_Comm comm)
{
    int got, size, rank, found, d[DIMS] = {-7, -7, -7}, p[DIMS] = {-7, -7, -7}, c[DIMS] = {-7, -7, -7}, coords[DIMS];
    CHECK(kind_of(comm) == MPI_CART);
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Cartdim_get(comm, &got));
    CHECK(got == ndims);
    OK(MPI_Cart_get(comm, ndims, d, p, c));
    place(rank, coords);
    for (int i = 0; i < DIMS; i++) {
        CHECK(d[i] == (i < ndims ? dims[i] : -7) && c[i] == (i < ndims ? coords[i] : -7));
        CHECK(i < ndims ? !p[i] == !periods[i] : p[i] == -7);
    }
    for (int r = 0; r < size; r++) {
        OK(MPI_Cart_coords(comm, r, ndims, c));
        place(r, coords);
        CHECK(memcmp(c, coords, (size_t)ndims * sizeof *c) == 0);
        for (int i = 0; i < ndims; i++)
            coords[i] += periods[i] ? dims[i] * (r % 3 - 1) : 0;
        OK(MPI_Cart_rank(comm, coords, &found));
        CHECK(found == r);
    }
    check_shifts(comm, rank);
    check_neighbors(comm);
}

/* Each of its parts is the grid of the directions that remain. */
static void check_parts(MPI_Comm comm)
{
    int kept_ndims = ndims, kept[2][DIMS], coords[DIMS], rank, inside;
    memcpy(kept[0], dims, sizeof dims);
    memcpy(kept[1], periods, sizeof periods);
    OK(MPI_Comm_rank(comm, &rank));
    for (int mask = 0; mask < 1 << kept_ndims; mask++) {
        int remain[DIMS], part_coords[DIMS], count = 0;
        MPI_Comm part;
        place(rank, coords);
        for (int i = 0; i < kept_ndims; i++)
            if ((remain[i] = mask >> i & 1))
                part_coords[count++] = coords[i];
        OK(MPI_Cart_sub(comm, remain, &part));
        for (int i = 0, to = 0; i < kept_ndims; i++)
            if (remain[i])
                dims[to] = kept[0][i], periods[to++] = kept[1][i];
        ndims = count;
        OK(MPI_Comm_rank(part, &inside));
        CHECK(inside == rank_at(part_coords));
        check_cart(part);
        OK(MPI_Comm_free(&part));
        ndims = kept_ndims;
        memcpy(dims, kept[0], sizeof dims);
        memcpy(periods, kept[1], sizeof periods);
    }
}

static void with_grid(int n, int a, int b, int c, int mask)
{
    int size = (n > 0 ? a : 1) * (n > 1 ? b : 1) * (n > 2 ? c : 1), mapped = -7;
    MPI_Comm comm;
    if (size > all)
        return;
    ndims = n;
    dims[0] = a, dims[1] = b, dims[2] = c;
    for (int i = 0; i < DIMS; i++)
        periods[i] = mask >> i & 1;
    OK(MPI_Cart_map(MPI_COMM_WORLD, ndims, dims, periods, &mapped));
    CHECK(mapped == (me < size ? me : MPI_UNDEFINED));
    OK(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, mask % 2, &comm));
    CHECK((comm == MPI_COMM_NULL) == (me >= size));
    if (comm == MPI_COMM_NULL)
        return;
    check_cart(comm);
    check_parts(comm);
    if (mask == 5)
        check_children(comm, check_cart);
    OK(MPI_Comm_free(&comm));
}

static void grids(void)
{
    with_grid(0, 0, 0, 0, 0);
    for (int mask = 0; mask < 2; mask++)
        for (int a = 1; a <= 4; a++)
            with_grid(1, a, 0, 0, mask);
    for (int mask = 0; mask < 4; mask++)
        for (int a = 1; a <= 3; a++)
            with_grid(2, a, 3 - a % 2, 0, mask);
    with_grid(2, 1, 1, 0, 3);
    with_grid(3, 1, 2, 2, 5);
    with_grid(3, 1, 1, 1, 7);
    with_grid(3, 3, 1, 2, 7);
    with_grid(3, 2, 1, 3, 2);
}

/* ---- graphs -------------------------------------------------------------------------------------------------------------------------- */

/* Node i has itself, the next one twice with the one before in between, and itself again; without the last rank. */
static int nodes, index_of[16], edge[16 * 8], edges;

static void lay_graph(int count)
{
    nodes = count;
    edges = 0;
    for (int i = 0; i < nodes; i++) {
        int next = (i + 1) % nodes, before = (i + nodes - 1) % nodes;
        int list[] = {i, next, before, next, before, i};
        memcpy(edge + edges, list, sizeof list);
        edges += 6;
        index_of[i] = edges;
    }
}

static void check_graph(MPI_Comm comm)
{
    int n, m, got[16 * 8], ends[16];
    CHECK(kind_of(comm) == MPI_GRAPH);
    OK(MPI_Graphdims_get(comm, &n, &m));
    CHECK(n == nodes && m == edges);
    OK(MPI_Graph_get(comm, n, m, ends, got));
    CHECK(memcmp(ends, index_of, (size_t)n * sizeof *ends) == 0 && memcmp(got, edge, (size_t)m * sizeof *got) == 0);
    for (int r = 0; r < n; r++) {
        OK(MPI_Graph_neighbors_count(comm, r, &m));
        CHECK(m == 6);
        OK(MPI_Graph_neighbors(comm, r, m, got));
        CHECK(memcmp(got, edge + 6 * r, 6 * sizeof *got) == 0);
    }
    got[0] = got[1] = -7;
    OK(MPI_Graph_neighbors(comm, 0, 1, got)); /* no more than there is room for */
    CHECK(got[0] == edge[0] && got[1] == -7);
    check_neighbors(comm);
}

static void graphs(void)
{
    MPI_Comm comm;
    int mapped;
    for (int count = 0; count <= all; count++) {
        lay_graph(count);
        OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index_of, edge, 1, &comm));
        CHECK((comm == MPI_COMM_NULL) == (me >= count));
        if (count > 0) {
            OK(MPI_Graph_map(MPI_COMM_WORLD, nodes, index_of, edge, &mapped));
            CHECK(mapped == (me < count ? me : MPI_UNDEFINED));
        }
        if (comm == MPI_COMM_NULL)
            continue;
        check_graph(comm);
        if (count == 2)
            check_children(comm, check_graph);
        OK(MPI_Comm_free(&comm));
    }
}

/* ---- graphs of which each knows its part ------------------------------------------------------------------------------------------------ */

enum { MOST = 256 };
static int in, out, sources[MOST], dests[MOST], in_weights[MOST], out_weights[MOST];
static bool weighted;

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(int[2]));
}

/* The order is free where others gave the edges; but the weight goes with its edge. */
static void check_list(int count, const int *got, const int *got_weights, const int *want, const int *want_weights,
                       bool ordered)
{
    int a[MOST][2], b[MOST][2];
    for (int i = 0; i < count; i++) {
        a[i][0] = got[i], a[i][1] = weighted ? got_weights[i] : 0;
        b[i][0] = want[i], b[i][1] = weighted ? want_weights[i] : 0;
    }
    if (!ordered) {
        qsort(a, (size_t)count, sizeof *a, compare);
        qsort(b, (size_t)count, sizeof *b, compare);
    }
    CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

static bool in_order;
static void check_dist_graph(MPI_Comm comm)
{
    int i = -1, o = -1, w = -1, s[MOST] = {-7}, d[MOST] = {-7}, sw[MOST] = {-7}, dw[MOST] = {-7};
    CHECK(kind_of(comm) == MPI_DIST_GRAPH);
    OK(MPI_Dist_graph_neighbors_count(comm, &i, &o, &w));
    CHECK(i == in && o == out && !w == !weighted);
    OK(MPI_Dist_graph_neighbors(comm, i, s, weighted ? sw : near_unweighted(), o, d,
                                weighted ? dw : near_unweighted()));
    check_list(in, s, sw, sources, in_weights, in_order);
    check_list(out, d, dw, dests, out_weights, in_order);
    s[0] = d[0] = -7;
    OK(MPI_Dist_graph_neighbors(comm, 0, s, near_unweighted(), 0, d, near_unweighted()));
    CHECK(s[0] == -7 && d[0] == -7);
    check_neighbors(comm);
}

/* From everybody to the next one and the one after, three times in all, and to itself twice; the last rank has nothing. */
static int targets_of(int rank, int *to)
{
    int last = all > 2 ? all - 1 : all, list[] = {(rank + 1) % last, rank, (rank + 2) % last, rank, (rank + 1) % last};
    memcpy(to, list, sizeof list);
    return rank < last ? 5 : 0;
}

static int weight_of(int rank, int k)
{
    return 100 * rank + k;
}

static void lay_adjacent(void)
{
    int to[5];
    in = 0;
    out = targets_of(me, dests);
    for (int k = 0; k < out; k++)
        out_weights[k] = weight_of(me, k);
    for (int r = all - 1; r >= 0; r--)
        for (int k = 0, n = targets_of(r, to); k < n; k++)
            if (to[k] == me) {
                in_weights[in] = weight_of(r, k);
                sources[in++] = r;
            }
}

static void adjacent(void)
{
    MPI_Comm comm;
    int *none = near_unweighted();
    lay_adjacent();
    in_order = true;
    for (int i = 0; i < 2; i++) {
        weighted = i;
        int *sw = !weighted ? none : in > 0 ? in_weights : near_no_weights();
        int *dw = !weighted ? none : out > 0 ? out_weights : near_no_weights();
        OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, sw, out, dests, dw, MPI_INFO_NULL, 1, &comm));
        check_dist_graph(comm);
        if (weighted)
            check_children(comm, check_dist_graph);
        OK(MPI_Comm_free(&comm));
    }
}

/* Rank 0 gives all, or everybody gives the edges of the next one. */
static void general(bool by_one)
{
    MPI_Comm comm;
    int from[16], degrees[16], to[MOST], w[MOST], n = 0, m = 0;
    for (int r = 0; r < all; r++)
        if (by_one ? me == 0 : (me + 1) % all == r) {
            from[n] = r;
            degrees[n] = targets_of(r, to + m);
            for (int k = 0; k < degrees[n]; k++)
                w[m + k] = weight_of(r, k);
            m += degrees[n++];
        }
    in_order = false;
    for (int i = 0; i < 2; i++) {
        weighted = i;
        OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, from, degrees, to,
                                 !weighted ? near_unweighted()
                                 : m > 0   ? w
                                           : near_no_weights(),
                                 MPI_INFO_NULL, 0, &comm));
        check_dist_graph(comm);
        OK(MPI_Comm_free(&comm));
    }
}

/* ---- wrong arguments ------------------------------------------------------------------------------------------------------------------ */

static void wrong_queries(MPI_Comm cart, MPI_Comm graph)
{
    int a[4], b[4], c[4];
    MPI_Comm plain = MPI_COMM_WORLD, none = MPI_COMM_NULL;
    MPI_Request request;
    GIVES(MPI_Cart_get(plain, 1, a, b, c), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Cartdim_get(graph, a), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Cart_rank(graph, a, b), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Cart_coords(plain, 0, 1, a), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Cart_shift(graph, 0, 1, a, b), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Cart_sub(plain, a, &none), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Graphdims_get(cart, a, b), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Graph_get(plain, 1, 1, a, b), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Graph_neighbors_count(cart, 0, a), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Dist_graph_neighbors_count(graph, a, b, c), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, plain), MPI_ERR_TOPOLOGY);
    GIVES(MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, plain, &request), MPI_ERR_TOPOLOGY);
    CHECK(request == MPI_REQUEST_NULL);
    GIVES(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, cart), MPI_ERR_ARG);
    GIVES(MPI_Cart_coords(cart, all, 1, a), MPI_ERR_RANK);
    GIVES(MPI_Cart_coords(cart, -1, 1, a), MPI_ERR_RANK);
    GIVES(MPI_Cart_rank(cart, (int[]){-1}, a), MPI_ERR_ARG);
    GIVES(MPI_Cart_shift(cart, 1, 1, a, b), MPI_ERR_DIMS);
    GIVES(MPI_Cart_shift(cart, -1, 1, a, b), MPI_ERR_DIMS);
    GIVES(MPI_Graph_neighbors(graph, all, 1, a), MPI_ERR_RANK);
    GIVES(MPI_Cart_create(MPI_COMM_NULL, 1, a, b, 0, &none), MPI_ERR_COMM);
    GIVES(MPI_Topo_test(MPI_COMM_NULL, a), MPI_ERR_COMM);
    GIVES(MPI_Cartdim_get(MPI_COMM_NULL, a), MPI_ERR_COMM);
    GIVES(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
}

/* By all, and by one of them: nobody waits for it. */
static void wrong_creations(void)
{
    MPI_Comm made = MPI_COMM_WORLD, w = MPI_COMM_WORLD;
    int one[] = {1}, zero[] = {0}, many[] = {all + 1}, ends[] = {1}, far[] = {all}, below[] = {-1}, self_[] = {me};
    bool last = me == all - 1;
    GIVES(MPI_Cart_create(w, 1, zero, one, 0, &made), MPI_ERR_DIMS);
    CHECK(made == MPI_COMM_NULL);
    GIVES(MPI_Cart_create(w, 1, below, one, 0, &made), MPI_ERR_DIMS);
    GIVES(MPI_Cart_create(w, 1, many, one, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Cart_create(w, -1, one, one, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Cart_create(w, 1, last ? zero : one, one, 0, &made), MPI_ERR_DIMS);
    GIVES(MPI_Graph_create(w, all + 1, ends, zero, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Graph_create(w, 1, ends, far, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Graph_create(w, 1, ends, last ? below : zero, 0, &made), MPI_ERR_ARG);
    GIVES(MPI_Dist_graph_create_adjacent(w, 1, last ? far : self_, near_unweighted(), 1, self_, near_unweighted(),
                                         MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG);
    GIVES(MPI_Dist_graph_create_adjacent(w, 1, self_, last ? below : one, 1, self_, one, MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG);
    GIVES(MPI_Dist_graph_create(w, 1, self_, one, last ? far : self_, near_unweighted(), MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG);
    GIVES(MPI_Dist_graph_create(w, last ? -1 : 1, self_, one, self_, near_unweighted(), MPI_INFO_NULL, 0, &made),
          MPI_ERR_ARG);
    CHECK(made == MPI_COMM_NULL);
}

static void wrong(void)
{
    MPI_Comm cart, graph;
    int size[] = {all}, no[] = {0};
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, size, no, 0, &cart));
    lay_graph(all);
    OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index_of, edge, 0, &graph));
    wrong_queries(cart, graph);
    wrong_creations();
    check_graph(graph);
    OK(MPI_Comm_free(&cart));
    OK(MPI_Comm_free(&graph));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    grids();
    graphs();
    adjacent();
    general(true);
    general(false);
    wrong();
    return end();
}
