/* Whom `knell run` tells of a death that the detectors cannot know at once: the last rank of a host ended; Slurm gave a host up. */
#include "cli/run/run.h"
#include "test.h"

#include <knell/core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { RANKS = 6 };

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;
static struct channel_stream supervisor[RANKS];

static void say(int process, struct job_report report)
{
    report.process = process;
    report.when = report.when ? report.when : 1;
    channel_put(&supervisor[process], CHANNEL_REPORT, &report, sizeof report, NULL, 0);
    CHECK_EQ_U64(channel_unsent(&supervisor[process]), 0);
}

/* Each letter is the host of a rank. All have left MPI_Init. */
static bool begin(const char *hosts)
{
    memset(rank, 0, sizeof rank);
    plan = (struct run_plan){.ranks = RANKS, .address = "10.0.0.1"};
    job = (struct run_job){.plan = &plan, .rank = rank};
    bool open = run_links_open(&job.links, RANKS);
    for (int i = 0; open && i < RANKS; i++) {
        int ends[2];
        struct channel_hello hello = {.rank = i};
        open = socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
        channel_stream_open(&supervisor[i], ends[1]);
        snprintf(hello.name, sizeof hello.name, "%c.cluster", hosts[i]);
        run_link_opened(&job, i, ends[0], &hello);
        say(i, (struct job_report){.word = JOB_WORD_READY});
    }
    run_read_reports(&job);
    return open;
}

static void end(void)
{
    for (int i = 0; i < RANKS; i++)
        channel_stream_close(&supervisor[i]);
    run_links_close(&job.links);
    free(job.report);
}

/* It has learned of so many deaths, and of those whose reports came. */
static void ends_knowing(int process, uint32_t deaths)
{
    struct channel_seen seen = {.desk.words.deaths = deaths};
    channel_put(&supervisor[process], CHANNEL_SEEN, &seen, sizeof seen, NULL, 0);
    say(process, (struct job_report){.word = JOB_WORD_ENDED, .value = 9});
    run_read_reports(&job);
}

static void learns(int process, int of)
{
    say(process, (struct job_report){.word = JOB_WORD_LEARNED, .peer = of, .value = KNELL_WHY_TIMEOUT});
}

/* The ranks whose supervisors were told that `dead` is dead, as digits; "" if none. */
static const char *told_of(int dead, enum knell_why why)
{
    static char text[RANKS + 1];
    size_t size = 0;
    run_read_reports(&job); /* sends what waits */
    for (int i = 0; i < RANKS; i++) {
        struct channel_message message;
        struct job_death death;
        channel_fill(&supervisor[i]);
        while (channel_next(&supervisor[i], &message)) {
            if (message.kind != CHANNEL_DEATH)
                continue;
            memcpy(&death, message.body, sizeof death);
            CHECK_EQ_U64(message.size, sizeof death);
            CHECK_EQ_I64(death.rank, dead);
            CHECK_EQ_I64(death.why, why);
            text[size++] = (char)('0' + i);
        }
    }
    text[size] = '\0';
    return text;
}

TEST(who_was_alone_on_its_host_is_told_of_on_every_other)
{
    REQUIRE(begin("abcdde"));
    ends_knowing(1, 0);
    CHECK_STR(told_of(1, KNELL_WHY_KERNEL), "0235");
    end();
}

TEST(while_another_rank_of_the_host_lives_its_kernel_tells)
{
    REQUIRE(begin("aabbcc"));
    ends_knowing(2, 0);
    CHECK_STR(told_of(2, KNELL_WHY_KERNEL), "");
    end();
}

/* They may have died together, so that neither told of the other. */
TEST(the_last_of_a_host_takes_the_others_along)
{
    REQUIRE(begin("abbccc"));
    ends_knowing(2, 0);
    CHECK_STR(told_of(2, KNELL_WHY_KERNEL), "");
    ends_knowing(1, 1); /* it knew of its neighbour, whose report is lost: only that one may be told of */
    CHECK_STR(told_of(2, KNELL_WHY_KERNEL), "03");
    end();
}

TEST(a_host_whose_last_rank_is_silent_has_dead_to_tell_of)
{
    REQUIRE(begin("abbccc"));
    ends_knowing(2, 0);
    job.links.link[1].is_host_lost = true;
    channel_stream_close(&supervisor[1]);
    CHECK_STR(told_of(2, KNELL_WHY_KERNEL), "03");
    end();
}

/* C2: what a rank did after it held another for dead must not look undone to that one. */
TEST(nobody_hears_for_certain_of_the_end_of_who_held_it_for_dead)
{
    REQUIRE(begin("abcdef"));
    learns(1, 0);
    learns(1, 3);
    ends_knowing(1, 2);
    CHECK_STR(told_of(1, KNELL_WHY_KERNEL), "245");
    end();
}

TEST(nobody_hears_of_it_when_it_is_not_known_whom_it_held_for_dead)
{
    REQUIRE(begin("abcdef"));
    learns(1, 0);
    ends_knowing(1, 2);
    CHECK_STR(told_of(1, KNELL_WHY_KERNEL), "");
    end();
}

/* A supervisor that is gone has not seen its rank end: that is no more sure than silence. */
TEST(a_lost_connection_is_no_end_that_was_seen)
{
    REQUIRE(begin("abcdef"));
    channel_stream_close(&supervisor[1]);
    run_read_reports(&job);
    CHECK(rank[1].ended);
    CHECK_STR(told_of(1, KNELL_WHY_OPERATOR), "02345");
    end();
}

TEST(who_has_finished_is_not_dead)
{
    REQUIRE(begin("abcdef"));
    say(1, (struct job_report){.word = JOB_WORD_FINISHED});
    ends_knowing(1, 0);
    CHECK_STR(told_of(1, KNELL_WHY_KERNEL), "");
    end();
}

TEST(on_one_host_nobody_is_told)
{
    REQUIRE(begin("abcdef"));
    plan.address[0] = '\0';
    ends_knowing(1, 0);
    CHECK_STR(told_of(1, KNELL_WHY_KERNEL), "");
    end();
}

TEST(a_host_that_slurm_gave_up_is_as_good_as_silent)
{
    REQUIRE(begin("aabccc"));
    run_told_host_down(&job, "bb");
    CHECK_STR(told_of(2, KNELL_WHY_OPERATOR), "");
    run_told_host_down(&job, "b");
    CHECK_STR(told_of(2, KNELL_WHY_OPERATOR), "03");
    run_told_host_down(&job, "b.elsewhere");
    CHECK_STR(told_of(2, KNELL_WHY_OPERATOR), "03");
    end();
}
