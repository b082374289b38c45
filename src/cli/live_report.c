/* live_report: the verdict of `knell live` as a table or as JSON. */
#include "cli/json.h"
#include "cli/live.h"

#include <inttypes.h>

static const char *kind_text(enum knell__live_kind kind)
{
    return kind == KNELL__LIVE_KILL ? "kill" : "stop";
}

static void write_table(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                        const struct knell__verdict *verdict)
{
    if (plan->injections)
        fprintf(out, "\n%6s  %-4s  %10s  %10s  %10s  %9s  by\n", "victim", "kind", "first", "mean", "last", "know");
    for (size_t i = 0; i < plan->injections; i++) {
        const struct knell__detection *d = &verdict->detection[i];
        fprintf(out, "%6" PRIu32 "  %-4s  ", d->injection->rank, kind_text(d->injection->kind));
        if (d->knowing)
            fprintf(out, "%7.3f ms  %7.3f ms  %7.3f ms  %4" PRIu32 "/%-4" PRIu32 "  rank %" PRIu32 " (%s)\n", d->first_ms,
                    d->mean_ms, d->last_ms, d->knowing, d->survivors, d->by, knell_why_text(d->why));
        else
            fprintf(out, "%s\n", d->expected ? "NOT DETECTED" : "shorter than delta: rightly not suspected");
    }
    fprintf(out, "\nfalse positives %" PRIu32 ", missed heartbeats %" PRIu64 ", %.0f datagrams/s, %.0f bytes/s, %.3f %% of a core "
                 "per process\n", verdict->false_positives, verdict->missed_deadlines, verdict->msgs_per_s,
            verdict->bytes_per_s, verdict->cpu_percent);
    fprintf(out, "the longest a detector ran late %.1f ms; the most the machine was away in 100 ms %.0f ms\n",
            verdict->starved_ms, log->steal_ms);
}

static void number(struct knell_json *j, const char *key, double value)
{
    knell_json_key(j, key);
    knell_json_real(j, value);
}

static void whole(struct knell_json *j, const char *key, uint64_t value)
{
    knell_json_key(j, key);
    knell_json_unsigned(j, value);
}

static void word(struct knell_json *j, const char *key, const char *text)
{
    knell_json_key(j, key);
    knell_json_string(j, text);
}

static void write_detection(struct knell_json *j, const struct knell__detection *d)
{
    knell_json_object(j);
    whole(j, "victim", d->injection->rank);
    word(j, "kind", kind_text(d->injection->kind));
    if (d->knowing) {
        number(j, "first_ms", d->first_ms);
        number(j, "mean_ms", d->mean_ms);
        number(j, "last_ms", d->last_ms);
        whole(j, "by", d->by);
        word(j, "why", knell_why_text(d->why));
    }
    whole(j, "knowing", d->knowing);
    whole(j, "survivors", d->survivors);
    knell_json_close(j);
}

static void write_json(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                       const struct knell__verdict *verdict)
{
    struct knell_json j;
    knell_json_begin(&j, out);
    knell_json_object(&j);
    number(&j, "eta_ms", (double)plan->eta * 1e-6);
    number(&j, "delta_ms", (double)plan->delta * 1e-6);
    whole(&j, "n", (uint64_t)plan->nodes);
    whole(&j, "hosts", (uint64_t)plan->hosts);
    knell_json_key(&j, "shortcuts");
    knell_json_bool(&j, !plan->no_shortcuts);
    knell_json_key(&j, "detections");
    knell_json_array(&j);
    for (size_t i = 0; i < plan->injections; i++)
        write_detection(&j, &verdict->detection[i]);
    knell_json_close(&j);
    whole(&j, "false_positives", verdict->false_positives);
    whole(&j, "unknown", verdict->unknown);
    whole(&j, "missed_deadlines", verdict->missed_deadlines);
    number(&j, "msgs_per_s", verdict->msgs_per_s);
    number(&j, "bytes_per_s", verdict->bytes_per_s);
    number(&j, "cpu_percent", verdict->cpu_percent);
    number(&j, "starved_ms_max", verdict->starved_ms);
    number(&j, "steal_ms_max", log->steal_ms);
    knell_json_close(&j);
}

void knell__live_report(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                        const struct knell__verdict *verdict)
{
    if (plan->json)
        write_json(out, plan, log, verdict);
    else
        write_table(out, plan, log, verdict);
}
