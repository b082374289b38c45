/* options.c: see options.h. */
#include "cli/sim/options.h"
#include "cli/common/progress.h"
#include "os/clock.h"

int sim_run(const struct sim_options *s, const char *label, struct knell_pool_job *job, uint64_t *failed_run,
            double *wall_s)
{
    struct progress progress;
    knell_time started = knell__clock_now();
    int error;

    progress_begin(&progress, label, job->runs);
    job->threads = s->threads > 0 ? (unsigned)s->threads : knell_pool_cores();
    job->progress = progress_report;
    job->progress_context = &progress;
    error = knell_pool_run(job, failed_run);
    progress_end(&progress);
    *wall_s = (double)(knell__clock_now() - started) * 1e-9;
    return error;
}

void sim_table_head(FILE *out)
{
    fprintf(out, "  %-14s %14s %12s %14s %14s\n", "", "mean", "+- 95 %", "min", "max");
}

void sim_table_row(FILE *out, const char *name, const struct knell_stat *stat)
{
    fprintf(out, "  %-14s %14.7g %12.3g %14.7g %14.7g\n", name, stat->mean, stat->ci95, stat->min, stat->max);
}

void sim_json_put_stat(struct json *j, const char *key, const struct knell_stat *stat)
{
    const struct {
        const char *name;
        double value;
    } members[] = {{"mean", stat->mean}, {"ci95", stat->ci95}, {"max", stat->max}, {"min", stat->min}};

    json_key(j, key);
    json_object(j);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_key(j, members[i].name);
        json_real(j, members[i].value);
    }
    json_close(j);
}
