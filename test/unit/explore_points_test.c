/* explore_points_test: which deaths `knell explore` plans, out of the calls of a run without faults and of one with a death. */
#include "cli/explore/explore.h"
#include "job/calls.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, TURNS = 10, STEPS = 2 + TURNS };

/* Each rank: a duplicate, ten times a sum, MPI_Finalize. */
static void make_run(struct explore_run *run, int ranks)
{
    *run = (struct explore_run){ranks, calloc((size_t)ranks, sizeof *run->sequence)};
    for (int rank = 0; rank < ranks; rank++) {
        struct explore_sequence *sequence = &run->sequence[rank];
        sequence->rank = rank;
        sequence->steps = STEPS;
        sequence->step = calloc(STEPS, sizeof *sequence->step);
        for (unsigned i = 0; i < STEPS; i++) {
            int call = i == 0 ? JOB_CALL_COMM_DUP : i == STEPS - 1 ? JOB_CALL_FINALIZE : JOB_CALL_ALLREDUCE;
            sequence->step[i] = (struct explore_step){.call = call,
                                                      .count = call == JOB_CALL_ALLREDUCE ? i : 1,
                                                      .posted = call == JOB_CALL_ALLREDUCE ? 3 : 0,
                                                      .place = (uint64_t)call + 1,
                                                      .site = (uint64_t)call + 1,
                                                      .size = ranks,
                                                      .peer = JOB_RECORD_NO_PEER,
                                                      .begin = 10 + i,
                                                      .end = 11 + i,
                                                      .communicates = true};
        }
    }
}

static bool has(const struct explore_points *points, const char *key)
{
    for (size_t i = 0; i < points->items; i++)
        if (strcmp(points->item[i].key, key) == 0)
            return true;
    return false;
}

TEST(a_place_is_struck_the_first_the_second_and_the_last_time_and_once_at_random)
{
    struct explore_run run;
    struct explore_points points;
    struct explore_plan plan = {.ranks = 2, .seed = 1};
    make_run(&run, 2);
    REQUIRE(explore_points_make(&plan, &run, NULL, &points));
    CHECK_EQ_U64(points.all, 2 * STEPS);
    CHECK(has(&points, "0@MPI_Allreduce#1"));
    CHECK(has(&points, "1@MPI_Allreduce#2"));
    CHECK(has(&points, "1@MPI_Allreduce#10"));
    CHECK(has(&points, "0@MPI_Comm_dup#1"));
    CHECK(has(&points, "1@MPI_Finalize#1"));
    CHECK(points.items >= 2 * 5 && points.items <= 2 * 6);
    CHECK_EQ_U64(points.items + points.left_times + points.left_ranks, points.all);
    explore_points_free(&points);
    explore_run_free(&run);
}

TEST(rare_places_come_first)
{
    struct explore_run run;
    struct explore_points points;
    struct explore_plan plan = {.ranks = 2, .seed = 1};
    make_run(&run, 2);
    REQUIRE(explore_points_make(&plan, &run, NULL, &points));
    for (size_t i = 0; i < 4; i++)
        CHECK(points.item[i].fault[0].call != JOB_CALL_ALLREDUCE);
    CHECK_STR(points.item[4].key, "0@MPI_Allreduce#1");
    explore_points_free(&points);
    explore_run_free(&run);
}

TEST(of_ranks_with_the_same_calls_three_are_struck)
{
    struct explore_run run;
    struct explore_points points;
    struct explore_plan plan = {.ranks = 9, .seed = 1};
    make_run(&run, 9);
    REQUIRE(explore_points_make(&plan, &run, NULL, &points));
    bool struck[9] = {false};
    for (size_t i = 0; i < points.items; i++)
        struck[points.item[i].fault[0].rank] = true;
    CHECK(struck[0] && struck[4] && struck[8]);
    CHECK(!struck[1] && !struck[3] && !struck[7]);
    CHECK_EQ_U64(points.left_ranks, 6 * STEPS);
    explore_points_free(&points);
    run.sequence[5].step[3].peer = 2; /* another kind: it is struck for itself */
    REQUIRE(explore_points_make(&plan, &run, NULL, &points));
    CHECK(has(&points, "5@MPI_Comm_dup#1"));
    explore_points_free(&points);
    explore_run_free(&run);
}

TEST(without_pruning_every_point_is_planned_and_inside_too)
{
    struct explore_run run;
    struct explore_points points;
    struct explore_plan plan = {.ranks = RANKS, .seed = 1, .all = true, .inside = true};
    make_run(&run, RANKS);
    REQUIRE(explore_points_make(&plan, &run, NULL, &points));
    CHECK_EQ_U64(points.items, RANKS * (STEPS + 3 * TURNS));
    CHECK_EQ_U64(points.items, points.all);
    CHECK(has(&points, "2@MPI_Allreduce#7.3"));
    explore_points_free(&points);
    explore_run_free(&run);
}

TEST(the_same_seed_gives_the_same_plan)
{
    struct explore_run run;
    struct explore_points a, b;
    struct explore_plan plan = {.ranks = RANKS, .seed = 7};
    make_run(&run, RANKS);
    REQUIRE(explore_points_make(&plan, &run, NULL, &a) && explore_points_make(&plan, &run, NULL, &b));
    CHECK_EQ_U64(a.items, b.items);
    for (size_t i = 0; i < a.items && i < b.items; i++)
        CHECK_STR(a.item[i].key, b.item[i].key);
    explore_points_free(&a);
    explore_points_free(&b);
    explore_run_free(&run);
}

TEST(runs_differ_where_their_places_do)
{
    struct explore_run a, b;
    make_run(&a, RANKS);
    make_run(&b, RANKS);
    CHECK(explore_run_same(&a, &b));
    b.sequence[2].step[4].place = 99;
    CHECK(!explore_run_same(&a, &b));
    b.sequence[2].step[4].communicates = a.sequence[2].step[4].communicates = false; /* local calls do not count */
    CHECK(explore_run_same(&a, &b));
    b.sequence[1].steps--;
    CHECK(!explore_run_same(&a, &b));
    explore_run_free(&a);
    explore_run_free(&b);
}
