/* json_record.c: what --json has for whoever keeps and compares runs: the verdict, how to repeat the run, what it
 * left. */
#include "cli/run/run.h"

#include <time.h>
#include <unistd.h>

static void put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    if (text && *text)
        json_string(j, text);
    else
        json_null(j);
}

static void put_words(struct json *j, const char *key, char *const *words)
{
    json_key(j, key);
    json_array(j);
    while (*words)
        json_string(j, *words++);
    json_close(j);
}

static void put_where(struct json *j, const struct run_job *job)
{
    char host[256] = "", started[32] = "";
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    if (gmtime_r(&job->started_at, &utc))
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_put_string(j, "version", KNELL_VERSION);
    put_text(j, "mpi_version", run_seen(job, 0)->words.mpi);
    put_text(j, "host", host);
    json_put_string(j, "started", started);
}

static void put_faults(struct json *j, const struct run_job *job)
{
    const struct run_plan *plan = job->plan;
    json_key(j, "kills");
    json_array(j);
    for (size_t i = 0; i < plan->kills.n; i++)
        json_string(j, plan->kills.items[i]);
    json_close(j);
    json_key(j, "faults");
    json_object(j);
    json_key(j, "planned");
    if (plan->fail || plan->mttf)
        json_null(j);
    else
        json_unsigned(j, plan->kills.n);
    json_put_unsigned(j, "struck", job->fail ? run_fail_faults(job->fail) : 0);
    json_close(j);
}

void run_put_record(struct json *j, const struct run_job *job)
{
    json_put_string(j, "class", record_class_name(job->verdict.class));
    json_put_string(j, "why", job->verdict.why);
    put_words(j, "command", job->plan->words);
    put_where(j, job);
    put_text(j, "scenario", job->plan->fail);
    put_faults(j, job);
    json_put_integer(j, "seed", job->plan->seed);
    run_put_leaks(j, job);
    json_put_unsigned(j, "left_out_bytes", run_record_left_out(job));
}
