/* finish.c: when no process of the job is left: the rest of its output, the check, the verdict, and what is written
 * about it all. */
#include "cli/run/run.h"
#include "cli/common/output.h"

#include <string.h>

/* Returns the job's status, unless the output could not be written. */
static int write_json(const struct run_job *job, int status)
{
    struct output out;
    int written = output_begin(&out, job->plan->usage);
    if (written != EXIT_OK)
        return written;
    run_write_json(job, status, out.f);
    written = output_commit(&out, job->plan->usage);
    return written == EXIT_OK ? status : written;
}

static void expect(const struct run_job *job, struct run_facts *facts)
{
    if (job->plan->expect && !run_capture_matched(job->capture))
        snprintf(facts->wrong, RUN_WHY, "no line matches %.900s", job->plan->expect);
}

/* The job's status, or 1 if it ended well and its result is wrong. */
static int judge(struct run_job *job, int signals, int status)
{
    struct run_facts facts = {0};
    bool asks = status == 0 && !job->timed_out && !job->stopped_by && !job->ignored.is;
    if (asks)
        expect(job, &facts);
    if (asks && job->plan->check && !*facts.wrong)
        run_check(job, signals, &facts);
    run_find_facts(job, status, &facts);
    run_judge(&facts, &job->verdict);
    if (asks && job->stopped_by)
        return 128 + job->stopped_by;
    return *facts.wrong || *facts.unchecked ? EXIT_FAILED : status;
}

static void write_outcome(const struct run_job *job, FILE *out)
{
    const struct run_plan *plan = job->plan;
    if (!(plan->record || plan->check || plan->expect) || (plan->quiet && job->verdict.class == RECORD_FINISHED))
        return;
    run_write_leaks(job, out);
    fprintf(out, "knell run: outcome: %s: %s\n", record_class_name(job->verdict.class), job->verdict.why);
}

/* Nothing else says that a rank died. */
static bool says_end(const struct run_job *job)
{
    const struct run_plan *plan = job->plan;
    bool has_outcome = plan->record || plan->check || plan->expect;
    return plan->quiet && !plan->json && !has_outcome && !job->timed_out && !job->stopped_by && !job->lost;
}

int run_finish(struct run_job *job, int signals)
{
    const struct run_plan *plan = job->plan;
    if (job->capture && !run_capture_end(job->capture))
        cli_failure(plan->usage, "nobody reads the standard output: the rest of it is left out");
    if (job->errors)
        run_capture_end(job->errors);
    run_shm_list(&job->leaks.left);
    run_shm_compare(&job->leaks.before, &job->leaks.left);
    int status = judge(job, signals, run_status(job));
    run_record_finish(job);
    if (job->aborted_by_handler)
        run_write_fatal(job, stderr);
    else if (job->aborted && !plan->json)
        run_write_abort(job, stderr);
    else if (job->ignored.is)
        run_write_ignored(job, stderr);
    else if (says_end(job))
        run_write_end(job, status, stderr);
    run_write_refused(job, stderr);
    int written = run_record_write(job, status);
    if (plan->json)
        written = write_json(job, written);
    else if (!plan->quiet)
        run_write_timeline(job, stderr);
    write_outcome(job, stderr);
    return written;
}
