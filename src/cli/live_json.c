/* live_json: the verdict of `knell live` as JSON. */
#include "cli/heartbeat.h"
#include "cli/json.h"
#include "cli/live.h"

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

static void truth(struct knell_json *j, const char *key, bool value)
{
    knell_json_key(j, key);
    knell_json_bool(j, value);
}

static void write_detection(struct knell_json *j, const struct knell__detection *d)
{
    knell_json_object(j);
    whole(j, "victim", d->injection->rank);
    word(j, "kind", knell__live_kind_text(d->injection->kind));
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

static void write_run(struct knell_json *j, const struct knell__live_plan *plan, const struct knell__live_log *log)
{
    number(j, "eta_ms", (double)plan->eta * 1e-6);
    number(j, "delta_ms", (double)plan->delta * 1e-6);
    whole(j, "n", (uint64_t)plan->nodes);
    whole(j, "hosts", (uint64_t)plan->hosts);
    truth(j, "namespaces", log->namespaces);
    truth(j, "shortcuts", !plan->no_shortcuts);
    word(j, "overlay", knell__overlay_names[plan->overlay]);
    truth(j, "latest_only", plan->latest_only);
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
        write_detection(&j, &verdict->detection[i]);
    knell_json_close(&j);
    whole(&j, "false_positives", verdict->false_positives);
    whole(&j, "false_positives_away", verdict->false_positives_away);
    whole(&j, "away_windows", log->aways);
    truth(&j, "away_watched", log->watched);
    whole(&j, "unknown", verdict->unknown);
    whole(&j, "wrong_views", verdict->wrong_views);
    whole(&j, "missed_deadlines", verdict->missed_deadlines);
    whole(&j, "broadcasts_started", verdict->broadcasts);
    whole(&j, "broadcasts_forwarded", verdict->forwarded);
    number(&j, "msgs_per_s", verdict->msgs_per_s);
    number(&j, "bytes_per_s", verdict->bytes_per_s);
    number(&j, "cpu_percent", verdict->cpu_percent);
    number(&j, "starved_ms_max", verdict->starved_ms);
    number(&j, "steal_ms_max", log->steal_ms);
    number(&j, "late_ms_max", log->longest_ms);
    whole(&j, "descriptors_grown", (uint64_t)verdict->descriptors_grown);
    whole(&j, "kib_grown", (uint64_t)verdict->kib_grown);
    knell_json_close(&j);
}
