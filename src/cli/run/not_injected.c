/* not_injected.c: the faults that were requested and not injected, with the reason. */
#include "cli/run/kill.h"
#include "cli/run/run.h"
#include "cli/common/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "the job ended 0.31 s after MPI_Init", with what ended it if it did not end by itself. */
static void write_end(const struct run_job *job, FILE *out)
{
    bool ended_by_us = job->stopped_by || job->timed_out || job->ignored.is;
    char after[DURATION_TEXT];
    run_format_duration(job->end - job->begin, after);
    if (ended_by_us)
        fprintf(out, "the job was ended by %s %s after MPI_Init", run_ended_by(job, (char[48]){0}), after);
    else
        fprintf(out, "the job %s %s after MPI_Init", job->aborted || job->lost ? "was ended" : "ended", after);
}

static const char *ordinal(uint64_t number)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    return number % 10 <= 3 && (number % 100 < 11 || number % 100 > 13) ? ends[number % 10] : "th";
}

/* ---- --kill ------------------------------------------------------------------------------------------------------ */

/* "the 17th MPI_Allreduce of rank 2 posted only 2 operations"; false: it has posted all that were waited for. */
static bool write_missed(const struct run_job *job, int rank, FILE *out)
{
    struct run_fail_missed missed;
    if (!run_fail_missed(job->fail, rank, &missed))
        return false;
    fprintf(out, "the %" PRIu64 "%s %s of rank %d", missed.count, ordinal(missed.count), missed.function, rank);
    if (strcmp(missed.function, job_call_name(missed.call)) != 0)
        fprintf(out, ", %s,", job_call_name(missed.call));
    if (missed.posted == 0)
        fputs(" posted no operation", out);
    else
        fprintf(out, " posted only %d operation%s", missed.posted, missed.posted == 1 ? "" : "s");
    return true;
}

/* "MPI_Send#3", "MPI_Send#3.2" */
static void write_calls(const struct run_job *job, int rank, const char *call, FILE *out)
{
    char name[64];
    size_t length = strcspn(call, "#");
    const char *dot = strchr(call + length, '.');
    uint64_t count = call[length] ? strtoull(call + length + 1, NULL, 10) : 1;
    snprintf(name, sizeof name, "%.*s", (int)length, call);
    uint64_t calls = run_fail_calls(job->fail, rank, name), operation = dot ? strtoull(dot + 1, NULL, 10) : 0;
    if (dot && write_missed(job, rank, out))
        return;
    if (dot && calls >= count)
        fprintf(out, "rank %d never came to the %" PRIu64 "%s operation of its %" PRIu64 "%s %s", rank, operation,
                ordinal(operation), count, ordinal(count), name);
    else if (calls == 0)
        fprintf(out, "rank %d never called %s", rank, name);
    else
        fprintf(out, "rank %d called %s only %s", rank, name, calls == 1 ? "once" : "");
    if (calls > 1 && !(dot && calls >= count))
        fprintf(out, "%" PRIu64 " times", calls);
}

static void write_why(const struct run_job *job, int rank, const char *when, FILE *out)
{
    int64_t time = 0;
    bool is_call = strncmp(when, "MPI", 3) == 0;
    if (!is_call)
        parse_duration(when, &time);
    if (!job->begin) {
        fputs("not all ranks came through MPI_Init", out);
    } else if (run_is_death(&job->rank[rank])) {
        fprintf(out, "rank %d died of something else", rank);
    } else if (is_call) {
        write_calls(job, rank, when, out);
        fputs("; ", out);
        write_end(job, out);
    } else if (job->rank[rank].finished && time < job->end - job->begin) {
        fprintf(out, "rank %d was through MPI_Finalize before", rank);
    } else {
        write_end(job, out);
    }
}

static bool is_injected(const struct run_job *job, const char *kill)
{
    return job->rank[atoi(kill)].injected; /* the text begins with the rank */
}

static void write_kill(const struct run_job *job, const char *kill, FILE *out)
{
    int rank = atoi(kill);
    fprintf(out, "--kill %s: no fault was injected: ", kill);
    write_why(job, rank, strchr(kill, '@') + 1, out);
    fputc('\n', out);
}

/* ---- --fail, --mttf ---------------------------------------------------------------------------------------------- */

static void write_scenario(const struct run_job *job, FILE *out)
{
    fprintf(out, "%s%s: no fault was injected: ", job->plan->fail ? "--fail " : "--mttf",
            job->plan->fail ? job->plan->fail : "");
    if (!job->begin) {
        fputs("not all ranks came through MPI_Init\n", out);
        return;
    }
    write_end(job, out);
    run_fail_write_waits(job->fail, out);
    for (int rank = 0; rank < job->plan->ranks; rank++)
        if (run_fail_missed(job->fail, rank, &(struct run_fail_missed){0})) {
            fputs("; ", out);
            write_missed(job, rank, out);
            break;
        }
    fputc('\n', out);
}

static void write_some(const struct run_job *job, const char *before, size_t most, FILE *out)
{
    for (size_t i = 0; i < job->plan->kills.n && most > 0; i++)
        if (!is_injected(job, job->plan->kills.items[i])) {
            fputs(before, out);
            write_kill(job, job->plan->kills.items[i], out);
            most--;
        }
    if (job->fail && !job->plan->kills.n && run_fail_faults(job->fail) == 0) {
        fputs(before, out);
        write_scenario(job, out);
    }
}

void run_write_not_injected(const struct run_job *job, FILE *out)
{
    write_some(job, "knell run: ", SIZE_MAX, out);
}

void run_write_first_not_injected(const struct run_job *job, FILE *out)
{
    write_some(job, "", 1, out);
}
