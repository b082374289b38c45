/* report.c: the verdict of `knell live` as text. */
#include "cli/live/live.h"

#include <inttypes.h>

const char *live_injection_text(enum live_injection_kind kind)
{
    static const char *const texts[] = {"kill", "stop", "cut"};
    return texts[kind];
}

static void write_detections(FILE *out, const struct live_plan *plan, const struct live_verdict *verdict)
{
    if (plan->injections.count)
        fprintf(out, "\n%6s  %-4s  %10s  %10s  %10s  %9s  by\n", "victim", "kind", "first", "mean", "last", "know");
    for (size_t i = 0; i < plan->injections.count; i++) {
        const struct live_detection *d = &verdict->detection[i];
        fprintf(out, "%6" PRIu32 "  %-4s  ", d->injection->rank, live_injection_text(d->injection->kind));
        if (d->knowing)
            fprintf(out, "%7.3f ms  %7.3f ms  %7.3f ms  %4" PRIu32 "/%-4" PRIu32 "  rank %" PRIu32 " (%s)\n",
                    1e3 * d->first_s, 1e3 * d->mean_s, 1e3 * d->last_s, d->knowing, d->survivors, d->by,
                    knell_why_text(d->why));
        else
            fprintf(out, "%s\n", d->expected ? "NOT DETECTED" : "shorter than delta: rightly not suspected");
    }
}

/* The possible cause: the observer ran late, or the machine was away. In the latter case the note is "excused" and
 * no false positive. */
static void explain(FILE *out, const struct live_record *record, const struct live_false_positive *wrong)
{
    const struct live_note *note = wrong->note;
    fprintf(out,
            "%s: rank %" PRIu32 " lived, but rank %" PRIu32 " held it for dead (%s), as rank %" PRIu32
            " noted at %.4f s; its own detector had been late %" PRIu32 " times, %.1f ms at most; the machine was %s\n",
            wrong->away ? "excused" : "FALSE", note->as.failed.rank, note->as.failed.by,
            knell_why_text(note->as.failed.why), note->rank, (double)(note->when - record->begin) * 1e-9,
            note->as.failed.starved, (double)note->as.failed.starved_most * 1e-6,
            wrong->away ? "away" : "not seen to be away");
}

static void write_absences(FILE *out, const struct live_record *record, const struct live_verdict *verdict)
{
    fprintf(out, "the longest a detector ran late %.1f ms; the most a processor was taken away in a sample %.0f ms",
            1e3 * verdict->starved_s, 1e3 * record->steal_s);
    if (record->watched)
        fprintf(out, "; the latest a thread before all others woke %.1f ms", 1e3 * record->longest_s);
    fputc('\n', out);
    if (record->absences)
        fprintf(out, "the machine was away for more than delta / 2 %zu times\n", record->absences);
}

void live_report(FILE *out, const struct live_plan *plan, const struct live_record *record,
                 const struct live_verdict *verdict)
{
    write_detections(out, plan, verdict);
    fputc('\n', out);
    for (uint32_t i = 0; i < verdict->wrongs; i++)
        explain(out, record, &verdict->wrong[i]);
    fprintf(out, "false positives %" PRIu32, verdict->false_positives);
    if (verdict->false_positives_away)
        fprintf(out, " (and %" PRIu32 " excused: the machine was away)", verdict->false_positives_away);
    fprintf(out, ", wrong views at the end %" PRIu32 ", missed heartbeats %" PRIu64 "\n", verdict->wrong_views,
            verdict->missed_deadlines);
    fprintf(out, "%.0f datagrams/s, %.0f bytes/s, %.3f %% of a core per process\n", verdict->msgs_per_s,
            verdict->bytes_per_s, verdict->cpu_percent);
    write_absences(out, record, verdict);
}
