/* The exhaustive exploration of agreement: every run of 2, 3 and 4 nodes, and the number of states as a guard: a change that
 * makes the explorer see less shows here. */
#include "sim/explore.h"
#include "test.h"

static void explore(uint32_t nodes, uint32_t crashes, uint64_t states)
{
    struct knell_explore_result result;
    test_context("%u nodes, %u crashes", nodes, crashes);
    knell_explore_agreement(nodes, crashes, NULL, NULL, &result);
    CHECK_STR(result.story, "");
    CHECK(!result.violated && !result.no_memory);
    CHECK_EQ_U64(result.states, states);
    CHECK(result.ends > 0);
}

TEST(two_nodes) { explore(2, 2, 48); }
TEST(three_nodes) { explore(3, 3, 996); }
TEST(four_nodes) { explore(4, 4, 35209); }
