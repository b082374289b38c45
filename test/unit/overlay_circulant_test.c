/* The circulant overlay: rosters against a model, the order of targets, and vertex connectivity for all n <= 1,024.
 *
 * Connectivity is decided with Even's algorithm (1975), exact for any graph: a graph is d-connected if and only if
 * (1) any two of the vertices 0 .. d - 1 have d disjoint paths between them, and
 * (2) every vertex v >= d has d paths to d different vertices below v that share nothing but v.
 * In a circulant (1) depends on the difference only. For small n it is held against the plain way, max-flow from
 * label 0 to every label that is not adjacent, which is also right as a circulant looks the same from every vertex. */
#include "core/overlay.h"

#include "test.h"
#include "util/prng.h"

#include <string.h>

#define NODES 1024
#define DEGREE 20

static const struct knell_dead none;

/* ---- the graph, as the overlay gives it -------------------------------------------------------------------------- */

struct graph {
    uint32_t n;
    uint32_t degree;
    uint16_t next[NODES][DEGREE];
};

static void build(struct graph *g, uint32_t n)
{
    struct knell__roster roster = knell__roster_make(n, NULL, &none);
    knell_rank to[KNELL__TARGETS_MAX];
    g->n = n;
    for (knell_rank v = 0; v < n; v++) {
        g->degree = knell__circulant_targets(&roster, 0, v, to);
        for (uint32_t i = 0; i < g->degree; i++)
            g->next[v][i] = (uint16_t)to[i];
    }
}

static bool adjacent(const struct graph *g, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < g->degree; i++)
        if (g->next[a][i] == b)
            return true;
    return false;
}

/* ---- disjoint paths ---------------------------------------------------------------------------------------------- */

/* Unit-capacity flow through vertices split in two: 2v is where paths come into v, 2v + 1 where they go out. Paths
 * run from `from` to `to`, or to distinct vertices below `from` when `to` is NONE. */
#define NONE UINT16_MAX
struct flow {
    const struct graph *g;
    uint32_t from, to;
    uint32_t used[NODES]; /* arcs out of a vertex that carry a path, by bit */
    uint16_t before[NODES];
    bool taken[NODES]; /* a path passes through or ends here */
    uint32_t seen[2 * NODES], stamp;
    uint16_t back[2 * NODES], queue[2 * NODES];
};

static bool ends_at(const struct flow *f, uint32_t v)
{
    return f->to == NONE ? v < f->from : v == f->to;
}

static uint32_t arc(const struct flow *f, uint32_t u, uint32_t v)
{
    uint32_t i = 0;
    while (f->g->next[u][i] != v)
        i++;
    return UINT32_C(1) << i;
}

/* Lays the found way over the paths, from its end back: arcs taken are set, arcs given back are cleared. */
static void augment(struct flow *f, uint32_t state)
{
    while (state != 2 * f->from + 1) {
        uint32_t previous = f->back[state], v = state / 2, u = previous / 2;
        if (u == v) {
            f->taken[v] = state & 1;
        } else if (state & 1) {
            f->used[v] &= ~arc(f, v, u);
        } else {
            f->used[u] |= arc(f, u, v);
            f->before[v] = (uint16_t)u;
        }
        state = previous;
    }
}

static bool find_path(struct flow *f)
{
    uint32_t head = 0, tail = 0;
    f->stamp++;
#define VISIT(target)                              \
    do {                                           \
        if (f->seen[target] != f->stamp) {         \
            f->seen[target] = f->stamp;            \
            f->back[target] = (uint16_t)state;     \
            f->queue[tail++] = (uint16_t)(target); \
        }                                          \
    } while (0)
    f->seen[2 * f->from] = f->seen[2 * f->from + 1] = f->stamp;
    f->queue[tail++] = (uint16_t)(2 * f->from + 1);
    while (head < tail) {
        uint32_t state = f->queue[head++], v = state / 2;
        if (state & 1) {
            for (uint32_t i = 0; i < f->g->degree; i++)
                if (!(f->used[v] >> i & 1))
                    VISIT(2u * f->g->next[v][i]);
            if (v != f->from && f->taken[v])
                VISIT(2 * v);
        } else if (ends_at(f, v) && (f->to != NONE || !f->taken[v])) {
            f->taken[v] = true;
            augment(f, state);
            return true;
        } else if (f->taken[v]) {
            VISIT(2u * f->before[v] + 1);
        } else {
            VISIT(2 * v + 1);
        }
    }
    return false;
#undef VISIT
}

/* How many disjoint paths there are, counted up to `enough`. */
static uint32_t disjoint_paths(const struct graph *g, uint32_t from, uint32_t to, uint32_t enough)
{
    static struct flow f;
    uint32_t count = 0;
    f.g = g;
    f.from = from;
    f.to = to;
    memset(f.used, 0, g->n * sizeof *f.used);
    memset(f.taken, 0, g->n * sizeof *f.taken);
    while (count < enough && find_path(&f))
        count++;
    return count;
}

static uint32_t expected_connectivity(uint32_t n)
{
    unsigned log = knell__log2(n);
    return n == UINT32_C(1) << log ? 2 * log - 1 : 2 * log;
}

TEST(connectivity_for_all_n)
{
    static struct graph g;
    for (uint32_t n = 2; n <= NODES; n++) {
        uint32_t d = expected_connectivity(n);
        test_context("n %u", (unsigned)n);
        build(&g, n);
        CHECK_EQ_U64(g.degree, d); /* no more than this: a vertex is cut off by its neighbours */
        for (uint32_t v = 1; v < d; v++)
            if (!adjacent(&g, 0, v) || n <= 64)
                REQUIRE(disjoint_paths(&g, 0, v, d) == d);
        for (uint32_t v = d; v < n; v++)
            REQUIRE(disjoint_paths(&g, v, NONE, d) == d);
    }
}

TEST(connectivity_the_plain_way)
{
    static struct graph g;
    for (uint32_t n = 2; n <= NODES; n += n < 200 ? 1 : n < 500 ? 37 : 131) {
        uint32_t d = expected_connectivity(n);
        test_context("n %u", (unsigned)n);
        build(&g, n);
        for (uint32_t v = 1; v <= n / 2; v++) /* x -> -x is a symmetry */
            if (!adjacent(&g, 0, v))
                REQUIRE(disjoint_paths(&g, 0, v, d + 1) == d);
    }
}

/* The method sees a cut where there is one: two cliques that share three vertices. */
TEST(the_method_finds_a_cut)
{
    static struct graph g = {.n = 13, .degree = 12};
    for (uint32_t v = 0; v < 13; v++)
        for (uint32_t i = 0, w = 0; i < 12; w++)
            if (w >= 13)
                g.next[v][i] = g.next[v][0], i++; /* fewer neighbours: one of them again */
            else if (w != v && !((v < 5 && w >= 8) || (v >= 8 && w < 5)))
                g.next[v][i++] = (uint16_t)w;
    CHECK_EQ_U64(disjoint_paths(&g, 0, 12, 12), 3);
}

/* ---- the same graph for everyone, the tree first ----------------------------------------------------------------- */

static int32_t signed_label(uint32_t n, uint32_t label)
{
    return label <= n / 2 ? (int32_t)label : (int32_t)label - (int32_t)n;
}

/* Is label `target` a step away from the source over a bit above the highest of l? `wraps` says that it goes past
 * the far side, where the other half of the tree reaches too. */
static bool is_tree_child(uint32_t n, int32_t l, uint32_t target, bool *wraps)
{
    uint32_t size = (uint32_t)(l < 0 ? -l : l);
    for (unsigned bit = size ? knell__log2(size) + 1 : 0; bit < knell__log2(n); bit++)
        for (int64_t sign = 1; sign >= -1; sign -= 2) {
            int64_t child = l + sign * (INT64_C(1) << bit);
            if (sign * l < 0 || (child + n) % n != target)
                continue;
            *wraps = child != signed_label(n, target);
            return true;
        }
    return false;
}

/* Checks the targets of one node; returns how many are its children in the tree. */
static uint32_t check_targets(const struct knell__roster *roster, knell_rank source, knell_rank self)
{
    knell_rank to[KNELL__TARGETS_MAX];
    uint32_t n = roster->alive, label = (self + n - source) % n, children = 0;
    uint32_t count = knell__circulant_targets(roster, source, self, to);
    bool seen[131] = {false}, rest = false;

    CHECK_EQ_U64(count, expected_connectivity(n));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = (to[i] + n - self) % n;
        bool wraps = false, child = is_tree_child(n, signed_label(n, label), (to[i] + n - source) % n, &wraps);
        CHECK(to[i] < n && !seen[to[i]] && to[i] != self);
        CHECK((step & (step - 1)) == 0 || ((n - step) & (n - step - 1)) == 0);
        CHECK(!(child && !wraps && rest));
        seen[to[i]] = true;
        rest |= !child;
        children += child && !wraps;
    }
    return children;
}

TEST(targets_are_the_graph_and_the_tree_comes_first)
{
    for (uint32_t n = 2; n <= 130; n++) {
        struct knell__roster roster = knell__roster_make(n, NULL, &none);
        uint32_t children = 0;
        for (knell_rank self = 0; self < n; self++) {
            test_context("n %u self %u", (unsigned)n, (unsigned)self);
            children += check_targets(&roster, n / 3, self);
        }
        CHECK(children >= n - 1); /* the tree spans */
    }
}

/* One message a step and node: the order of targets brings the news to all in ceil(log n) + 1 steps. */
TEST(one_port_without_failures)
{
    static knell_rank to[4096][KNELL__TARGETS_MAX];
    static uint32_t count[4096], sent[4096], order[4096];
    static bool informed[4096];
    for (uint32_t n = 2; n <= 4096; n += n < 300 ? 1 : 271) {
        struct knell__roster roster = knell__roster_make(n, NULL, &none);
        uint32_t known = 1, steps = 0;
        memset(informed, 0, sizeof informed);
        memset(sent, 0, sizeof sent);
        informed[0] = true;
        order[0] = 0;
        count[0] = knell__circulant_targets(&roster, 0, 0, to[0]);
        for (; known < n && steps < 100; steps++)
            for (uint32_t i = 0, now = known; i < now; i++) {
                uint32_t u = order[i], v = sent[u] < count[u] ? to[u][sent[u]++] : u;
                if (informed[v])
                    continue;
                informed[v] = true;
                order[known++] = v;
                count[v] = knell__circulant_targets(&roster, 0, v, to[v]);
            }
        test_context("n %u: %u steps", (unsigned)n, (unsigned)steps);
        CHECK(steps <= knell__log2(n) + 2);
    }
}

/* ---- rosters ----------------------------------------------------------------------------------------------------- */

static void check_roster(struct knell_prng *random)
{
    uint32_t ranks = 2 + (uint32_t)knell_prng_below(random, 60), ranges = 0, alive = 0;
    struct knell_range dead[64];
    bool is_dead[64] = {false}, is_member[64] = {false};
    knell_rank member[64];
    struct knell_group group = {.id = 1, .member = member};
    bool grouped = knell_prng_below(random, 2);

    for (knell_rank r = 0; r < ranks; r++) {
        is_dead[r] = knell_prng_below(random, 3) == 0;
        is_member[r] = !grouped || knell_prng_below(random, 2) || r == ranks - 1;
        if (is_member[r])
            member[group.size++] = r;
        if (is_dead[r] && r > 0 && is_dead[r - 1])
            dead[ranges - 1].last = r;
        else if (is_dead[r])
            dead[ranges++] = (struct knell_range){r, r, 0};
    }
    for (uint32_t i = 1; i < ranges; i++)
        dead[i].before = dead[i - 1].before + dead[i - 1].last - dead[i - 1].first + 1;
    struct knell_dead list = {.gone = dead, .gone_ranges = ranges};
    struct knell__roster roster = knell__roster_make(ranks, grouped ? &group : NULL, &list);
    for (knell_rank r = 0; r < ranks; r++) {
        bool in = is_member[r] && !is_dead[r];
        CHECK(knell__roster_has(&roster, r) == in);
        if (!in)
            continue;
        CHECK_EQ_U64(knell__roster_index(&roster, r), alive);
        CHECK_EQ_U64(knell__roster_rank(&roster, alive), r);
        alive++;
    }
    CHECK_EQ_U64(roster.alive, alive);
}

TEST(rosters_against_a_model)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct knell_prng random;
        knell_prng_seed(&random, seed);
        test_context("seed %u", (unsigned)seed);
        check_roster(&random);
    }
}
