/* The exhaustive exploration of agreement: every run of 2, 3 and 4 nodes, and the number of states as a guard: a change that
 * makes the explorer see less shows here. */
#include "sim/explore.h"
#include "test.h"

static void explore(uint32_t nodes, uint32_t crashes, uint32_t tree_bits, uint64_t states)
{
    struct knell_explore_result result;
    test_context("%u nodes, %u crashes, digits of %u bits", nodes, crashes, tree_bits);
    knell_explore_agreement(nodes, crashes, tree_bits, NULL, NULL, &result);
    CHECK_STR(result.story, "");
    CHECK(!result.violated && !result.no_memory);
    CHECK_EQ_U64(result.states, states);
    CHECK(result.ends > 0);
}

TEST(two_nodes) { explore(2, 2, 1, 48); }
TEST(three_nodes) { explore(3, 3, 1, 1006); }
TEST(four_nodes) { explore(4, 4, 1, 35922); }
TEST(four_nodes_in_a_star) { explore(4, 4, 2, 44799); }
