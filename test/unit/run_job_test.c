/* The reports of ranks as `knell run` takes them: one end of a rank is one end, however often it is told. */
#include "cli/run/run.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 2 };

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;
static int pipes[2];

static void say(int process, int word, int64_t value, int64_t when)
{
    struct job_report report = {.process = process, .word = word, .value = value, .when = when};
    CHECK_EQ_I64(write(pipes[1], &report, sizeof report), (int64_t)sizeof report);
}

static bool begin(void)
{
    memset(rank, 0, sizeof rank);
    plan = (struct run_plan){.ranks = RANKS};
    job = (struct run_job){.plan = &plan, .rank = rank};
    bool open = pipe2(pipes, O_NONBLOCK) == 0;
    job.directory.reports = pipes[0];
    return open;
}

TEST(one_end_is_one)
{
    REQUIRE(begin());
    say(0, JOB_WORD_STARTED, 4711, 1);
    say(1, JOB_WORD_STARTED, 4712, 1);
    say(0, JOB_WORD_FINISHED, 0, 2);
    say(0, JOB_WORD_ENDED, 0, 3);
    say(0, JOB_WORD_ENDED, 9, 4);
    run_read_reports(&job);
    CHECK_EQ_U64(job.ended, 1);
    CHECK_EQ_I64(rank[0].status, 0);
    CHECK_EQ_I64(rank[0].died, 0);
    CHECK(!run_all_ended(&job));
    say(1, JOB_WORD_ENDED, 9, 5);
    say(1, JOB_WORD_ENDED, 0, 6);
    run_read_reports(&job);
    CHECK_EQ_U64(job.ended, 2);
    CHECK_EQ_I64(rank[1].status, 9);
    CHECK_EQ_I64(rank[1].died, 5);
    CHECK(run_all_ended(&job));
    close(pipes[0]);
    close(pipes[1]);
}
