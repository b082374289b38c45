/* See sim_options.h. */
#include "cli/sim_options.h"
#include "cli/progress.h"
#include "os/clock.h"

int knell__sim_run(const struct knell_sim_options *s, const char *label, struct knell_pool_job *job,
                   uint64_t *failed_run, double *wall_s)
{
    struct knell_progress progress;
    knell_time started = knell__clock_now();
    int error;

    knell_progress_begin(&progress, label, job->runs);
    job->threads = s->threads > 0 ? (unsigned)s->threads : knell_pool_cores();
    job->progress = knell_progress_report;
    job->progress_context = &progress;
    error = knell_pool_run(job, failed_run);
    knell_progress_end(&progress);
    *wall_s = (double)(knell__clock_now() - started) * 1e-9;
    return error;
}

void knell__sim_table_head(FILE *out)
{
    fprintf(out, "  %-14s %14s %12s %14s %14s\n", "", "mean", "+- 95 %", "min", "max");
}

void knell__sim_table_row(FILE *out, const char *name, const struct knell_stat *stat)
{
    fprintf(out, "  %-14s %14.7g %12.3g %14.7g %14.7g\n", name, stat->mean, stat->ci95, stat->min, stat->max);
}
