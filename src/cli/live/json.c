/* json.c: the verdict of `knell live` as JSON. */
#include "cli/live/live.h"
#include "cli/common/heartbeat.h"
#include "cli/common/json.h"

static void write_detection(struct json *j, const struct live_record *record, const struct live_detection *d)
{
    json_object(j);
    json_put_unsigned(j, "rank", d->injection->rank);
    json_put_string(j, "kind", live_injection_text(d->injection->kind));
    if (d->injection->done)
        json_put_seconds(j, "at_s", d->injection->done - record->begin);
    if (d->knowing) {
        json_put_real(j, "first_s", d->first_s);
        json_put_real(j, "mean_s", d->mean_s);
        json_put_real(j, "last_s", d->last_s);
        json_put_unsigned(j, "by", d->by);
        json_put_string(j, "why", knell_why_text(d->why));
    }
    json_put_unsigned(j, "knowing", d->knowing);
    json_put_unsigned(j, "survivors", d->survivors);
    json_close(j);
}

static void write_run(struct json *j, const struct live_plan *plan, const struct live_record *record)
{
    json_put_unsigned(j, "ranks", (uint64_t)plan->ranks);
    json_put_seconds(j, "eta_s", plan->eta);
    json_put_seconds(j, "delta_s", plan->delta);
    json_put_unsigned(j, "hosts", (uint64_t)plan->hosts);
    json_put_bool(j, "namespaces", record->namespaces);
    json_put_bool(j, "shortcuts", !plan->no_shortcuts);
    json_put_string(j, "overlay", heartbeat_overlay_names[plan->overlay]);
    json_put_bool(j, "latest_only", plan->latest_only);
}

void live_json(FILE *out, const struct live_plan *plan, const struct live_record *record,
               const struct live_verdict *verdict)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    write_run(&j, plan, record);
    json_key(&j, "detections");
    json_array(&j);
    for (size_t i = 0; i < plan->injections.count; i++)
        write_detection(&j, record, &verdict->detection[i]);
    json_close(&j);
    json_put_unsigned(&j, "false_positives", verdict->false_positives);
    json_put_unsigned(&j, "false_positives_away", verdict->false_positives_away);
    json_put_unsigned(&j, "away_windows", record->absences);
    json_put_bool(&j, "away_watched", record->watched);
    json_put_unsigned(&j, "unknown", verdict->unknown);
    json_put_unsigned(&j, "wrong_views", verdict->wrong_views);
    json_put_unsigned(&j, "missed_deadlines", verdict->missed_deadlines);
    json_put_unsigned(&j, "broadcasts_started", verdict->broadcasts);
    json_put_unsigned(&j, "broadcasts_forwarded", verdict->forwarded);
    json_put_real(&j, "msgs_per_s", verdict->msgs_per_s);
    json_put_real(&j, "bytes_per_s", verdict->bytes_per_s);
    json_put_real(&j, "cpu_percent", verdict->cpu_percent);
    json_put_real(&j, "starved_max_s", verdict->starved_s);
    json_put_real(&j, "steal_max_s", record->steal_s);
    json_put_real(&j, "late_max_s", record->longest_s);
    json_put_unsigned(&j, "descriptors_grown", (uint64_t)verdict->descriptors_grown);
    json_put_unsigned(&j, "kib_grown", (uint64_t)verdict->kib_grown);
    json_close(&j);
}
