/* run_log: --log: what ranks report, a line each. */
#include "cli/run.h"

#include <inttypes.h>
#include <knell/core.h>
#include <string.h>
#include <sys/wait.h>

static void write_flipped(const struct knell__run_job *job, const struct knell__report *report)
{
    const char *call = knell__run_call_name((int)report->value);
    if (report->code < 0)
        fprintf(job->log, "flips nothing: %s sends nothing that can be copied", call);
    else
        fprintf(job->log, "sends %" PRId32 " wrong bit%s by %s", report->code, report->code == 1 ? "" : "s", call);
}

static void write_end(const struct knell__run_job *job, int status)
{
    if (WIFSIGNALED(status))
        fprintf(job->log, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        fprintf(job->log, "ended with status %d", WEXITSTATUS(status));
}

static void write_words(const struct knell__run_job *job, const struct knell__report *report)
{
    switch (report->word) {
    case KNELL__WORD_STARTED: fprintf(job->log, "started as process %" PRId64, report->value); break;
    case KNELL__WORD_ENDED: write_end(job, (int)report->value); break;
    case KNELL__WORD_INIT: fputs("is in MPI_Init", job->log); break;
    case KNELL__WORD_READY: fputs("is through MPI_Init", job->log); break;
    case KNELL__WORD_FINISHED: fputs("is through MPI_Finalize", job->log); break;
    case KNELL__WORD_ABORTED: fprintf(job->log, "calls MPI_Abort with %" PRId64, report->value); break;
    case KNELL__WORD_LEARNED:
        fprintf(job->log, "holds %" PRId32 " for dead, found by %" PRId32 " (%s)", report->peer, report->by,
                knell_why_text((enum knell_why)report->value));
        break;
    case KNELL__WORD_GHOST: fputs("is a ghost", job->log); break;
    case KNELL__WORD_DID:
        fprintf(job->log, "%s took %.6f s and gave %" PRId32, knell__run_call_name((int)report->value),
                (double)report->took * 1e-9, report->code);
        break;
    case KNELL__WORD_AT:
        fprintf(job->log, "is held %s %s", report->code ? "after" : "before", knell__run_call_name((int)report->value));
        break;
    case KNELL__WORD_INSIDE:
        fprintf(job->log, "is inside %s", report->value < 0 ? "no MPI call" : knell__run_call_name((int)report->value));
        break;
    case KNELL__WORD_CHANGED: fputs("is held: a variable that is watched has changed", job->log); break;
    case KNELL__WORD_FLIPPED: write_flipped(job, report); break;
    default: fputs("says what is not understood", job->log); break;
    }
}

void knell__run_log_report(const struct knell__run_job *job, const struct knell__report *report)
{
    fprintf(job->log, "%.6f rank %" PRId32 " ", (double)(report->when - job->launched) * 1e-9, report->process);
    write_words(job, report);
    fputc('\n', job->log);
}
