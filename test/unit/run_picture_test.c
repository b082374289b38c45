/* The picture, the places and the durations of `knell run`, with few ranks and with many. A column of the picture is a millisecond. */
#include "cli/run/run.h"
#include "job/calls.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define US INT64_C(1000)
enum { MOST = 100, BEGIN = 5 };

static struct run_rank rank[MOST];
static struct run_link link[MOST];
static struct job_report report[20 * MOST];
static struct run_plan plan;
static struct run_job job;

static void begin(int ranks)
{
    memset(rank, 0, sizeof rank);
    unsetenv("COLUMNS");
    plan = (struct run_plan){.ranks = ranks, .timeout = 1000 * MS};
    job = (struct run_job){
        .plan = &plan, .rank = rank, .links.link = link, .report = report, .begin = BEGIN, .end = BEGIN + 64 * MS};
    for (int i = 0; i < ranks; i++)
        rank[i] = (struct run_rank){.started = true, .init = true, .ready = true, .left = true, .inside = -1};
}

static void dies(int number, int64_t ms)
{
    rank[number].died = BEGIN + ms * MS;
    rank[number].left = false;
}

static void recovers(int number, int64_t from_ms, int64_t took_ms)
{
    report[job.reports++] = (struct job_report){
        .word = JOB_WORD_DID, .process = number, .when = BEGIN + from_ms * MS, .took = took_ms * MS};
}

static void agrees(int number, int64_t from_us, int64_t took_us)
{
    report[job.reports++] = (struct job_report){.word = JOB_WORD_DID,
                                                .process = number,
                                                .when = BEGIN + from_us * US,
                                                .took = took_us * US,
                                                .value = JOB_CALL_COMM_AGREE};
}

static char *written(void (*writes)(const struct run_job *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    writes(&job, out);
    fclose(out);
    return text;
}

static int lines(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

TEST(few_ranks_have_a_row_each)
{
    begin(32);
    dies(7, 2);
    recovers(8, 1, 1);
    char *text = written(run_write_picture);
    CHECK_EQ_I64(lines(text), 3 + 32 + 2);
    CHECK(strstr(text, "\n  rank 7     ──✗\n") != NULL);
    CHECK(strstr(text, "\n  rank 8     ─█─") != NULL);
    CHECK(strstr(text, "other") == NULL);
    free(text);
}

TEST(a_cell_is_as_dark_as_its_share_of_time)
{
    begin(2);
    agrees(0, 1000, 200);
    agrees(0, 2100, 400);
    agrees(0, 3000, 300);
    agrees(0, 3500, 300);
    agrees(0, 4100, 900);
    agrees(0, 6900, 200); /* touches two */
    char *text = written(run_write_picture);
    CHECK(strstr(text, "\n  rank 0     ─░▒▓█─░░─") != NULL);
    free(text);
}

TEST(a_picture_is_as_wide_as_the_terminal)
{
    begin(1);
    setenv("COLUMNS", "48", 1);
    char *text = written(run_write_picture);
    CHECK(strstr(text, "\n  rank 0     ────────────────────────────────\n") != NULL);
    CHECK(strstr(text, "\n             0                          64 ms\n") != NULL);
    free(text);
    unsetenv("COLUMNS");
}

/* One that agrees in every iteration: before the death, across it, and after. */
TEST(only_calls_near_a_death_are_listed)
{
    begin(2);
    rank[1].status = 0;
    for (int i = 0; i < 60; i++)
        agrees(0, 1000 * i, 500);
    dies(1, 30);
    char *text = written(run_write_timeline);
    CHECK(strstr(text, "0.0290 s    MPIX_Comm_agree") == NULL);
    CHECK(strstr(text, "0.0300 s    MPIX_Comm_agree by 1 rank: 0.500 ms in all, the longest 0.500 ms\n"));
    CHECK(strstr(text, "0.0310 s    MPIX_Comm_agree") != NULL);
    CHECK(strstr(text, "0.0320 s    MPIX_Comm_agree") == NULL);
    CHECK(strstr(text, "             and 58 more of MPIX_Comm_agree, not near a death; --log has them\n") != NULL);
    free(text);
}

TEST(what_is_called_after_the_end_is_not_shown)
{
    struct run_span *span;
    begin(2);
    recovers(0, 1, 1);
    recovers(1, 64, 1);
    char *text = written(run_write_picture);
    CHECK(strstr(text, "\n  rank 0     ─█─") != NULL);
    CHECK(strstr(text, "█\n") == NULL);
    CHECK_EQ_I64((int64_t)run_spans(&job, 0, &span), 1);
    free(span);
    free(text);
}

TEST(of_many_ranks_the_dead_have_a_row_each_and_the_others_one)
{
    begin(48);
    dies(7, 2);
    dies(40, 4);
    recovers(0, 3, 1);
    recovers(47, 6, 0);
    char *text = written(run_write_picture);
    CHECK_EQ_I64(lines(text), 3 + 3 + 2);
    CHECK(strstr(text, "\n  rank 7     ──✗\n  rank 40    ────✗\n  46 others  ───░──░─") != NULL);
    free(text);
}

TEST(more_dead_than_rows_are_counted)
{
    begin(MOST);
    for (int i = 0; i < MOST - 1; i++)
        dies(i, 1);
    char *text = written(run_write_picture);
    CHECK_EQ_I64(lines(text), 3 + 32 + 2 + 2);
    CHECK(strstr(text, "\n  and 67 more that died\n  1 other    ──") != NULL);
    dies(MOST - 1, 1);
    free(text);
    text = written(run_write_picture);
    CHECK(strstr(text, "other") == NULL);
    free(text);
}

TEST(neighbours_in_the_same_place_share_a_line)
{
    begin(MOST);
    for (int i = 0; i < MOST; i++)
        rank[i].told = i != 50;
    dies(51, 1);
    rank[52].ghost = true;
    rank[99].ready = false;
    job.timed_out = true;
    char *text = written(run_write_where);
    CHECK_STR(text, "knell run: ended by --timeout after 1 s; where the ranks are:\n"
                    "  ranks 0 to 49: inside no MPI call\n"
                    "  rank 50: no answer\n"
                    "  rank 51: dead\n"
                    "  rank 52: ghost\n"
                    "  ranks 53 to 98: inside no MPI call\n"
                    "  rank 99: inside MPI_Init\n");
    free(text);
}

TEST(durations_have_three_digits)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {INT64_C(6936700000000), "1.93 h"},
        {312345678, "312 ms"},
        {INT64_C(999999999), "1 s"},
        {INT64_C(12345678901), "12.3 s"},
        {INT64_C(59990000000), "1 min"},
        {INT64_C(5000000000), "5 s"},
        {1234, "1.23 us"},
        {0, "0 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(run_format_duration(cases[i].ns, (char[DURATION_TEXT]){0}), cases[i].text);
}
