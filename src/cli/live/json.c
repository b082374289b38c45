/* live_json: the verdict of `knell live` as JSON. */
#include "cli/common/heartbeat.h"
#include "cli/common/json.h"
#include "cli/live/live.h"

static void write_detection(struct knell_json *j, const struct knell__live_log *log, const struct knell__detection *d)
{
    knell_json_object(j);
    knell_json_put_unsigned(j, "rank", d->injection->rank);
    knell_json_put_string(j, "kind", knell__live_kind_text(d->injection->kind));
    if (d->injection->done)
        knell_json_put_seconds(j, "at_s", d->injection->done - log->begin);
    if (d->knowing) {
        knell_json_put_real(j, "first_s", d->first_s);
        knell_json_put_real(j, "mean_s", d->mean_s);
        knell_json_put_real(j, "last_s", d->last_s);
        knell_json_put_unsigned(j, "by", d->by);
        knell_json_put_string(j, "why", knell_why_text(d->why));
    }
    knell_json_put_unsigned(j, "knowing", d->knowing);
    knell_json_put_unsigned(j, "survivors", d->survivors);
    knell_json_close(j);
}

static void write_run(struct knell_json *j, const struct knell__live_plan *plan, const struct knell__live_log *log)
{
    knell_json_put_unsigned(j, "ranks", (uint64_t)plan->ranks);
    knell_json_put_seconds(j, "eta_s", plan->eta);
    knell_json_put_seconds(j, "delta_s", plan->delta);
    knell_json_put_unsigned(j, "hosts", (uint64_t)plan->hosts);
    knell_json_put_bool(j, "namespaces", log->namespaces);
    knell_json_put_bool(j, "shortcuts", !plan->no_shortcuts);
    knell_json_put_string(j, "overlay", knell__overlay_names[plan->overlay]);
    knell_json_put_bool(j, "latest_only", plan->latest_only);
}

void knell__live_json(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                      const struct knell__verdict *verdict)
{
    struct knell_json j;
    knell_json_begin(&j, out);
    knell_json_object(&j);
    write_run(&j, plan, log);
    knell_json_key(&j, "detections");
    knell_json_array(&j);
    for (size_t i = 0; i < plan->injections.count; i++)
        write_detection(&j, log, &verdict->detection[i]);
    knell_json_close(&j);
    knell_json_put_unsigned(&j, "false_positives", verdict->false_positives);
    knell_json_put_unsigned(&j, "false_positives_away", verdict->false_positives_away);
    knell_json_put_unsigned(&j, "away_windows", log->aways);
    knell_json_put_bool(&j, "away_watched", log->watched);
    knell_json_put_unsigned(&j, "unknown", verdict->unknown);
    knell_json_put_unsigned(&j, "wrong_views", verdict->wrong_views);
    knell_json_put_unsigned(&j, "missed_deadlines", verdict->missed_deadlines);
    knell_json_put_unsigned(&j, "broadcasts_started", verdict->broadcasts);
    knell_json_put_unsigned(&j, "broadcasts_forwarded", verdict->forwarded);
    knell_json_put_real(&j, "msgs_per_s", verdict->msgs_per_s);
    knell_json_put_real(&j, "bytes_per_s", verdict->bytes_per_s);
    knell_json_put_real(&j, "cpu_percent", verdict->cpu_percent);
    knell_json_put_real(&j, "starved_max_s", verdict->starved_s);
    knell_json_put_real(&j, "steal_max_s", log->steal_s);
    knell_json_put_real(&j, "late_max_s", log->longest_s);
    knell_json_put_unsigned(&j, "descriptors_grown", (uint64_t)verdict->descriptors_grown);
    knell_json_put_unsigned(&j, "kib_grown", (uint64_t)verdict->kib_grown);
    knell_json_close(&j);
}
