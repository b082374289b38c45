/* The weights of a combination: the classic ones, those of the thesis's figure 3.3, and those after every loss of up to three
 * grids. A combination is sound when each subspace that it covers is counted exactly once. */
#include "../../examples/combi/levels.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const int ones[DIM_MOST] = {1, 1, 1};
static struct scheme s;
static bool downset[GRIDS_MOST], lost[GRIDS_MOST];
static int weight[GRIDS_MOST];

static void begin(int dim, int tau)
{
    REQUIRE(scheme_make(&s, dim, ones, tau));
    memset(downset, true, sizeof downset);
    memset(lost, false, sizeof lost);
}

static int grid2(int one, int other)
{
    return scheme_find(&s, (int[]){one, other});
}

static void check_weights(const char *expected)
{
    char text[1024] = "";
    for (int grid = 0; grid < s.count; grid++)
        if (weight[grid] != 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%+d%s ", weight[grid], level_text(&s, grid));
    CHECK_STR(text, expected);
}

/* Of the grids that have a subspace, the weights add up to 1 if the subspace is covered, else to 0. */
static void check_sound(void)
{
    for (int low = 0; low < s.count; low++) {
        int sum = 0;
        for (int grid = 0; grid < s.count; grid++) {
            bool has = true;
            for (int k = 0; k < s.dim; k++)
                has = has && s.level[grid][k] >= s.level[low][k];
            sum += has ? weight[grid] : 0;
        }
        CHECK_EQ_I64(sum, downset[low] ? 1 : 0);
    }
}

TEST(figure_3_2)
{
    begin(2, 3);
    weights_of(&s, downset, weight);
    CHECK_EQ_I64(s.count, 10);
    check_weights("-1[3,1] +1[4,1] -1[2,2] +1[3,2] -1[1,3] +1[2,3] +1[1,4] ");
    check_sound();
}

/* Losing [2,3] needs [1,2], and nothing else that was not there. */
TEST(figure_3_3)
{
    int before[GRIDS_MOST];
    begin(2, 3);
    weights_of(&s, downset, before);
    lost[grid2(2, 3)] = true;
    CHECK(weights_without(&s, lost, downset, weight));
    check_weights("-1[3,1] +1[4,1] -1[1,2] +1[3,2] +1[1,4] ");
    for (int grid = 0; grid < s.count; grid++)
        CHECK_EQ_I64(before[grid] == 0 && weight[grid] != 0, grid == grid2(1, 2));
    check_sound();
}

/* A grid that is subtracted goes with one of its neighbours on the diagonal: nothing new is needed at the edge. */
TEST(a_subtracted_grid)
{
    begin(2, 3);
    lost[grid2(1, 3)] = true;
    CHECK(weights_without(&s, lost, downset, weight));
    check_weights("-1[3,1] +1[4,1] -1[2,2] +1[3,2] +1[2,3] ");
}

/* (-1)^q (d-1 over q) on layer q. */
TEST(classic)
{
    static const int layer[4][4] = {{0}, {0}, {1, -1}, {1, -2, 1}};
    for (int dim = 2; dim <= 3; dim++)
        for (int tau = 0; tau <= 5; tau++) {
            begin(dim, tau);
            weights_of(&s, downset, weight);
            for (int grid = 0; grid < s.count; grid++) {
                int q = s.layer[grid];
                CHECK_EQ_I64(weight[grid], q < dim ? layer[dim][q] : 0);
            }
            check_sound();
        }
}

static void check_loss(int a, int b, int c)
{
    memset(downset, true, sizeof downset);
    memset(lost, false, sizeof lost);
    lost[a] = lost[b] = lost[c] = true;
    test_context("without grids %d %d %d", a, b, c);
    CHECK(weights_without(&s, lost, downset, weight));
    CHECK(weights_error(&s, downset) >= 1);
    CHECK(weight[a] == 0 && weight[b] == 0 && weight[c] == 0);
    check_sound();
}

/* The smallest grid is never lost here: without it, nothing may be left. */
TEST(all_losses)
{
    for (int dim = 2; dim <= 3; dim++) {
        begin(dim, 3);
        for (int a = 1; a < s.count; a++)
            for (int b = a; b < s.count; b++)
                for (int c = b; c < s.count; c++)
                    check_loss(a, b, c);
    }
}

TEST(nothing_left)
{
    begin(2, 2);
    memset(lost, true, sizeof lost);
    CHECK(!weights_without(&s, lost, downset, weight));
    check_weights("");
}

TEST(only_one_left)
{
    begin(2, 2);
    memset(lost, true, sizeof lost);
    lost[0] = false;
    CHECK(weights_without(&s, lost, downset, weight));
    check_weights("+1[1,1] ");
}

/* What is lost costs about what its grids would have brought: one of the diagonal less than half of all that is missing anyway. */
TEST(error)
{
    begin(2, 5);
    CHECK_NEAR(weights_error(&s, downset), 1, 1e-12);
    lost[grid2(1, 6)] = true;
    weights_without(&s, lost, downset, weight);
    CHECK_NEAR(weights_error(&s, downset), 1 + 4.0 / 7, 1e-12);
}

TEST(coarser)
{
    bool coarser[GRIDS_MOST];
    begin(2, 3);
    downset_coarser(&s, downset, coarser);
    weights_of(&s, coarser, weight);
    check_weights("-1[2,1] +1[3,1] -1[1,2] +1[2,2] +1[1,3] ");
}

TEST(too_many)
{
    CHECK(!scheme_make(&s, 3, ones, 15));
    CHECK(scheme_make(&s, 3, ones, 8));
}
