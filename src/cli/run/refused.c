/* refused.c: calls that the layer does not carry, which the program made and got an error for. */
#include "cli/common/json.h"
#include "cli/run/run.h"

/* The report of the first rank that made this call; NULL: none did. */
static const struct job_report *first_of(const struct run_job *job, int call)
{
    const struct job_report *first = NULL;
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word == JOB_WORD_REFUSED && report->value == call && (!first || report->when < first->when))
            first = report;
    }
    return first;
}

void run_write_refused(const struct run_job *job, FILE *out)
{
    bool any = false;
    for (int call = 0; call < JOB_CALL_END; call++) {
        const struct job_report *report = first_of(job, call);
        if (report)
            fprintf(out, "%s%s (first at rank %d)",
                    any ? ", " : "knell run: not carried by Knell: ", job_call_name(call), report->process);
        any = any || report;
    }
    fputs(any ? ": the program got MPI_ERR_UNSUPPORTED_OPERATION; docs/use/calls.md\n" : "", out);
}

void run_put_refused(struct json *j, const struct run_job *job)
{
    json_key(j, "not_carried");
    json_array(j);
    for (int call = 0; call < JOB_CALL_END; call++)
        if (first_of(job, call))
            json_string(j, job_call_name(call));
    json_close(j);
}
