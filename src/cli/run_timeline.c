/* run_timeline: what happened in a job: who died when and how it was known, who was the first and the last to know, and how
 * long revoke, agree and shrink took. */
#include "cli/run.h"
#include "mpi/gen/calls.h"

#include <inttypes.h>
#include <knell/core.h>
#include <string.h>
#include <sys/wait.h>

static const char *const call_name[] = {
#define CALL_NAME(number, name) #name,
    KNELL__CALLS(CALL_NAME)
#undef CALL_NAME
};

static int64_t zero_of(const struct knell__run_job *job)
{
    return job->begin ? job->begin : job->launched;
}

static double seconds(const struct knell__run_job *job, int64_t when)
{
    return (double)(when - zero_of(job)) * 1e-9;
}

/* ---- the log --------------------------------------------------------------------------------------------------------------- */

void knell__run_log_report(const struct knell__run_job *job, const struct knell__report *report)
{
    fprintf(job->log, "%.6f rank %" PRId32 " ", (double)(report->when - job->launched) * 1e-9, report->process);
    switch (report->word) {
    case KNELL__WORD_STARTED: fprintf(job->log, "started as process %" PRId64, report->value); break;
    case KNELL__WORD_ENDED: fprintf(job->log, "ended with status %" PRId64 " of wait", report->value); break;
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
        fprintf(job->log, "%s took %.6f s and gave %" PRId32, call_name[report->value], (double)report->took * 1e-9, report->code);
        break;
    case KNELL__WORD_AT: fprintf(job->log, "is held %s %s", report->code ? "after" : "before", call_name[report->value]); break;
    case KNELL__WORD_INSIDE:
        fprintf(job->log, "is inside %s", report->value < 0 ? "no MPI call" : call_name[report->value]);
        break;
    default: fputs("says what is not understood", job->log); break;
    }
    fputc('\n', job->log);
}

/* ---- deaths ---------------------------------------------------------------------------------------------------------------- */

struct learning {
    const struct knell__report *first, *last;
    int know;
};

static struct learning learning_of(const struct knell__run_job *job, int victim)
{
    struct learning l = {0};
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word != KNELL__WORD_LEARNED || report->peer != victim)
            continue;
        l.know++;
        l.first = l.first && l.first->when <= report->when ? l.first : report;
        l.last = l.last && l.last->when >= report->when ? l.last : report;
    }
    return l;
}

static void write_how(const struct knell__run_job *job, const struct knell__run_rank *rank, FILE *out)
{
    fprintf(out, "%10.4f s  rank %td ", seconds(job, rank->died), rank - job->rank);
    if (rank->ghost)
        fputs("became a ghost", out);
    else if (rank->injected)
        fputs("was killed", out);
    else if (WIFSIGNALED(rank->status))
        fprintf(out, "died by signal %d (%s)", WTERMSIG(rank->status), strsignal(WTERMSIG(rank->status)));
    else
        fprintf(out, "ended with status %d without MPI_Finalize", WEXITSTATUS(rank->status));
}

static void write_death(const struct knell__run_job *job, int victim, FILE *out)
{
    const struct knell__run_rank *rank = &job->rank[victim];
    struct learning l = learning_of(job, victim);
    write_how(job, rank, out);
    if (l.first)
        fprintf(out, "; found by rank %" PRId32 " (%s); first to know rank %" PRId32 " after %.3f ms, last rank %" PRId32
                     " after %.3f ms (%d know)", l.first->by, knell_why_text((enum knell_why)l.first->value),
                l.first->process, (double)(l.first->when - rank->died) * 1e-6, l.last->process,
                (double)(l.last->when - rank->died) * 1e-6, l.know);
    fputc('\n', out);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------- */

struct span {
    int64_t first, end, longest;
    int count;
};

/* The calls of one kind that overlap in time are one happening: shrink of all survivors. */
static size_t next_span(const struct knell__run_job *job, int64_t call, int64_t after, struct span *span)
{
    *span = (struct span){0};
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word == KNELL__WORD_DID && report->value == call && report->when > after &&
            (!span->first || report->when < span->first))
            span->first = report->when;
    }
    span->end = span->first;
    for (bool grew = span->first != 0; grew;) {
        grew = false;
        span->count = 0;
        for (size_t i = 0; i < job->reports; i++) {
            const struct knell__report *report = &job->report[i];
            if (report->word != KNELL__WORD_DID || report->value != call || report->when < span->first || report->when > span->end)
                continue;
            span->count++;
            span->longest = report->took > span->longest ? report->took : span->longest;
            if (report->when + report->took > span->end) {
                span->end = report->when + report->took;
                grew = true;
            }
        }
    }
    return (size_t)span->count;
}

static void write_calls(const struct knell__run_job *job, int64_t call, FILE *out)
{
    struct span span;
    for (int64_t after = 0; next_span(job, call, after, &span); after = span.end)
        fprintf(out, "%10.4f s  %s by %d, %.3f ms from the first in to the last out, the longest %.3f ms\n",
                seconds(job, span.first), call_name[call], span.count, (double)(span.end - span.first) * 1e-6,
                (double)span.longest * 1e-6);
}

/* ---- who is where ---------------------------------------------------------------------------------------------------------- */

static void write_inside(const struct knell__run_job *job, FILE *out)
{
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct knell__run_rank *rank = &job->rank[i];
        if (rank->where[0])
            fprintf(out, "rank %d %s\n", i, rank->where);
    }
}

void knell__run_timeline(const struct knell__run_job *job, FILE *out)
{
    static const int calls[] = {KNELL__CALL_COMM_REVOKE, KNELL__CALL_COMM_AGREE, KNELL__CALL_COMM_SHRINK};
    int deaths = 0;
    for (int i = 0; i < job->plan->ranks; i++)
        deaths += job->rank[i].died && job->rank[i].died <= job->end && job->rank[i].ready;
    if (job->timed_out)
        fprintf(out, "knell run: ended after %.3f s by --timeout; where the ranks were:\n",
                (double)job->plan->timeout * 1e-9);
    write_inside(job, out);
    if (!deaths)
        return;
    fprintf(out, "knell run: %d of %" PRId64 " ranks died; times after all had left MPI_Init\n", deaths, job->plan->ranks);
    for (int i = 0; i < job->plan->ranks; i++)
        if (job->rank[i].died && job->rank[i].died <= job->end && job->rank[i].ready)
            write_death(job, i, out);
    for (size_t i = 0; i < KNELL_COUNT(calls); i++)
        write_calls(job, calls[i], out);
}
