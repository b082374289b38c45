/* log.c: --log of `knell run`: the reports of ranks and the actions of the scenario, one line each (common/log.h). */
#include "cli/run/run.h"
#include "os/clock.h"

#include <knell/core.h>
#include <sys/wait.h>

static const char *const events[] = {
    [JOB_WORD_STARTED] = "started", [JOB_WORD_ENDED] = "ended",        [JOB_WORD_INIT] = "init",
    [JOB_WORD_READY] = "ready",     [JOB_WORD_FINISHED] = "finalized", [JOB_WORD_ABORTED] = "aborted",
    [JOB_WORD_LEARNED] = "learned", [JOB_WORD_GHOST] = "ghost",        [JOB_WORD_DID] = "call",
    [JOB_WORD_AT] = "held",         [JOB_WORD_INSIDE] = "inside",      [JOB_WORD_FLIPPED] = "flipped",
    [JOB_WORD_COUNTED] = "counted", [JOB_WORD_CHANGED] = "changed",    [JOB_WORD_LEAKED] = "leaked",
    [JOB_WORD_POSTED] = "posted",   [JOB_WORD_REFUSED] = "refused",
};

static const char *event_of(int32_t word)
{
    return word > 0 && (size_t)word < COUNT_OF(events) && events[word] ? events[word] : "unknown";
}

static void put_end(struct json *j, int status)
{
    if (WIFSIGNALED(status))
        json_put_integer(j, "signal", WTERMSIG(status));
    else
        json_put_integer(j, "status", WEXITSTATUS(status));
}

static void put_call(struct json *j, const struct job_report *report)
{
    json_key(j, "call");
    if (report->value < 0)
        json_null(j);
    else
        json_string(j, job_call_name((int)report->value));
}

static void put_learned(struct json *j, const struct job_report *report)
{
    json_put_integer(j, "dead", report->peer);
    json_put_integer(j, "by", report->by);
    json_put_string(j, "why", knell_why_text((enum knell_why)report->value));
}

static void put_aborted(struct json *j, const struct job_report *report)
{
    json_put_integer(j, "code", report->value);
    json_put_bool(j, "by_handler", report->code != 0);
}

static void put_did(struct json *j, const struct job_report *report)
{
    put_call(j, report);
    json_put_seconds(j, "took_s", report->took);
    json_put_integer(j, "code", report->code);
}

/* -1: the call sends nothing that can be copied. */
static void put_flipped(struct json *j, const struct job_report *report)
{
    put_call(j, report);
    json_put_integer(j, "bits", report->code < 0 ? 0 : report->code);
}

static void put_leaked(struct json *j, const struct job_report *report)
{
    static const char *const kinds[JOB_LEAKS] = {"requests", "communicators", "groups"};
    json_put_string(j, "what", report->value >= 0 && report->value < JOB_LEAKS ? kinds[report->value] : "unknown");
    json_put_integer(j, "count", report->code);
}

static void put_at(struct json *j, const struct job_report *report)
{
    put_call(j, report);
    json_put_string(j, "where",
                    report->code == JOB_AT_INSIDE   ? "inside"
                    : report->code == JOB_AT_RETURN ? "after"
                                                    : "before");
    if (report->code == JOB_AT_INSIDE)
        json_put_integer(j, "operation", report->took);
}

static void put_details(struct json *j, const struct job_report *report)
{
    switch (report->word) {
    case JOB_WORD_STARTED:
        json_put_integer(j, "pid", report->value);
        break;
    case JOB_WORD_ENDED:
        put_end(j, (int)report->value);
        break;
    case JOB_WORD_ABORTED:
        put_aborted(j, report);
        break;
    case JOB_WORD_LEARNED:
        put_learned(j, report);
        break;
    case JOB_WORD_DID:
        put_did(j, report);
        break;
    case JOB_WORD_AT:
        put_at(j, report);
        break;
    case JOB_WORD_POSTED:
        put_call(j, report);
        json_put_integer(j, "operation", report->took);
        json_put_integer(j, "posted", report->code);
        break;
    case JOB_WORD_INSIDE:
    case JOB_WORD_REFUSED:
        put_call(j, report);
        break;
    case JOB_WORD_FLIPPED:
        put_flipped(j, report);
        break;
    case JOB_WORD_COUNTED:
        json_put_integer(j, "missed", report->value);
        json_put_seconds(j, "latest_s", report->took);
        break;
    case JOB_WORD_CHANGED:
        json_put_integer(j, "variable", report->value);
        break;
    case JOB_WORD_LEAKED:
        put_leaked(j, report);
        break;
    default:
        break;
    }
}

bool run_logs(const struct run_job *job)
{
    return job->log[RUN_LOG_USER].file || job->log[RUN_LOG_RECORD].file;
}

/* A call is reported when it returns, and that is its time in the log. */
void run_log_report(struct run_job *job, const struct job_report *report)
{
    int64_t when = report->when + (report->word == JOB_WORD_DID ? report->took : 0);
    for (int i = 0; i < RUN_LOGS; i++) {
        if (!job->log[i].file)
            continue;
        struct json *j = log_begin(&job->log[i], when, event_of(report->word));
        json_put_integer(j, "rank", report->process);
        put_details(j, report);
        log_end(&job->log[i]);
    }
}

void run_log_scenario(struct run_job *job, const char *text)
{
    int64_t now = knell__clock_now();
    for (int i = 0; i < RUN_LOGS; i++) {
        if (!job->log[i].file)
            continue;
        json_put_string(log_begin(&job->log[i], now, "scenario"), "text", text);
        log_end(&job->log[i]);
    }
}
