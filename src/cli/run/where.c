/* where.c: where the ranks are when a user or a time limit ends the job, and when no rank makes progress.
 * Neighbouring ranks in the same place share a line. */
#include "cli/run/run.h"

#include <signal.h>
#include <string.h>

enum { PLACE_TEXT = JOB_DESK_PLACE + 64 };

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

/* The state of a process by the kernel: T, stopped by a signal; t, stopped by a debugger; 0: unknown. The name of
 * the process, in parentheses, may contain anything. */
static char state_of(pid_t pid)
{
    char path[40], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *stat = pid > 0 ? fopen(path, "re") : NULL;
    if (stat && !fgets(line, sizeof line, stat))
        line[0] = '\0';
    if (stat)
        fclose(stat);
    const char *end = strrchr(line, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}

static const char *not_at_work(const struct run_rank *rank)
{
    if (!rank->started)
        return "not started";
    if (rank->ghost)
        return "ghost";
    if (rank->ended || rank->died)
        return rank->finished ? "ended" : "dead";
    if (!rank->ready)
        return rank->init ? "inside MPI_Init" : "not yet inside MPI_Init";
    return NULL;
}

static const char *stopped(const struct run_rank *rank)
{
    switch (state_of(rank->pid)) {
    case 'T':
        return "stopped by a signal";
    case 't':
        return "stopped by a debugger";
    default:
        return NULL;
    }
}

static const char *at_no_call(const struct run_rank *rank)
{
    if (!rank->told)
        return "no answer";
    return rank->inside == JOB_INSIDE_UNSURE ? "inside no MPI call, or held up inside the MPI below"
                                             : "inside no MPI call";
}

static bool is_held(const struct run_job *job, int number, char text[PLACE_TEXT])
{
    static const char *const where[] = {
        [JOB_AT_ENTRY] = "before", [JOB_AT_RETURN] = "after", [JOB_AT_INSIDE] = "inside"};
    struct run_fail_hold held;
    if (!job->fail || !run_fail_holds(job->fail, number, &held))
        return false;
    if (held.call < 0)
        snprintf(text, PLACE_TEXT, "held by the scenario at the end of MPI_Init");
    else
        snprintf(text, PLACE_TEXT, "held by the scenario %s %s", where[held.where], job_call_name(held.call));
    return true;
}

/* Does the desk have the rank's own description of where it is, and is it current? */
static bool has_words(const struct run_job *job, int number)
{
    const struct run_rank *rank = &job->rank[number];
    if (!job->directory.desks)
        return false;
    return rank->told && rank->inside != JOB_INSIDE_UNSURE ? rank->inside >= 0
                                                           : run_is_waiting(job, number, &(int64_t){0});
}

static void write_place(const struct run_job *job, int number, char text[PLACE_TEXT])
{
    const struct run_rank *rank = &job->rank[number];
    const char *reason = not_at_work(rank);
    if (!reason && is_held(job, number, text))
        return;
    reason = reason ? reason : stopped(rank);
    if (!reason && has_words(job, number))
        snprintf(text, PLACE_TEXT, "inside %.*s", JOB_DESK_PLACE - 1, run_desk(&job->directory, number)->words.place);
    else if (!reason && rank->told && rank->inside >= 0)
        snprintf(text, PLACE_TEXT, "inside %s", job_call_name(rank->inside));
    else
        snprintf(text, PLACE_TEXT, "%s", reason ? reason : at_no_call(rank));
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* The last of the neighbouring ranks that are in the same place as `first`. */
static int last_there(const struct run_job *job, int first, const char *place)
{
    char text[PLACE_TEXT];
    int last = first;
    while (last + 1 < job->plan->ranks) {
        write_place(job, last + 1, text);
        if (strcmp(text, place) != 0)
            break;
        last++;
    }
    return last;
}

static void write_places(const struct run_job *job, FILE *out)
{
    char text[PLACE_TEXT];
    for (int first = 0, last; first < job->plan->ranks; first = last + 1) {
        write_place(job, first, text);
        last = last_there(job, first, text);
        if (first == last)
            fprintf(out, "  rank %d: %s\n", first, text);
        else
            fprintf(out, "  ranks %d to %d: %s\n", first, last, text);
    }
}

const char *run_format_duration(int64_t time, char text[DURATION_TEXT])
{
    return format_seconds((double)time * 1e-9, 3, text);
}

const char *run_ended_by(const struct run_job *job, char text[48])
{
    if (job->stopped_by == SIGINT)
        return "ctrl-C";
    if (job->timed_out)
        return "--timeout";
    snprintf(text, 48, "signal %d (%s)", job->stopped_by, strsignal(job->stopped_by));
    return text;
}

void run_write_where(const struct run_job *job, FILE *out)
{
    int64_t after = job->timed_out ? job->plan->timeout : job->end - job->launched;
    fprintf(out, "knell run: ended by %s after %s; where the ranks are:\n", run_ended_by(job, (char[48]){0}),
            run_format_duration(after, (char[DURATION_TEXT]){0}));
    write_places(job, out);
}

void run_write_stuck(const struct run_job *job, int64_t how_long, FILE *out)
{
    fprintf(out, "knell run: nothing has moved for %s; where the ranks are:\n",
            run_format_duration(how_long, (char[DURATION_TEXT]){0}));
    write_places(job, out);
}
