/* A scenario whose agents are on several hosts begins when all are there. What is lost before that ends the job: nobody is waited for in
 * vain. */
#include "cli/run/run.h"
#include "os/clock.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { RANKS = 2, AGENTS = 2 };
#define SECOND INT64_C(1000000000)

static const struct usage usage = {.command = "test"};

/* ---- ranks --------------------------------------------------------------------------------------------------------- */

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;
static struct channel_stream supervisor[RANKS];

/* The supervisors of the first ranks are connected. */
static bool begin(int connected)
{
    memset(rank, 0, sizeof rank);
    plan = (struct run_plan){.ranks = RANKS, .usage = &usage, .launcher = "mpirun"};
    job = (struct run_job){.plan = &plan, .rank = rank, .leader.events = -1};
    bool open = run_links_open(&job.links, RANKS);
    for (int i = 0; open && i < connected; i++) {
        int ends[2];
        open = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
        channel_stream_open(&supervisor[i], ends[1]);
        run_link_opened(&job, i, ends[0], &(struct channel_hello){.rank = i});
    }
    plan.by_agent = true;
    return open;
}

static void end(int connected)
{
    for (int i = 0; i < connected; i++)
        channel_stream_close(&supervisor[i]);
    run_links_close(&job.links);
    free(job.report);
}

TEST(a_supervisor_that_does_not_come_ends_the_job)
{
    REQUIRE(begin(1));
    run_agent_turn(&job);
    CHECK(!job.agent_lost);
    job.links.opened_at -= 61 * SECOND;
    run_agent_turn(&job);
    CHECK(job.agent_lost && job.agent_said);
    end(1);
}

TEST(a_rank_that_is_lost_before_the_agents_are_ready_ends_the_job)
{
    REQUIRE(begin(RANKS));
    job.leader.phase = LEADER_SETS_UP;
    CHECK(!run_cannot_begin(&job));
    channel_stream_close(&supervisor[1]);
    run_read_reports(&job);
    CHECK(rank[1].ended && run_cannot_begin(&job));
    job.leader.phase = LEADER_RUNS; /* programs without MPI may end */
    CHECK(!run_cannot_begin(&job));
    end(RANKS);
}

/* ---- agents -------------------------------------------------------------------------------------------------------- */

static struct scenario scenario;
static const struct texts defines;
static struct leader leader;
static struct channel_stream agent[AGENTS];
static char told[256];
static bool is_fatal;

static void tell(void *driver, bool fatal, const char *host, const char *text)
{
    (void)driver;
    snprintf(told, sizeof told, "%s: %s", host, text);
    is_fatal = fatal;
}

/* Both agents are there and have the scenario. */
static bool gather(void)
{
    static const char text[] = "Daemon D {\nnode 1:\n}\nComputer P { daemon = D; }\n";
    bool is_new;
    told[0] = '\0';
    is_fatal = false;
    if (scenario_compile(&usage, "test.fail", strdup(text), sizeof text - 1, &defines, &scenario) != 0)
        return false;
    leader = (struct leader){.scenario = &scenario, .defines = &defines, .tell = tell};
    if (!leader_open(&leader, "h1") || leader_add(&leader, "h2", &is_new) != 1)
        return false;
    leader_complete(&leader);
    for (int i = 0; i < AGENTS; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            return false;
        channel_stream_open(&agent[i], ends[1]);
        leader_joined(&leader, ends[0], &(struct channel_hello){.rank = -1 - i});
    }
    return leader.phase == LEADER_SETS_UP;
}

static void scatter(void)
{
    for (int i = 0; i < AGENTS; i++)
        channel_stream_close(&agent[i]);
    leader_close(&leader);
    scenario_close(&scenario);
}

static void say_ready(int number)
{
    channel_put(&agent[number], CHANNEL_READY, NULL, 0, NULL, 0);
    leader_turn(&leader);
}

static void look_after(int64_t seconds)
{
    leader.since -= seconds * SECOND;
    leader.ping_at = 0;
    leader_ping(&leader);
}

TEST(an_agent_that_does_not_get_ready_is_told_once)
{
    REQUIRE(gather());
    say_ready(0);
    look_after(30);
    CHECK_STR(told, "");
    look_after(10);
    CHECK_STR(told, "h2: the agent does not answer");
    CHECK(is_fatal);
    told[0] = '\0';
    look_after(10);
    CHECK_STR(told, "");
    scatter();
}

TEST(each_step_of_the_beginning_has_its_time)
{
    REQUIRE(gather());
    look_after(30);
    say_ready(0);
    say_ready(1);
    CHECK(leader.phase == LEADER_BEGINS);
    look_after(30);
    CHECK_STR(told, "");
    look_after(10);
    CHECK_STR(told, "h1: the agent does not answer");
    scatter();
}

/* TCP gave it up. */
static void fall_silent(int number)
{
    leader.agent[number].stream.lost = leader.agent[number].stream.silent = true;
    channel_put(&agent[number], CHANNEL_ALIVE, NULL, 0, NULL, 0); /* an event */
    leader_turn(&leader);
}

TEST(a_host_may_be_lost_once_the_scenario_runs)
{
    REQUIRE(gather());
    say_ready(0);
    say_ready(1);
    say_ready(0);
    say_ready(1);
    CHECK(leader.phase == LEADER_RUNS);
    fall_silent(1);
    CHECK_STR(told, "");
    CHECK(leader.agent[1].is_over);
    scatter();
}

TEST(and_not_before)
{
    REQUIRE(gather());
    fall_silent(1);
    CHECK_STR(told, "h2: nothing is heard of the agent any more");
    CHECK(is_fatal);
    scatter();
}
