/* The reports of ranks as `knell run` takes them: one end of a rank is one end, however often it is told. */
#include "cli/run/run.h"
#include "os/clock.h"
#include "test.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>

enum { RANKS = 2 };

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;
static struct channel_stream supervisor[RANKS];

static void say(int process, int word, int64_t value, int64_t when)
{
    struct job_report report = {.process = process, .word = word, .value = value, .when = when};
    channel_put(&supervisor[process], CHANNEL_REPORT, &report, sizeof report, NULL, 0);
    CHECK_EQ_U64(channel_unsent(&supervisor[process]), 0);
}

static bool begin(void)
{
    memset(rank, 0, sizeof rank);
    plan = (struct run_plan){.ranks = RANKS};
    job = (struct run_job){.plan = &plan, .rank = rank};
    bool open = run_links_open(&job.links, RANKS);
    for (int i = 0; open && i < RANKS; i++) {
        int ends[2];
        open = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
        channel_stream_open(&supervisor[i], ends[1]);
        run_link_opened(&job, i, ends[0], &(struct channel_hello){.rank = i});
    }
    return open;
}

static void end(void)
{
    for (int i = 0; i < RANKS; i++)
        channel_stream_close(&supervisor[i]);
    run_links_close(&job.links);
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
    end();
}

/* A supervisor that is gone took its rank with it; one that told the end before it went did not. */
TEST(who_loses_its_supervisor_has_ended)
{
    REQUIRE(begin());
    say(0, JOB_WORD_STARTED, 4711, 1);
    say(1, JOB_WORD_STARTED, 4712, 1);
    say(1, JOB_WORD_ENDED, 0, 3);
    channel_stream_close(&supervisor[0]);
    channel_stream_close(&supervisor[1]);
    run_read_reports(&job);
    CHECK_EQ_U64(job.ended, 2);
    CHECK_EQ_I64(rank[0].status, 9);
    CHECK_EQ_I64(rank[1].status, 0);
    end();
}

/* It speaks for its own rank, whatever number it writes. */
TEST(a_supervisor_speaks_for_one_rank)
{
    REQUIRE(begin());
    struct job_report report = {.process = 1, .word = JOB_WORD_ENDED};
    channel_put(&supervisor[0], CHANNEL_REPORT, &report, sizeof report, NULL, 0);
    run_read_reports(&job);
    CHECK(rank[0].ended && !rank[1].ended);
    end();
}

/* A host that answers nothing costs one limit, not one for each of its ranks. What others have answered is read all the same; a host that is
 * known to be lost costs nothing. */
TEST(silent_ranks_are_waited_for_together)
{
    REQUIRE(begin());
    int64_t begun = knell__clock_now();
    run_kill_all(&job, SIGSTOP);
    CHECK((knell__clock_now() - begun) / 1000000 < 3000);
    struct channel_seen seen = {.number = job.links.link[1].asked};
    channel_put(&supervisor[1], CHANNEL_SEEN, &seen, sizeof seen, NULL, 0);
    run_link_wait(&job, 1, begun);
    CHECK_EQ_U64(job.links.link[1].answered, seen.number);
    begun = knell__clock_now();
    job.links.link[0].is_host_lost = job.links.link[1].is_host_lost = true;
    run_kill_all(&job, SIGKILL);
    CHECK((knell__clock_now() - begun) / 1000000 < 500);
    end();
}
