/* Random worlds at every edge of the model, a few of each; `knell sim check` runs the many. */
#include "sim/check.h"
#include "test.h"

static void run(enum knell_edge edge, uint64_t worlds)
{
    static struct knell_check check;
    for (uint64_t world = 0; world < worlds; world++) {
        knell_check_run(&check, edge, knell_prng_key(9, world), NULL);
        test_context("edge %d, world %u: %s: %s", edge, (unsigned)world, check.violated, check.complaint);
        if (!CHECK(!check.violated))
            return;
        CHECK(!check.no_memory);
    }
}

TEST(worlds_of_any_kind)
{
    run(KNELL_EDGE_ANY, 4000);
}
TEST(worlds_with_leaves)
{
    run(KNELL_EDGE_LEAVES, 2000);
}
TEST(worlds_with_accusers)
{
    run(KNELL_EDGE_ACCUSERS, 2000);
}
TEST(worlds_with_drops)
{
    run(KNELL_EDGE_DROPS, 2000);
}
TEST(worlds_with_revokes)
{
    run(KNELL_EDGE_REVOKES, 2000);
}
TEST(worlds_with_splits)
{
    run(KNELL_EDGE_SPLITS, 1500);
}
