/* run_where: where the ranks are, when their job is ended from outside and when nothing moves any more. Neighbours in the same place share
 * a line. */
#include "cli/run.h"

#include <signal.h>
#include <string.h>

enum { PLACE_TEXT = JOB_DESK_PLACE + 64 };

/* ---- one rank ---------------------------------------------------------------------------------------------------------------- */

/* As the kernel has it: T, stopped by a signal, and t, by a debugger; 0: not known. The name may contain anything. */
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

static const char *not_at_work(const struct knell__run_rank *rank)
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

static const char *stopped(const struct knell__run_rank *rank)
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

static const char *at_no_call(const struct knell__run_rank *rank)
{
    if (!rank->told)
        return "no answer";
    return rank->inside == JOB_INSIDE_UNSURE ? "inside no MPI call, or held up inside the MPI below"
                                             : "inside no MPI call";
}

static bool is_held(const struct knell__run_job *job, int number, char text[PLACE_TEXT])
{
    struct knell__run_held held;
    if (!job->fail || !knell__run_fail_holds(job->fail, number, &held))
        return false;
    if (held.call < 0)
        snprintf(text, PLACE_TEXT, "held by the scenario at the end of MPI_Init");
    else
        snprintf(text, PLACE_TEXT, "held by the scenario %s %s", held.after ? "after" : "before",
                 job_call_name(held.call));
    return true;
}

/* The rank's own words, if they are about now. */
static bool has_words(const struct knell__run_job *job, int number)
{
    const struct knell__run_rank *rank = &job->rank[number];
    if (!job->place.desks)
        return false;
    return rank->told && rank->inside != JOB_INSIDE_UNSURE ? rank->inside >= 0
                                                           : knell__run_waits(job, number, &(int64_t){0});
}

static void write_place(const struct knell__run_job *job, int number, char text[PLACE_TEXT])
{
    const struct knell__run_rank *rank = &job->rank[number];
    const char *reason = not_at_work(rank);
    if (!reason && is_held(job, number, text))
        return;
    reason = reason ? reason : stopped(rank);
    if (!reason && has_words(job, number))
        snprintf(text, PLACE_TEXT, "inside %.*s", JOB_DESK_PLACE - 1,
                 knell__run_desk(&job->place, number)->words.place);
    else if (!reason && rank->told && rank->inside >= 0)
        snprintf(text, PLACE_TEXT, "inside %s", job_call_name(rank->inside));
    else
        snprintf(text, PLACE_TEXT, "%s", reason ? reason : at_no_call(rank));
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------- */

/* The last of those who are where `first` is. */
static int last_there(const struct knell__run_job *job, int first, const char *place)
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

static void write_places(const struct knell__run_job *job, FILE *out)
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

const char *knell__run_duration(int64_t time, char text[KNELL_DURATION_TEXT])
{
    const int64_t ms = 1000000, s = 1000 * ms, grain = time >= 10 * s ? s / 10 : time >= ms ? ms : 1;
    return knell__format_duration(time - time % grain, text);
}

const char *knell__run_ended_by(const struct knell__run_job *job, char text[48])
{
    if (job->stopped_by == SIGINT)
        return "ctrl-C";
    if (job->timed_out)
        return "--timeout";
    snprintf(text, 48, "signal %d (%s)", job->stopped_by, strsignal(job->stopped_by));
    return text;
}

void knell__run_where(const struct knell__run_job *job, FILE *out)
{
    int64_t after = job->timed_out ? job->plan->timeout : job->end - job->launched;
    fprintf(out, "knell run: ended by %s after %s; where the ranks are:\n", knell__run_ended_by(job, (char[48]){0}),
            knell__run_duration(after, (char[KNELL_DURATION_TEXT]){0}));
    write_places(job, out);
}

void knell__run_where_stuck(const struct knell__run_job *job, int64_t how_long, FILE *out)
{
    fprintf(out, "knell run: nothing has moved for %s; where the ranks are:\n",
            knell__run_duration(how_long, (char[KNELL_DURATION_TEXT]){0}));
    write_places(job, out);
}
