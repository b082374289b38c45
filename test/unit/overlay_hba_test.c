/* The hypercube broadcast, label by label: slide 26's table, disjoint paths for all n <= 1,024, the one-port
 * schedule. */
#include "core/overlay.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define NODES 1024
#define LOG 10

/* One run without failures: for each cube and copy, from whom each cube label got it. */
struct run {
    uint32_t n, source;
    unsigned log;
    struct knell__roster roster;
    uint32_t messages;
    uint32_t doubled;     /* a label that got a copy twice */
    uint32_t out_of_cube; /* a label that is not of the cube the route names */
    uint16_t parent[2][LOG][NODES];
};

#define NONE UINT16_MAX

static uint32_t label_of(const struct run *run, knell_rank rank)
{
    return (rank + run->n - run->source) % run->n;
}

static uint32_t cube_label(const struct run *run, unsigned cube, knell_rank rank)
{
    uint32_t label = label_of(run, rank);
    return cube == 0 ? label : (run->n - label) % run->n;
}

static void follow(struct run *run, uint32_t from_label, knell_rank to, const struct knell_route *route)
{
    uint32_t x = cube_label(run, route->cube, to);
    knell_rank next[KNELL__TARGETS_MAX];
    struct knell_route routes[KNELL__TARGETS_MAX];

    run->messages++;
    if (x == 0 || x >> run->log || route->cube > 1 || route->copy >= run->log) {
        run->out_of_cube++;
        return;
    }
    uint16_t *parent = &run->parent[route->cube][route->copy][x];
    if (*parent != NONE) {
        run->doubled++;
        return;
    }
    *parent = (uint16_t)from_label;
    uint32_t count = knell__hba_next(&run->roster, run->source, to, route, next, routes);
    for (uint32_t i = 0; i < count; i++)
        follow(run, x, next[i], &routes[i]);
}

static void broadcast(struct run *run, uint32_t n, knell_rank source)
{
    static const struct knell_dead none;
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell_route route[KNELL__TARGETS_MAX];

    memset(run, 0xff, sizeof *run);
    run->n = n;
    run->source = source;
    run->log = knell__log2(n);
    run->roster = knell__roster_make(n, NULL, &none);
    run->messages = run->doubled = run->out_of_cube = 0;
    uint32_t count = knell__hba_first(&run->roster, source, to, route);
    CHECK_EQ_U64(count, 2 * run->log);
    for (uint32_t i = 0; i < count; i++)
        follow(run, 0, to[i], &route[i]);
}

/* The labels a copy passes between the source and x. */
static unsigned path_to(const struct run *run, unsigned cube, unsigned copy, uint32_t x, uint16_t path[LOG + 1])
{
    unsigned length = 0;
    for (uint16_t at = run->parent[cube][copy][x]; at != 0; at = run->parent[cube][copy][at]) {
        if (at == NONE || length > LOG)
            return NONE;
        path[length++] = at;
    }
    return length;
}

/* ---- slide 26 ---------------------------------------------------------------------------------------------------- */

TEST(slide_26)
{
    /* Row: node; columns: the path of the copy through node 1, 2 and 4, as printed. "": straight from the source. */
    static const char *const table[8][3] = {
        {0},
        {"", "0-2-3", "0-4-5"},
        {"0-1-3", "", "0-4-6"},
        {"0-1", "0-2", "0-4-5-7"},
        {"0-1-5", "0-2-6", ""},
        {"0-1", "0-2-6-7", "0-4"},
        {"0-1-3-7", "0-2", "0-4"},
        {"0-1-3", "0-2-6", "0-4-5"},
    };
    static struct run run;
    broadcast(&run, 8, 0);
    for (uint32_t node = 1; node < 8; node++)
        for (unsigned copy = 0; copy < 3; copy++) {
            uint16_t path[LOG + 1];
            char text[32] = "";
            unsigned length = path_to(&run, 0, copy, node, path);
            test_context("node %u, copy through node %u", (unsigned)node, 1u << copy);
            REQUIRE(length <= 3);
            if (length)
                strcpy(text, "0");
            while (length-- > 0)
                snprintf(text + strlen(text), sizeof text - strlen(text), "-%u", path[length]);
            CHECK_STR(text, table[node][copy]);
        }
}

/* ---- every n ----------------------------------------------------------------------------------------------------- */

/* k paths to every label of the cube that share no label but the two ends. */
static bool paths_disjoint(const struct run *run, unsigned cube)
{
    static uint32_t mark[NODES], stamp;
    for (uint32_t x = 1; x >> run->log == 0; x++) {
        stamp++;
        for (unsigned copy = 0; copy < run->log; copy++) {
            uint16_t path[LOG + 1];
            unsigned length = path_to(run, cube, copy, x, path);
            if (length == NONE)
                return false;
            while (length-- > 0) {
                if (mark[path[length]] == stamp || path[length] == x)
                    return false;
                mark[path[length]] = stamp;
            }
        }
    }
    return true;
}

static bool every_label_reached(const struct run *run)
{
    for (knell_rank rank = 0; rank < run->n; rank++) {
        bool reached = rank == run->source;
        for (unsigned cube = 0; cube < 2; cube++) {
            uint32_t x = cube_label(run, cube, rank);
            reached |= x >> run->log == 0 && run->parent[cube][0][x] != NONE;
        }
        if (!reached)
            return false;
    }
    return true;
}

TEST(disjoint_paths_and_cost_for_all_n)
{
    static struct run run;
    for (uint32_t n = 2; n <= NODES; n++) {
        test_context("n %u", (unsigned)n);
        broadcast(&run, n, (n * 7 / 3) % n);
        CHECK_EQ_U64(run.doubled, 0);
        CHECK_EQ_U64(run.out_of_cube, 0);
        CHECK_EQ_U64(run.messages, 2 * run.log * ((UINT64_C(1) << run.log) - 1));
        CHECK(every_label_reached(&run));
        CHECK(paths_disjoint(&run, 0));
        CHECK(paths_disjoint(&run, 1));
    }
}

/* Not routes of this broadcast: a wrong copy, dimension or cube ends there and reaches nobody out of range. */
TEST(nonsense_routes_end)
{
    static const struct knell_dead none;
    struct knell__roster roster = knell__roster_make(11, NULL, &none);
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell_route routes[KNELL__TARGETS_MAX];
    for (unsigned copy = 0; copy < 256; copy += 5)
        for (unsigned dimension = 0; dimension < 256; dimension += 3)
            for (knell_rank self = 0; self < 11; self++) {
                struct knell_route came = {.cube = 255, .copy = (uint8_t)copy, .dimension = (uint8_t)dimension};
                uint32_t count = knell__hba_next(&roster, 4, self, &came, to, routes);
                CHECK(count <= 6);
                for (uint32_t i = 0; i < count; i++)
                    CHECK(to[i] < 11 && to[i] != 4);
            }
    roster = knell__roster_make(1, NULL, &none);
    CHECK_EQ_U64(knell__hba_first(&roster, 0, to, routes), 0);
}

/* ---- one port ---------------------------------------------------------------------------------------------------- */

struct parcel {
    knell_rank to;
    struct knell_route route;
};

/* One cube alone; every node sends one message a step, in the order given; the step of the last reception. */
static unsigned one_port_steps(uint32_t n, unsigned cube)
{
    static const struct knell_dead none;
    static struct parcel queue[NODES][LOG * LOG + LOG];
    static uint32_t head[NODES], tail[NODES];
    struct knell__roster roster = knell__roster_make(n, NULL, &none);
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell_route route[KNELL__TARGETS_MAX];
    unsigned last = 0;

    memset(head, 0, sizeof head);
    memset(tail, 0, sizeof tail);
    uint32_t count = knell__hba_first(&roster, 0, to, route);
    for (uint32_t i = 0; i < count; i++)
        if (route[i].cube == cube)
            queue[0][tail[0]++] = (struct parcel){to[i], route[i]};
    for (unsigned step = 1; step <= last + 1; step++) {
        static struct parcel moving[NODES];
        uint32_t movers = 0;
        for (uint32_t x = 0; x < n; x++)
            if (head[x] < tail[x])
                moving[movers++] = queue[x][head[x]++];
        for (uint32_t m = 0; m < movers; m++) {
            knell_rank at = moving[m].to;
            count = knell__hba_next(&roster, 0, at, &moving[m].route, to, route);
            for (uint32_t i = 0; i < count; i++)
                queue[at][tail[at]++] = (struct parcel){to[i], route[i]};
            last = step;
        }
    }
    return last;
}

TEST(one_port_schedule)
{
    for (unsigned log = 1; log <= LOG; log++)
        for (unsigned cube = 0; cube < 2; cube++) {
            test_context("2^%u nodes, cube %u", log, cube);
            unsigned steps = one_port_steps(UINT32_C(1) << log, cube);
            if (steps > 2 * log)
                fprintf(stderr, "k=%u cube %u: %u steps\n", log, cube, steps);
            CHECK(steps <= 2 * log);
        }
}
