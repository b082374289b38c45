/* live_log: `knell live --log FILE`: everything done and every note as one line (log.h), in the order of time, so that whatever
 * happened can be explained afterwards. Times are from the moment all had started. */
#include "cli/live/live.h"

#include <stdlib.h>

struct line {
    int64_t when;
    const struct knell__injection *injection; /* or */
    bool resumed;
    const struct knell__away *away; /* or */
    const struct knell__live_note *note;
};

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct line *)a)->when, y = ((const struct line *)b)->when;
    return (x > y) - (x < y);
}

static void put_failed(struct knell_json *j, const struct knell__live_note *note)
{
    knell_json_put_unsigned(j, "dead", note->as.failed.rank);
    knell_json_put_unsigned(j, "by", note->as.failed.by);
    knell_json_put_string(j, "why", knell_why_text(note->as.failed.why));
    knell_json_put_unsigned(j, "late", note->as.failed.starved); /* times that its detector ran late, so far */
    knell_json_put_seconds(j, "late_max_s", note->as.failed.starved_most);
}

static void put_counted(struct knell_json *j, const struct knell__live_note *note)
{
    knell_json_put_unsigned(j, "datagrams", note->as.counted.datagrams);
    knell_json_put_unsigned(j, "bytes", note->as.counted.bytes);
    knell_json_put_unsigned(j, "missed_deadlines", note->as.counted.missed);
    knell_json_put_seconds(j, "late_max_s", note->as.counted.starved);
    knell_json_put_seconds(j, "cpu_s", note->as.counted.cpu);
    knell_json_put_seconds(j, "span_s", note->as.counted.span);
}

static void put_note(struct knell_json *j, const struct knell__live_note *note)
{
    knell_json_put_unsigned(j, "rank", note->rank);
    if (note->word == KNELL__LIVE_FAILED)
        put_failed(j, note);
    if (note->word == KNELL__LIVE_COUNTED)
        put_counted(j, note);
    if (note->word == KNELL__LIVE_GONE) {
        knell_json_put_unsigned(j, "first", note->as.gone.first);
        knell_json_put_unsigned(j, "last", note->as.gone.last);
    }
}

static void put_away(struct knell_json *j, const struct knell__away *away, int64_t begin)
{
    knell_json_put_integer(j, "cpu", away->cpu);
    knell_json_put_seconds(j, "until_s", away->end - begin);
    knell_json_put_string(j, "seen_by",
                          away->stolen ? "account" : "watcher"); /* the system's, or a thread that woke late */
}

static const char *event_of(const struct line *line)
{
    static const char *const notes[] = {[KNELL__LIVE_STARTED] = "started",
                                        [KNELL__LIVE_FAILED] = "learned",
                                        [KNELL__LIVE_GONE] = "view",
                                        [KNELL__LIVE_COUNTED] = "counted",
                                        [KNELL__LIVE_BROKEN] = "broken"};
    static const char *const done[] = {
        [KNELL__LIVE_KILL] = "killed", [KNELL__LIVE_STOP] = "stopped", [KNELL__LIVE_CUT] = "cut"};
    if (line->note)
        return notes[line->note->word];
    return line->away ? "away" : line->resumed ? "resumed" : done[line->injection->kind];
}

static void write_line(struct knell__log *file, const struct line *line)
{
    struct knell_json *j = knell__log_begin(file, line->when, event_of(line));
    if (line->note)
        put_note(j, line->note);
    else if (line->away)
        put_away(j, line->away, file->zero);
    else
        knell_json_put_unsigned(j, "rank", line->injection->rank);
    knell__log_end(file);
}

static size_t collect(const struct knell__live_plan *plan, const struct knell__live_log *log, struct line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < log->count; i++)
        line[count++] = (struct line){.when = log->note[i].when, .note = &log->note[i]};
    for (size_t i = 0; i < log->aways; i++)
        line[count++] = (struct line){.when = log->away[i].begin, .away = &log->away[i]};
    for (size_t i = 0; i < plan->injections.count; i++) {
        const struct knell__injection *injection = &plan->injections.item[i];
        if (injection->done)
            line[count++] = (struct line){.when = injection->done, .injection = injection};
        if (injection->resumed)
            line[count++] = (struct line){.when = injection->resumed, .injection = injection, .resumed = true};
    }
    return count;
}

int knell__live_log_write(const struct knell_usage *usage, const struct knell__live_plan *plan,
                          const struct knell__live_log *log, struct knell__log *file)
{
    struct line *line = calloc(log->count + log->aways + 2 * plan->injections.count + 1, sizeof *line);
    if (!line)
        return knell__cli_broken(usage, "no memory for --log");
    size_t count = collect(plan, log, line);
    qsort(line, count, sizeof *line, by_time);
    file->zero = log->begin;
    for (size_t i = 0; i < count; i++)
        write_line(file, &line[i]);
    free(line);
    return KNELL_EXIT_OK;
}
