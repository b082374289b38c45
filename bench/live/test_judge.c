/* The benchmark's own judgement, on logs made by hand: a wrong judge would make every number wrong. */
#include "judge.h"
#include "series.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000LL
enum { RANKS = 4 };

static struct crew_member members[RANKS];
static struct crew crew;

static void begin(void)
{
    free(crew.log);
    memset(members, 0, sizeof members);
    crew = (struct crew){.plan = {.kind = CREW_UDP, .ranks = RANKS}, .member = members, .began = 100 * MS};
    crew.log = calloc(1, live_log_size(RANKS));
}

static void knows(uint32_t by, uint32_t rank, int64_t ms)
{
    struct live_part *part = &crew.log->part[by];
    part->record[part->records++] = (struct live_record){.when = ms * MS, .rank = rank};
}

TEST(a_death_is_judged_over_those_never_hurt)
{
    begin();
    members[3].hurt = 200 * MS;
    knows(0, 3, 210);
    knows(1, 3, 220);
    knows(2, 3, 240);
    struct judge_spread spread = judge_victim(&crew, 3);
    CHECK_NEAR(spread.first, 10, 1e-9);
    CHECK_NEAR(spread.mean, 70.0 / 3, 1e-9);
    CHECK_NEAR(spread.last, 40, 1e-9);
    CHECK_EQ_U64(spread.missing, 0);
    members[1].hurt = 215 * MS; /* now it is no survivor */
    spread = judge_victim(&crew, 3);
    CHECK_NEAR(spread.mean, 25, 1e-9);
}

TEST(who_does_not_know_is_missing)
{
    begin();
    members[3].hurt = 200 * MS;
    knows(0, 3, 210);
    knows(1, 3, 190); /* before it happened: not knowledge */
    struct judge_spread spread = judge_victim(&crew, 3);
    CHECK_EQ_U64(spread.missing, 2);
    CHECK_NEAR(spread.last, 10, 1e-9);
    CHECK(!judge_await_all(&crew, 0));
}

TEST(a_trigger_counts_from_the_moment_it_was_done)
{
    begin();
    members[2].hurt = 200 * MS;
    crew.log->part[2].stepped = 205 * MS;
    for (uint32_t by = 0; by < RANKS; by++)
        knows(by, 2, 206);
    CHECK_NEAR(judge_victim(&crew, 2).last, 1, 1e-9);
    CHECK(judge_await_all(&crew, 0));
}

TEST(false_is_who_was_not_hurt_by_then)
{
    begin();
    knows(0, 1, 99); /* while all started: not counted */
    CHECK_EQ_U64(judge_false(&crew, crew.began), 0);
    knows(0, 2, 150);
    knows(1, 2, 151); /* the same one */
    CHECK_EQ_U64(judge_false(&crew, crew.began), 1);
    members[3].hurt = 200 * MS;
    knows(0, 3, 199);
    CHECK_EQ_U64(judge_false(&crew, crew.began), 2);
    members[3].hurt = 198 * MS;
    CHECK_EQ_U64(judge_false(&crew, crew.began), 1);
}

TEST(declared_is_what_another_says)
{
    begin();
    knows(2, 2, 150);
    CHECK(!judge_declared(&crew, 2, 100 * MS));
    knows(1, 2, 150);
    CHECK(judge_declared(&crew, 2, 100 * MS));
    CHECK(!judge_declared(&crew, 2, 151 * MS));
}

TEST(the_interval_of_a_median)
{
    struct series series = {0};
    for (int i = 20; i >= 1; i--)
        series_add(&series, i);
    CHECK_NEAR(series_median(&series), 10.5, 1e-9);
    CHECK_NEAR(series_interval(&series).low, 6, 1e-9); /* of 20 coins fewer than 6 fall on one side with 2.07 % */
    CHECK_NEAR(series_interval(&series).high, 15, 1e-9);
    series_free(&series);
    for (int i = 1; i <= 5; i++)
        series_add(&series, i);
    CHECK_NEAR(series_interval(&series).low, 1, 1e-9);
    CHECK_NEAR(series_interval(&series).high, 5, 1e-9);
    series_free(&series);
}
