/* run_json: --json of `knell run`: how the job ended, who died and who knew when, as one object. Times are in seconds from the
 * start of the job, as in the log. */
#include "cli/common/heartbeat.h"
#include "cli/common/json.h"
#include "cli/run/run.h"
#include "job/calls.h"

#include <knell/core.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static void put_time(struct knell_json *j, const struct knell__run_job *job, const char *key, int64_t when)
{
    knell_json_put_seconds(j, key, when - job->launched);
}

/* ---- the job --------------------------------------------------------------------------------------------------------------- */

static const char *end_of(const struct knell__run_job *job)
{
    if (job->stopped_by)
        return "signal";
    if (job->timed_out)
        return "timeout";
    if (job->aborted)
        return job->aborted_by_handler ? "error" : "abort";
    if (job->started == 0 || job->broken)
        return "not started";
    return job->lost ? "lost" : "finished";
}

static void put_job(struct knell_json *j, const struct knell__run_job *job, int status)
{
    const struct knell__run_plan *plan = job->plan;
    knell_json_put_integer(j, "ranks", plan->ranks);
    knell_json_put_string(j, "program", plan->path);
    knell_json_put_string(j, "mpi", knell__run_mpi_names[plan->mpi]);
    knell_json_put_string(j, "mode", plan->mode == KNELL__RUN_GHOST ? "ghost" : "real");
    knell_json_put_seconds(j, "eta_s", plan->eta);
    knell_json_put_seconds(j, "delta_s", plan->delta);
    knell_json_put_string(j, "overlay", knell__overlay_names[plan->overlay]);
    knell_json_put_bool(j, "latest_only", plan->latest_only);
    knell_json_put_integer(j, "status", status);
    knell_json_put_string(j, "end", end_of(job));
    knell_json_key(j, "ready_s");
    if (job->begin)
        knell_json_real(j, (double)(job->begin - job->launched) / 1e9);
    else
        knell_json_null(j);
    put_time(j, job, "wall_s", job->end);
}

/* ---- deaths ---------------------------------------------------------------------------------------------------------------- */

struct knowing {
    const struct job_report *first;
    int64_t last;
    double sum; /* of the times, from the death on */
    int ranks;
};

static struct knowing knowing_of(const struct knell__run_job *job, int victim, int64_t died)
{
    struct knowing k = {0};
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_LEARNED || report->peer != victim)
            continue;
        k.first = k.first && k.first->when <= report->when ? k.first : report;
        k.last = report->when > k.last ? report->when : k.last;
        k.sum += (double)(report->when - died) / 1e9;
        k.ranks++;
    }
    return k;
}

static void put_how(struct knell_json *j, const struct knell__run_rank *rank)
{
    bool by_signal = rank->ended && WIFSIGNALED(rank->status);
    knell_json_put_string(j, "kind",
                          rank->ghost      ? "ghost"
                          : rank->injected ? "kill"
                          : by_signal      ? "signal"
                          : rank->ended    ? "exit"
                                           : "unknown");
    if (!rank->ghost && by_signal)
        knell_json_put_integer(j, "signal", WTERMSIG(rank->status));
    else if (!rank->ghost && rank->ended)
        knell_json_put_integer(j, "status", WEXITSTATUS(rank->status));
    knell_json_put_bool(j, "injected", rank->injected);
}

static void put_death(struct knell_json *j, const struct knell__run_job *job, int victim)
{
    int64_t died = knell__run_died(job, victim);
    struct knowing k = knowing_of(job, victim, died);
    knell_json_object(j);
    knell_json_put_integer(j, "rank", victim);
    put_how(j, &job->rank[victim]);
    put_time(j, job, "at_s", died);
    if (k.ranks) {
        knell_json_put_seconds(j, "first_s", k.first->when - died);
        knell_json_put_real(j, "mean_s", k.sum / k.ranks);
        knell_json_put_seconds(j, "last_s", k.last - died);
        knell_json_put_integer(j, "by", k.first->by);
        knell_json_put_string(j, "why", knell_why_text((enum knell_why)k.first->value));
    }
    knell_json_put_integer(j, "knowing", k.ranks);
    knell_json_close(j);
}

/* ---- calls and wrong bits -------------------------------------------------------------------------------------------------- */

static void put_spans(struct knell_json *j, const struct knell__run_job *job, int call)
{
    struct knell__run_span *span;
    size_t count = knell__run_spans(job, call, &span);
    for (size_t i = 0; i < count; i++) {
        knell_json_object(j);
        knell_json_put_string(j, "call", job_call_name(call));
        put_time(j, job, "at_s", span[i].first);
        knell_json_put_integer(j, "ranks", span[i].ranks);
        knell_json_put_seconds(j, "took_s", span[i].end - span[i].first);
        knell_json_put_seconds(j, "longest_s", span[i].longest);
        knell_json_close(j);
    }
    free(span);
}

static void put_flips(struct knell_json *j, const struct knell__run_job *job)
{
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_FLIPPED || report->code <= 0)
            continue;
        knell_json_object(j);
        knell_json_put_integer(j, "rank", report->process);
        knell_json_put_string(j, "call", job_call_name((int)report->value));
        put_time(j, job, "at_s", report->when);
        knell_json_put_integer(j, "bits", report->code);
        knell_json_close(j);
    }
}

/* ---- every rank ------------------------------------------------------------------------------------------------------------ */

static const char *state_of(const struct knell__run_rank *rank)
{
    if (rank->ghost)
        return "ghost";
    if (rank->left)
        return "left"; /* it was ended with the job */
    if (knell__run_is_death(rank))
        return "died";
    return rank->finished ? "finished" : rank->started ? "ended" : "not started";
}

static void put_rank(struct knell_json *j, const struct knell__run_rank *rank, int number)
{
    knell_json_object(j);
    knell_json_put_integer(j, "rank", number);
    knell_json_put_string(j, "state", state_of(rank));
    if (rank->ended && !rank->ghost && !rank->left)
        knell_json_put_integer(j, "status",
                               WIFSIGNALED(rank->status) ? 128 + WTERMSIG(rank->status) : WEXITSTATUS(rank->status));
    if (rank->told && rank->inside >= 0)
        knell_json_put_string(j, "inside", job_call_name(rank->inside));
    knell_json_close(j);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

void knell__run_json(const struct knell__run_job *job, int status, FILE *out)
{
    static const int calls[] = {JOB_CALL_COMM_REVOKE, JOB_CALL_COMM_AGREE, JOB_CALL_COMM_SHRINK};
    struct knell_json j;
    knell_json_begin(&j, out);
    knell_json_object(&j);
    put_job(&j, job, status);
    knell_json_key(&j, "deaths");
    knell_json_array(&j);
    for (int i = 0; i < job->plan->ranks; i++)
        if (knell__run_is_death(&job->rank[i]))
            put_death(&j, job, i);
    knell_json_close(&j);
    knell_json_key(&j, "calls");
    knell_json_array(&j);
    for (size_t i = 0; i < KNELL_COUNT(calls); i++)
        put_spans(&j, job, calls[i]);
    knell_json_close(&j);
    knell_json_key(&j, "flips");
    knell_json_array(&j);
    put_flips(&j, job);
    knell_json_close(&j);
    knell_json_key(&j, "each");
    knell_json_array(&j);
    for (int i = 0; i < job->plan->ranks; i++)
        put_rank(&j, &job->rank[i], i);
    knell_json_close(&j);
    knell_json_close(&j);
}
