/* spans.c: which calls of revoke, agree and shrink belong together: the k-th call of every member of a communicator.
 * All calls of revoke on one communicator belong together. */
#include "cli/run/run.h"
#include "job/calls.h"

#include <stdlib.h>

struct call {
    const struct job_report *report;
    int k; /* the k-th of its rank on its communicator */
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_member(const void *a, const void *b)
{
    const struct job_report *x = ((const struct call *)a)->report, *y = ((const struct call *)b)->report;
    int order = compare(x->group, y->group);
    if (order == 0)
        order = compare((uint64_t)x->process, (uint64_t)y->process);
    return order ? order : compare((uint64_t)x->when, (uint64_t)y->when);
}

static int happening(const struct call *x, const struct call *y)
{
    int order = compare(x->report->group, y->report->group);
    return order ? order : compare((uint64_t)x->k, (uint64_t)y->k);
}

static int by_happening(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    int order = happening(x, y);
    return order ? order : compare((uint64_t)x->report->process, (uint64_t)y->report->process);
}

static int by_time(const void *a, const void *b)
{
    return compare((uint64_t)((const struct run_span *)a)->first, (uint64_t)((const struct run_span *)b)->first);
}

/* Sorted by member on return. Calls after the end of the job do not count: the ranks make them because we end the
 * job. */
static size_t gather(const struct run_job *job, int number, struct call *call)
{
    size_t count = 0;
    for (size_t i = 0; i < job->reports; i++)
        if (job->report[i].word == JOB_WORD_DID && job->report[i].value == number && job->report[i].when < job->end)
            call[count++].report = &job->report[i];
    qsort(call, count, sizeof *call, by_member);
    for (size_t i = 1; i < count; i++) {
        const struct job_report *now = call[i].report, *before = call[i - 1].report;
        bool again = now->group == before->group && now->process == before->process;
        call[i].k = again && number != JOB_CALL_COMM_REVOKE ? call[i - 1].k + 1 : 0;
    }
    return count;
}

static void take(struct run_span *span, const struct call *call, bool first_of_rank)
{
    const struct job_report *report = call->report;
    int64_t end = report->when + report->took;
    span->ranks += first_of_rank;
    span->first = report->when < span->first ? report->when : span->first;
    span->end = end > span->end ? end : span->end;
    span->longest = report->took > span->longest ? report->took : span->longest;
}

static size_t join(const struct call *call, size_t calls, struct run_span *span)
{
    size_t count = 0;
    for (size_t i = 0; i < calls; i++) {
        bool same = i > 0 && happening(&call[i - 1], &call[i]) == 0;
        if (!same)
            span[count++] = (struct run_span){.first = INT64_MAX};
        take(&span[count - 1], &call[i], !same || call[i - 1].report->process != call[i].report->process);
    }
    return count;
}

size_t run_spans(const struct run_job *job, int number, struct run_span **spans)
{
    struct call *call = calloc(job->reports + 1, sizeof *call);
    size_t calls = call ? gather(job, number, call) : 0, count = 0;
    *spans = calloc(calls + 1, sizeof **spans);
    if (*spans && call) {
        qsort(call, calls, sizeof *call, by_happening);
        count = join(call, calls, *spans);
        qsort(*spans, count, sizeof **spans, by_time);
    }
    free(call);
    return count;
}
