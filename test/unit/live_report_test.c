/* What `knell live` says of living processes that were held for dead: its lines and its counts are one judgement. */
#include "cli/live/live.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
enum { RANKS = 4, BEGIN = 1000 };

static struct live_note note[16];
static struct live_absence absence;
static struct live_plan plan;
static struct live_record record;

static void begin(void)
{
    plan = (struct live_plan){.ranks = RANKS, .hosts = 1, .eta = 10 * MS, .delta = 100 * MS, .duration = 3000 * MS};
    record = (struct live_record){.note = note, .begin = BEGIN, .end = BEGIN + 3000 * MS, .absence = &absence};
}

static void accuses(knell_rank who, knell_rank whom, int64_t ms)
{
    note[record.count++] = (struct live_note){.word = LIVE_NOTE_FAILED,
                                              .rank = who,
                                              .when = BEGIN + ms * MS,
                                              .as.failed = {.rank = whom, .by = who, .why = KNELL_WHY_TIMEOUT}};
}

static void machine_is_away(int64_t from_ms, int64_t to_ms)
{
    absence = (struct live_absence){.begin = BEGIN + from_ms * MS, .end = BEGIN + to_ms * MS};
    record.absences = 1;
}

static char *written(void (*writes)(FILE *, const struct live_plan *, const struct live_record *,
                                    const struct live_verdict *))
{
    struct live_verdict verdict;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (CHECK(live_judge(&plan, &record, &verdict)))
        writes(out, &plan, &record, &verdict);
    live_verdict_free(&verdict);
    fclose(out);
    return text;
}

TEST(who_is_called_false_is_counted)
{
    begin();
    accuses(1, 2, 500);
    char *text = written(live_report);
    CHECK(strstr(text, "FALSE: rank 2 lived") && strstr(text, "not seen to be away\n"));
    CHECK(strstr(text, "\nfalse positives 1, ") && !strstr(text, "excused"));
    free(text);
}

TEST(who_is_not_counted_is_not_called_false)
{
    begin();
    machine_is_away(400, 480);
    accuses(1, 2, 500);
    char *text = written(live_report);
    CHECK(strstr(text, "excused: rank 2 lived") && strstr(text, "the machine was away\n") && !strstr(text, "FALSE"));
    CHECK(strstr(text, "\nfalse positives 0 (and 1 excused: the machine was away), ") != NULL);
    free(text);
}

TEST(each_is_called_what_it_counts_as)
{
    begin();
    machine_is_away(400, 480);
    accuses(1, 2, 500);
    accuses(1, 3, 2000);
    char *text = written(live_report);
    CHECK(strstr(text, "excused: rank 2 lived") && strstr(text, "FALSE: rank 3 lived"));
    CHECK(strstr(text, "\nfalse positives 1 (and 1 excused: the machine was away), ") != NULL);
    free(text);
    text = written(live_json);
    CHECK(strstr(text, "\"false_positives\": 1,") && strstr(text, "\"false_positives_away\": 1,"));
    CHECK(strstr(text, "\"ranks\": 4,") && strstr(text, "\"delta_s\": 0.1,") && !strstr(text, "_ms"));
    free(text);
}
