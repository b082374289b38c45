/* ring_fail_report.h: the results of `knell sim ring --fail`: statistics over its runs, as text and as JSON. */
#ifndef KNELL_CLI_SIM_RING_FAIL_REPORT_H
#define KNELL_CLI_SIM_RING_FAIL_REPORT_H

#include "cli/sim/ring_fail.h"
#include "sim/effector.h"

struct ring_fail_report {
    struct knell_stat faults, failures, first, stable, broadcasts, messages;
    uint64_t has_first, has_stable; /* runs in which there is such a time */
    uint64_t detections, suspected_living, never_known, cut_off, events, fired, errors;
    uint64_t bad_run; /* the first with a violation, if there is one */
    double wall_s;    /* for the caller to set */
};

/* 0, or -1: no memory. */
int ring_fail_summarise(const struct ring_fail *fail, const struct knell_effector_result *results,
                        struct ring_fail_report *report);

void ring_fail_json(FILE *out, const struct ring_fail *fail, const struct ring_fail_report *report);
void ring_fail_text(FILE *out, const struct ring_fail *fail, const struct knell_fail_program *program,
                    const struct ring_fail_report *report);

#endif
