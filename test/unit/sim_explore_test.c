/* The exhaustive exploration of agreement: every run of 2, 3 and 4 nodes, and the number of states as a guard: a change that
 * makes the explorer see less shows here. */
#include "sim/explore.h"
#include "test.h"

static void explore(struct knell_explore_plan plan, uint64_t states)
{
    struct knell_explore_result result;
    test_context("%u nodes, %u crashes, %u accusations, %u leaves, digits of %u bits", plan.nodes, plan.crashes,
                 plan.accusations, plan.leaves, plan.tree_bits);
    knell_explore_agreement(&plan, NULL, NULL, &result);
    CHECK_STR(result.story, "");
    CHECK(!result.violated && !result.no_memory);
    CHECK_EQ_U64(result.states, states);
    CHECK(result.ends > 0);
}

#define PLAN(...) ((struct knell_explore_plan){.careful = true, __VA_ARGS__})

TEST(two_nodes)
{
    explore(PLAN(.nodes = 2, .crashes = 2), 58);
}
TEST(three_nodes)
{
    explore(PLAN(.nodes = 3, .crashes = 3), 2216);
}
TEST(four_nodes)
{
    explore(PLAN(.nodes = 4, .crashes = 4), 220344);
}
TEST(four_nodes_in_a_star)
{
    explore(PLAN(.nodes = 4, .crashes = 4, .tree_bits = 2), 225159);
}
TEST(four_nodes_that_acknowledge_nothing)
{
    explore((struct knell_explore_plan){.nodes = 4, .crashes = 4}, 36372);
}

/* One is accused though it lives, also by one that crashes. */
TEST(two_nodes_accuse)
{
    explore(PLAN(.nodes = 2, .crashes = 1, .accusations = 1), 188);
}
TEST(three_nodes_accuse)
{
    explore(PLAN(.nodes = 3, .crashes = 1, .accusations = 1), 13298);
}
TEST(four_nodes_accuse)
{
    explore(PLAN(.nodes = 4, .crashes = 1, .accusations = 1), 749787);
}
TEST(four_nodes_accuse_in_a_star)
{
    explore(PLAN(.nodes = 4, .crashes = 1, .accusations = 1, .tree_bits = 2), 815907);
}

/* They leave whenever they like, also in the midst of the agreement. */
TEST(three_nodes_leave)
{
    explore(PLAN(.nodes = 3, .crashes = 1, .leaves = 3), 10348);
}
TEST(four_nodes_leave)
{
    explore(PLAN(.nodes = 4, .leaves = 4), 562732);
}
TEST(four_nodes_leave_and_crash)
{
    explore(PLAN(.nodes = 4, .crashes = 1, .leaves = 1), 211109);
}
TEST(three_nodes_accuse_crash_and_leave)
{
    explore(PLAN(.nodes = 3, .crashes = 2, .accusations = 1, .leaves = 1), 102063);
}
