/* live_report: the verdict of `knell live` as text. */
#include "cli/live/live.h"

#include <inttypes.h>

const char *knell__live_kind_text(enum knell__live_kind kind)
{
    static const char *const texts[] = {"kill", "stop", "cut"};
    return texts[kind];
}

static void write_detections(FILE *out, const struct knell__live_plan *plan, const struct knell__verdict *verdict)
{
    if (plan->injections.count)
        fprintf(out, "\n%6s  %-4s  %10s  %10s  %10s  %9s  by\n", "victim", "kind", "first", "mean", "last", "know");
    for (size_t i = 0; i < plan->injections.count; i++) {
        const struct knell__detection *d = &verdict->detection[i];
        fprintf(out, "%6" PRIu32 "  %-4s  ", d->injection->rank, knell__live_kind_text(d->injection->kind));
        if (d->knowing)
            fprintf(out, "%7.3f ms  %7.3f ms  %7.3f ms  %4" PRIu32 "/%-4" PRIu32 "  rank %" PRIu32 " (%s)\n",
                    1e3 * d->first_s, 1e3 * d->mean_s, 1e3 * d->last_s, d->knowing, d->survivors, d->by,
                    knell_why_text(d->why));
        else
            fprintf(out, "%s\n", d->expected ? "NOT DETECTED" : "shorter than delta: rightly not suspected");
    }
}

/* Whose fault it may have been: the observer's lateness, the machine's absence. The last is no false positive: the same word as
 * in the count says so. */
static void explain(FILE *out, const struct knell__live_log *log, const struct knell__false *wrong)
{
    const struct knell__live_note *note = wrong->note;
    fprintf(out,
            "%s: rank %" PRIu32 " lived, but rank %" PRIu32 " held it for dead (%s), as rank %" PRIu32
            " noted at %.4f s; its own detector had been late %" PRIu32 " times, %.1f ms at most; the machine was %s\n",
            wrong->away ? "excused" : "FALSE", note->as.failed.rank, note->as.failed.by,
            knell_why_text(note->as.failed.why), note->rank, (double)(note->when - log->begin) * 1e-9,
            note->as.failed.starved, (double)note->as.failed.starved_most * 1e-6,
            wrong->away ? "away" : "not seen to be away");
}

static void write_away(FILE *out, const struct knell__live_log *log, const struct knell__verdict *verdict)
{
    fprintf(out, "the longest a detector ran late %.1f ms; the most a processor was taken away in a sample %.0f ms",
            1e3 * verdict->starved_s, 1e3 * log->steal_s);
    if (log->watched)
        fprintf(out, "; the latest a thread before all others woke %.1f ms", 1e3 * log->longest_s);
    fputc('\n', out);
    if (log->aways)
        fprintf(out, "the machine was away for more than delta / 2 %zu times\n", log->aways);
}

void knell__live_report(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                        const struct knell__verdict *verdict)
{
    write_detections(out, plan, verdict);
    fputc('\n', out);
    for (uint32_t i = 0; i < verdict->wrongs; i++)
        explain(out, log, &verdict->wrong[i]);
    fprintf(out, "false positives %" PRIu32, verdict->false_positives);
    if (verdict->false_positives_away)
        fprintf(out, " (and %" PRIu32 " excused: the machine was away)", verdict->false_positives_away);
    fprintf(out, ", wrong views at the end %" PRIu32 ", missed heartbeats %" PRIu64 "\n", verdict->wrong_views,
            verdict->missed_deadlines);
    fprintf(out, "%.0f datagrams/s, %.0f bytes/s, %.3f %% of a core per process\n", verdict->msgs_per_s,
            verdict->bytes_per_s, verdict->cpu_percent);
    write_away(out, log, verdict);
}
