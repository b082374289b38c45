/* json.c: --json of `knell run`: how the job ended, which ranks died and when the others knew, as one object. Times
 * are in seconds from the start of the job, as in the log. */
#include "cli/run/run.h"
#include "cli/common/heartbeat.h"
#include "cli/common/json.h"
#include "job/calls.h"

#include <knell/core.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static void put_time(struct json *j, const struct run_job *job, const char *key, int64_t when)
{
    json_put_seconds(j, key, when - job->launched);
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

static const char *end_of(const struct run_job *job)
{
    if (job->stopped_by)
        return "signal";
    if (job->timed_out)
        return job->stuck == RUN_MOVES ? "timeout" : "stuck";
    if (job->aborted)
        return job->aborted_by_handler ? "error" : "abort";
    if (job->ignored.is)
        return "ignored";
    if (job->started == 0 || job->broken)
        return "not started";
    return job->lost ? "lost" : "finished";
}

static void put_job(struct json *j, const struct run_job *job, int status)
{
    const struct run_plan *plan = job->plan;
    json_put_integer(j, "ranks", plan->ranks);
    json_put_string(j, "program", plan->path);
    json_put_string(j, "mpi", program_mpi_names[plan->mpi]);
    json_put_string(j, "mode", plan->mode == RUN_MODE_GHOST ? "ghost" : "real");
    json_put_seconds(j, "eta_s", plan->eta);
    json_put_seconds(j, "delta_s", plan->delta);
    json_put_string(j, "overlay", heartbeat_overlay_names[plan->overlay]);
    json_put_bool(j, "latest_only", plan->latest_only);
    json_put_string(j, "on_split", heartbeat_split_names[plan->on_split]);
    json_put_integer(j, "status", status);
    json_put_string(j, "end", end_of(job));
    json_key(j, "ready_s");
    if (job->begin)
        json_real(j, (double)(job->begin - job->launched) / 1e9);
    else
        json_null(j);
    put_time(j, job, "wall_s", job->end);
    run_put_record(j, job);
}

/* ---- deaths ------------------------------------------------------------------------------------------------------ */

struct knowing {
    const struct job_report *first;
    int64_t last;
    double sum; /* of the times from the death on */
    int ranks;
};

static struct knowing knowing_of(const struct run_job *job, int victim, int64_t died)
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

static void put_how(struct json *j, const struct run_rank *rank)
{
    bool by_signal = rank->ended && WIFSIGNALED(rank->status);
    json_put_string(j, "kind",
                    rank->ghost      ? "ghost"
                    : rank->injected ? "kill"
                    : by_signal      ? "signal"
                    : rank->ended    ? "exit"
                                     : "unknown");
    if (!rank->ghost && by_signal)
        json_put_integer(j, "signal", WTERMSIG(rank->status));
    else if (!rank->ghost && rank->ended)
        json_put_integer(j, "status", WEXITSTATUS(rank->status));
    json_put_bool(j, "injected", rank->injected);
}

static void put_death(struct json *j, const struct run_job *job, int victim)
{
    int64_t died = run_died(job, victim);
    struct knowing k = knowing_of(job, victim, died);
    json_object(j);
    json_put_integer(j, "rank", victim);
    put_how(j, &job->rank[victim]);
    put_time(j, job, "at_s", died);
    if (k.ranks) {
        json_put_seconds(j, "first_s", k.first->when - died);
        json_put_real(j, "mean_s", k.sum / k.ranks);
        json_put_seconds(j, "last_s", k.last - died);
        json_put_integer(j, "by", k.first->by);
        json_put_string(j, "why", knell_why_text((enum knell_why)k.first->value));
    }
    json_put_integer(j, "knowing", k.ranks);
    json_close(j);
}

/* ---- calls and wrong bits ---------------------------------------------------------------------------------------- */

static void put_spans(struct json *j, const struct run_job *job, int call)
{
    struct run_span *span;
    size_t count = run_spans(job, call, &span);
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        json_put_string(j, "call", job_call_name(call));
        put_time(j, job, "at_s", span[i].first);
        json_put_integer(j, "ranks", span[i].ranks);
        json_put_seconds(j, "took_s", span[i].end - span[i].first);
        json_put_seconds(j, "longest_s", span[i].longest);
        json_close(j);
    }
    free(span);
}

static void put_flips(struct json *j, const struct run_job *job)
{
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_FLIPPED || report->code <= 0)
            continue;
        json_object(j);
        json_put_integer(j, "rank", report->process);
        json_put_string(j, "call", job_call_name((int)report->value));
        put_time(j, job, "at_s", report->when);
        json_put_integer(j, "bits", report->code);
        json_close(j);
    }
}

/* ---- every rank -------------------------------------------------------------------------------------------------- */

static const char *state_of(const struct run_rank *rank)
{
    if (rank->ghost)
        return "ghost";
    if (rank->left)
        return "left"; /* we ended it with the job */
    if (run_is_death(rank))
        return "died";
    return rank->finished ? "finished" : rank->started ? "ended" : "not started";
}

static void put_rank(struct json *j, const struct run_job *job, int number)
{
    const struct run_rank *rank = &job->rank[number];
    json_object(j);
    json_put_integer(j, "rank", number);
    if (*run_host_of(job, number))
        json_put_string(j, "host", run_host_of(job, number));
    if (job->links.link[number].is_started && !job->links.link[number].shares_clock)
        json_put_seconds(j, "clock_error_s", job->links.link[number].ahead_error);
    json_put_string(j, "state", state_of(rank));
    if (rank->ended && !rank->ghost && !rank->left)
        json_put_integer(j, "status",
                         WIFSIGNALED(rank->status) ? 128 + WTERMSIG(rank->status) : WEXITSTATUS(rank->status));
    if (rank->told && rank->inside >= 0)
        json_put_string(j, "inside", job_call_name(rank->inside));
    if (rank->place)
        json_put_string(j, "place", rank->place);
    run_put_leaks_of(j, job, number);
    json_close(j);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void run_write_json(const struct run_job *job, int status, FILE *out)
{
    static const int calls[] = {JOB_CALL_COMM_REVOKE, JOB_CALL_COMM_AGREE, JOB_CALL_COMM_SHRINK};
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    put_job(&j, job, status);
    json_key(&j, "deaths");
    json_array(&j);
    for (int i = 0; i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i]))
            put_death(&j, job, i);
    json_close(&j);
    json_key(&j, "calls");
    json_array(&j);
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        put_spans(&j, job, calls[i]);
    json_close(&j);
    json_key(&j, "flips");
    json_array(&j);
    put_flips(&j, job);
    json_close(&j);
    run_put_refused(&j, job);
    json_key(&j, "each");
    json_array(&j);
    for (int i = 0; i < job->plan->ranks; i++)
        put_rank(&j, job, i);
    json_close(&j);
    json_close(&j);
}
