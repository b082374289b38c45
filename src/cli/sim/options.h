/* options.h: what all `knell sim` commands share: --runs, --seed, --threads, --json; how they carry out their runs
 * and print statistics. */
#ifndef KNELL_CLI_SIM_OPTIONS_H
#define KNELL_CLI_SIM_OPTIONS_H

#include "cli/common/json.h"
#include "cli/common/options.h"
#include "sim/pool.h"
#include "sim/stat.h"

#include <stdio.h>

struct sim_options {
    int64_t runs;
    int64_t seed;
    int64_t threads; /* 0: all processors */
    bool json;
};

#define SIM_OPTION_RUNS(s) \
    OPT_INTEGER("runs", "R", &(s)->runs, 1, 100000000, "number of independent runs", .fallback = "1000")
#define SIM_OPTIONS(s)                                                                                             \
    OPT_INTEGER("seed", "S", &(s)->seed, 0, INT64_MAX, "seed of all random choices", .fallback = "1"),             \
        OPT_INTEGER("threads", "N", &(s)->threads, 1, 1024, "threads to run on; the result does not depend on it", \
                    .fallback_help = "all processors"),                                                            \
        OPT_FLAG("json", &(s)->json, "write JSON")

/* Runs the job on the wanted number of threads, with a progress bar labelled `label`. 0, or the error of the first
 * run that failed, with its index in *failed_run. *wall_s is the time that the job took. Sets threads and progress
 * of the job. */
int sim_run(const struct sim_options *s, const char *label, struct knell_pool_job *job, uint64_t *failed_run,
            double *wall_s);

/* A table for people: the head, then a line per statistic. */
void sim_table_head(FILE *out);
void sim_table_row(FILE *out, const char *name, const struct knell_stat *stat);

/* key and {"mean", "ci95", "max", "min"} */
void sim_json_put_stat(struct json *j, const char *key, const struct knell_stat *stat);

#endif
