/* log.c: `knell live --log FILE`: every note and everything that was done, one line each (common/log.h), in the
 * order of time. Times count from the moment all processes had started. */
#include "cli/live/live.h"

#include <stdlib.h>

struct line {
    int64_t when;
    const struct live_injection *injection; /* or */
    bool resumed;
    const struct live_absence *absence; /* or */
    const struct live_note *note;
};

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct line *)a)->when, y = ((const struct line *)b)->when;
    return (x > y) - (x < y);
}

static void put_failed(struct json *j, const struct live_note *note)
{
    json_put_unsigned(j, "dead", note->as.failed.rank);
    json_put_unsigned(j, "by", note->as.failed.by);
    json_put_string(j, "why", knell_why_text(note->as.failed.why));
    json_put_unsigned(j, "late", note->as.failed.starved); /* how often its detector had run late so far */
    json_put_seconds(j, "late_max_s", note->as.failed.starved_most);
}

static void put_counted(struct json *j, const struct live_note *note)
{
    json_put_unsigned(j, "datagrams", note->as.counted.datagrams);
    json_put_unsigned(j, "bytes", note->as.counted.bytes);
    json_put_unsigned(j, "missed_deadlines", note->as.counted.missed);
    json_put_seconds(j, "late_max_s", note->as.counted.starved);
    json_put_seconds(j, "cpu_s", note->as.counted.cpu);
    json_put_seconds(j, "span_s", note->as.counted.span);
}

static void put_note(struct json *j, const struct live_note *note)
{
    json_put_unsigned(j, "rank", note->rank);
    if (note->word == LIVE_NOTE_FAILED)
        put_failed(j, note);
    if (note->word == LIVE_NOTE_COUNTED)
        put_counted(j, note);
    if (note->word == LIVE_NOTE_GONE) {
        json_put_unsigned(j, "first", note->as.gone.first);
        json_put_unsigned(j, "last", note->as.gone.last);
    }
}

static void put_absence(struct json *j, const struct live_absence *absence, int64_t begin)
{
    json_put_integer(j, "cpu", absence->cpu);
    json_put_seconds(j, "until_s", absence->end - begin);
    json_put_string(j, "seen_by",
                    absence->stolen ? "account" : "watcher"); /* the kernel's account, or a thread that woke late */
}

static const char *event_of(const struct line *line)
{
    static const char *const notes[] = {[LIVE_NOTE_STARTED] = "started",
                                        [LIVE_NOTE_FAILED] = "learned",
                                        [LIVE_NOTE_GONE] = "view",
                                        [LIVE_NOTE_COUNTED] = "counted",
                                        [LIVE_NOTE_BROKEN] = "broken"};
    static const char *const done[] = {[LIVE_KILL] = "killed", [LIVE_STOP] = "stopped", [LIVE_CUT] = "cut"};
    if (line->note)
        return notes[line->note->word];
    return line->absence ? "away" : line->resumed ? "resumed" : done[line->injection->kind];
}

static void write_line(struct log *file, const struct line *line)
{
    struct json *j = log_begin(file, line->when, event_of(line));
    if (line->note)
        put_note(j, line->note);
    else if (line->absence)
        put_absence(j, line->absence, file->zero);
    else
        json_put_unsigned(j, "rank", line->injection->rank);
    log_end(file);
}

static size_t collect(const struct live_plan *plan, const struct live_record *record, struct line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < record->count; i++)
        line[count++] = (struct line){.when = record->note[i].when, .note = &record->note[i]};
    for (size_t i = 0; i < record->absences; i++)
        line[count++] = (struct line){.when = record->absence[i].begin, .absence = &record->absence[i]};
    for (size_t i = 0; i < plan->injections.count; i++) {
        const struct live_injection *injection = &plan->injections.item[i];
        if (injection->done)
            line[count++] = (struct line){.when = injection->done, .injection = injection};
        if (injection->resumed)
            line[count++] = (struct line){.when = injection->resumed, .injection = injection, .resumed = true};
    }
    return count;
}

int live_log_write(const struct usage *usage, const struct live_plan *plan, const struct live_record *record,
                   struct log *file)
{
    struct line *line = calloc(record->count + record->absences + 2 * plan->injections.count + 1, sizeof *line);
    if (!line)
        return cli_failure(usage, "no memory for --log");
    size_t count = collect(plan, record, line);
    qsort(line, count, sizeof *line, by_time);
    file->zero = record->begin;
    for (size_t i = 0; i < count; i++)
        write_line(file, &line[i]);
    free(line);
    return EXIT_OK;
}
