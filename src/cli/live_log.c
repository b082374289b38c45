/* live_log: `knell live --log FILE`: everything done and every note as one line, in the order of time, so that whatever
 * happened can be explained afterwards. Times are in seconds after all had started. */
#include "cli/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void write_note(FILE *out, const struct knell__live_note *note)
{
    fprintf(out, "rank %" PRIu32 " ", note->rank);
    switch (note->word) {
    case KNELL__LIVE_STARTED:
        fputs("started", out);
        break;
    case KNELL__LIVE_FAILED:
        fprintf(out, "holds %" PRIu32 " for dead, found by %" PRIu32 " (%s); its detector was late %" PRIu32
                     " times so far, %.3f ms at most", note->as.failed.rank, note->as.failed.by,
                knell_why_text(note->as.failed.why), note->as.failed.starved, (double)note->as.failed.starved_most * 1e-6);
        break;
    case KNELL__LIVE_GONE:
        fprintf(out, "holds %" PRIu32 " to %" PRIu32 " for gone at the end", note->as.gone.first, note->as.gone.last);
        break;
    case KNELL__LIVE_COUNTED:
        fprintf(out, "sent %" PRIu64 " datagrams, missed %" PRIu64 " heartbeats, was late %.3f ms at most, ran %.3f ms of %.3f s",
                note->as.counted.datagrams, note->as.counted.missed, (double)note->as.counted.starved * 1e-6,
                (double)note->as.counted.cpu * 1e-6, (double)note->as.counted.span * 1e-9);
        break;
    case KNELL__LIVE_BROKEN:
        fputs("could not start", out);
        break;
    }
}

static void write_line(FILE *out, const struct line *line, int64_t begin)
{
    static const char *const done[] = {"killed", "stopped", "cut off"};
    fprintf(out, "%.6f ", (double)(line->when - begin) * 1e-9);
    if (line->note)
        write_note(out, line->note);
    else if (line->away)
        fprintf(out, "processor %d was away until %.6f, by %s", line->away->cpu, (double)(line->away->end - begin) * 1e-9,
                line->away->stolen ? "the system's account" : "a thread that woke late");
    else
        fprintf(out, "rank %" PRIu32 " is %s", line->injection->rank,
                line->resumed ? "resumed" : done[line->injection->kind]);
    fputc('\n', out);
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
                          const struct knell__live_log *log)
{
    struct line *line = calloc(log->count + log->aways + 2 * plan->injections.count + 1, sizeof *line);
    FILE *out = line ? fopen(plan->log, "we") : NULL;
    int status = KNELL_EXIT_OK;
    if (!out) {
        free(line);
        return knell__cli_broken(usage, "--log %.200s: %s", plan->log, strerror(errno));
    }
    size_t count = collect(plan, log, line);
    qsort(line, count, sizeof *line, by_time);
    for (size_t i = 0; i < count; i++)
        write_line(out, &line[i], log->begin);
    if (ferror(out) | (fclose(out) != 0))
        status = knell__cli_broken(usage, "--log %.200s: cannot be written", plan->log);
    free(line);
    return status;
}
