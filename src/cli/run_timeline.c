/* run_timeline: what happened in a job: who died when and how it was known, who was the first and the last to know, and how
 * long revoke, agree and shrink took. */
#include "cli/run.h"
#include "mpi/gen/calls.h"

#include <inttypes.h>
#include <knell/core.h>
#include <stdlib.h>
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

/* ---- lines in the order of time -------------------------------------------------------------------------------------------- */

struct line {
    int64_t when;
    char text[320];
};

struct lines {
    struct line *line;
    size_t count, room;
};

/* A timeline that finds no memory is shorter. */
static void add_line(struct lines *lines, int64_t when, const char *text)
{
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 32;
        struct line *more = realloc(lines->line, room * sizeof *more);
        if (!more)
            return;
        lines->line = more;
        lines->room = room;
    }
    lines->line[lines->count].when = when;
    snprintf(lines->line[lines->count++].text, sizeof lines->line->text, "%s", text);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct line *)a)->when, y = ((const struct line *)b)->when;
    return (x > y) - (x < y);
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

/* A ghost, or gone before the job was over without MPI_Finalize. */
static bool is_death(const struct knell__run_rank *rank)
{
    return rank->ready && rank->died && (rank->ghost || !rank->left);
}

static int write_how(const struct knell__run_rank *rank, int number, char *text, size_t size)
{
    if (rank->ghost)
        return snprintf(text, size, "rank %d became a ghost", number);
    if (rank->injected)
        return snprintf(text, size, "rank %d was killed", number);
    if (WIFSIGNALED(rank->status))
        return snprintf(text, size, "rank %d died by signal %d (%s)", number, WTERMSIG(rank->status),
                        strsignal(WTERMSIG(rank->status)));
    return snprintf(text, size, "rank %d ended with status %d without MPI_Finalize", number, WEXITSTATUS(rank->status));
}

/* Nobody knows before it happened: an end that was not of our doing is seen later than it happens, by us as by the others. */
static void add_death(const struct knell__run_job *job, int victim, struct lines *lines)
{
    const struct knell__run_rank *rank = &job->rank[victim];
    struct learning l = learning_of(job, victim);
    int64_t died = l.first && l.first->when < rank->died ? l.first->when : rank->died;
    char text[sizeof lines->line->text];
    int used = write_how(rank, victim, text, sizeof text);
    if (l.first)
        snprintf(text + used, sizeof text - (size_t)used,
                 "; found by rank %" PRId32 " (%s); first to know: rank %" PRId32 " after %.3f ms, last: rank %" PRId32
                 " after %.3f ms, %d know", l.first->by, knell_why_text((enum knell_why)l.first->value), l.first->process,
                 (double)(l.first->when - died) * 1e-6, l.last->process, (double)(l.last->when - died) * 1e-6, l.know);
    add_line(lines, died, text);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------- */

enum { SHOWN = 20 }; /* of each kind of call */

struct span {
    int64_t first, end, longest;
    int count;
};

/* The k-th call of each rank is taken for one happening. `calls`: scratch, by rank. */
static struct span span_of(const struct knell__run_job *job, int64_t call, int k, int *calls)
{
    struct span span = {.first = INT64_MAX};
    memset(calls, 0, (size_t)job->plan->ranks * sizeof *calls);
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word != KNELL__WORD_DID || report->value != call || calls[report->process]++ != k)
            continue;
        int64_t end = report->when + report->took;
        span.count++;
        span.first = report->when < span.first ? report->when : span.first;
        span.end = end > span.end ? end : span.end;
        span.longest = report->took > span.longest ? report->took : span.longest;
    }
    return span;
}

static void add_calls(const struct knell__run_job *job, int64_t call, int *calls, struct lines *lines)
{
    char text[sizeof lines->line->text];
    struct span span;
    for (int k = 0; k < SHOWN && (span = span_of(job, call, k, calls)).count; k++) {
        snprintf(text, sizeof text, "%s by %d rank%s: %.3f ms from the first in to the last out, the longest %.3f ms",
                 call_name[call], span.count, span.count == 1 ? "" : "s", (double)(span.end - span.first) * 1e-6,
                 (double)span.longest * 1e-6);
        add_line(lines, span.first, text);
    }
    if ((span = span_of(job, call, SHOWN, calls)).count) {
        snprintf(text, sizeof text, "%s further on: not shown, see --log", call_name[call]);
        add_line(lines, span.first, text);
    }
}

/* ---- who is where ---------------------------------------------------------------------------------------------------------- */

static const char *where_is(const struct knell__run_rank *rank)
{
    if (!rank->started)
        return "was not started";
    if (rank->ghost)
        return "is a ghost";
    if (!rank->left)
        return "has ended";
    if (!rank->ready)
        return rank->init ? "is inside MPI_Init" : "has not called MPI_Init";
    if (!rank->told)
        return "does not answer";
    return rank->inside < 0 ? "is inside no MPI call" : "is inside";
}

static void write_where(const struct knell__run_job *job, FILE *out)
{
    char text[KNELL_DURATION_TEXT];
    fprintf(out, "knell run: ended by --timeout after %s; where the ranks are:\n",
            knell__format_duration(job->plan->timeout, text));
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct knell__run_rank *rank = &job->rank[i];
        bool inside = rank->left && rank->ready && rank->told && rank->inside >= 0 && !rank->ghost;
        fprintf(out, "  rank %d %s%s%s\n", i, where_is(rank), inside ? " " : "", inside ? call_name[rank->inside] : "");
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

void knell__run_timeline(const struct knell__run_job *job, FILE *out)
{
    static const int shown[] = {KNELL__CALL_COMM_REVOKE, KNELL__CALL_COMM_AGREE, KNELL__CALL_COMM_SHRINK};
    struct lines lines = {0};
    int deaths = 0, *calls = calloc((size_t)job->plan->ranks, sizeof *calls);
    for (int i = 0; i < job->plan->ranks; i++)
        if (is_death(&job->rank[i])) {
            add_death(job, i, &lines);
            deaths++;
        }
    if (deaths)
        fprintf(out, "knell run: %d of %" PRId64 " ranks died; times after all had left MPI_Init\n", deaths, job->plan->ranks);
    for (size_t i = 0; calls && deaths && i < KNELL_COUNT(shown); i++)
        add_calls(job, shown[i], calls, &lines);
    if (lines.count)
        qsort(lines.line, lines.count, sizeof *lines.line, by_time);
    for (size_t i = 0; i < lines.count; i++)
        fprintf(out, "%10.4f s  %s\n", seconds(job, lines.line[i].when), lines.line[i].text);
    if (job->timed_out)
        write_where(job, out);
    free(lines.line);
    free(calls);
}
