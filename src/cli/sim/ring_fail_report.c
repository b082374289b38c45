/* ring_fail_report.c: see ring_fail_report.h. */
#include "cli/sim/ring_fail_report.h"
#include "cli/common/json.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static void add_totals(struct ring_fail_report *report, const struct knell_effector_result *result)
{
    report->detections += result->verdict.detections;
    report->suspected_living += result->verdict.suspected_living;
    report->never_known += result->verdict.never_known;
    report->cut_off += result->cut_off;
    report->events += result->events;
    report->fired += result->fired;
    report->errors += result->errors;
}

int ring_fail_summarise(const struct ring_fail *fail, const struct knell_effector_result *results,
                        struct ring_fail_report *report)
{
    size_t runs = (size_t)fail->sim.runs;
    double *samples = calloc(runs, 6 * sizeof *samples);
    double *faults = samples, *failures = samples + runs, *first = samples + 2 * runs, *stable = samples + 3 * runs;
    double *broadcasts = samples + 4 * runs, *messages = samples + 5 * runs;
    *report = (struct ring_fail_report){0};
    if (!samples)
        return -1;
    for (size_t i = 0; i < runs; i++) {
        const struct knell_verdict *verdict = &results[i].verdict;
        faults[i] = results[i].faults;
        failures[i] = verdict->failures;
        broadcasts[i] = (double)results[i].broadcasts;
        messages[i] = (double)results[i].messages;
        if (verdict->has_first)
            first[report->has_first++] = verdict->first_s;
        if (verdict->has_stable)
            stable[report->has_stable++] = verdict->stable_s;
        if (verdict->suspected_living + verdict->never_known > 0 && report->suspected_living + report->never_known == 0)
            report->bad_run = i;
        add_totals(report, &results[i]);
    }
    report->faults = knell_stat_of(faults, runs);
    report->failures = knell_stat_of(failures, runs);
    report->broadcasts = knell_stat_of(broadcasts, runs);
    report->messages = knell_stat_of(messages, runs);
    report->first = knell_stat_of(first, report->has_first);
    report->stable = knell_stat_of(stable, report->has_stable);
    free(samples);
    return 0;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_count(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_unsigned(j, value);
}

static void json_time(struct json *j, const char *key, const struct knell_stat *stat, uint64_t samples)
{
    if (samples > 0) {
        sim_json_put_stat(j, key, stat);
        return;
    }
    json_key(j, key);
    json_null(j);
}

void ring_fail_json(FILE *out, const struct ring_fail *fail, const struct ring_fail_report *report)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_count(&j, "nodes", fail->config.ranks);
    json_count(&j, "runs", (uint64_t)fail->sim.runs);
    json_count(&j, "seed", (uint64_t)fail->sim.seed);
    json_key(&j, "fail");
    json_string(&j, fail->file);
    sim_json_put_stat(&j, "faults", &report->faults);
    json_time(&j, "first_s", &report->first, report->has_first);
    json_time(&j, "stable_s", &report->stable, report->has_stable);
    sim_json_put_stat(&j, "failures", &report->failures);
    sim_json_put_stat(&j, "broadcasts", &report->broadcasts);
    sim_json_put_stat(&j, "messages", &report->messages);
    json_count(&j, "detections", report->detections);
    json_count(&j, "violations", report->suspected_living + report->never_known);
    json_count(&j, "cut_off", report->cut_off);
    json_count(&j, "events", report->events);
    json_count(&j, "fired", report->fired);
    json_count(&j, "errors", report->errors);
    json_key(&j, "wall_s");
    json_real(&j, report->wall_s);
    json_close(&j);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void time_row(FILE *out, const char *name, const struct knell_stat *stat, uint64_t samples)
{
    if (samples > 0)
        sim_table_row(out, name, stat);
    else
        fprintf(out, "  %-14s %14s\n", name, "-");
}

/* Notes a number of slots that differs from the number of nodes. */
static void write_slots(FILE *out, const struct knell_fail_program *program, uint32_t nodes)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < knell_fail_place_count(program); i++) {
        struct knell_fail_place place = knell_fail_place_at(program, i);
        slots += place.program ? place.size : 0;
    }
    if (slots > nodes)
        fprintf(out, "%u slots, %u nodes: the rest of the slots is empty.\n", slots, nodes);
    else if (slots < nodes)
        fprintf(out, "%u slots, %u nodes: the rest of the nodes is left alone.\n", slots, nodes);
}

static void write_remarks(FILE *out, const struct ring_fail *fail, const struct ring_fail_report *report)
{
    char until[DURATION_TEXT];
    if (report->has_stable > 0 && report->has_stable < (uint64_t)fail->sim.runs)
        fprintf(out, "In %" PRIu64 " of %" PRId64 " runs there were failures and then stability.\n", report->has_stable,
                fail->sim.runs);
    if (report->cut_off > 0)
        fprintf(out, "%" PRIu64 " of %" PRId64 " runs had not ended at --until %s.\n", report->cut_off, fail->sim.runs,
                format_seconds((double)fail->until_ns * 1e-9, 5, until));
    if (report->errors > 0)
        fprintf(out, "%" PRIu64 " errors of the scenario itself: see its log.\n", report->errors);
    if (report->suspected_living + report->never_known == 0)
        fprintf(out, "No violation: nobody was suspected without a reason, every failure became known.\n");
    else
        fprintf(out,
                "VIOLATIONS: %" PRIu64 " suspected without a reason, %" PRIu64
                " failures not known to all; first in run %" PRIu64 " of --log.\n",
                report->suspected_living, report->never_known, report->bad_run);
}

void ring_fail_text(FILE *out, const struct ring_fail *fail, const struct knell_fail_program *program,
                    const struct ring_fail_report *report)
{
    char eta[DURATION_TEXT], delta[DURATION_TEXT], tau[DURATION_TEXT];
    const struct knell_config *config = &fail->config;
    fprintf(out, "%s on %u nodes, eta %s, delta %s, tau %s, %s\n", fail->file, config->ranks,
            format_duration(config->eta, eta), format_duration(config->delta, delta), format_duration(config->tau, tau),
            config->overlay == KNELL_OVERLAY_HBA ? "hba" : "circulant");
    write_slots(out, program, config->ranks);
    fprintf(out, "%" PRId64 " %s, seed %" PRId64 ", %" PRIu64 " events, %" PRIu64 " rules fired, %.2f s\n\n",
            fail->sim.runs, fail->sim.runs == 1 ? "run" : "runs", fail->sim.seed, report->events, report->fired,
            report->wall_s);
    sim_table_head(out);
    sim_table_row(out, "faults", &report->faults);
    sim_table_row(out, "failures", &report->failures);
    time_row(out, "first (s)", &report->first, report->has_first);
    time_row(out, "stable (s)", &report->stable, report->has_stable);
    sim_table_row(out, "broadcasts", &report->broadcasts);
    sim_table_row(out, "messages", &report->messages);
    fprintf(out, "\nDetections: %" PRIu64 ".\n", report->detections);
    write_remarks(out, fail, report);
}
