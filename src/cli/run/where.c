/* where.c: where the ranks are when a user or a time limit ends the job, and when no rank makes progress.
 * Neighbouring ranks in the same place share a line. */
#include "cli/run/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_TEXT = JOB_DESK_PLACE + 64 };

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

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

bool run_is_stopped(const struct run_job *job, int rank)
{
    return job->links.link[rank].seen.state == 'T';
}

static const char *stopped(const struct run_job *job, int rank)
{
    switch (job->links.link[rank].seen.state) {
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
    return rank->told && rank->inside != JOB_INSIDE_UNSURE ? rank->inside >= 0
                                                           : run_is_waiting(job, number, &(struct run_waiting){0});
}

static void write_place(const struct run_job *job, int number, char text[PLACE_TEXT])
{
    const struct run_rank *rank = &job->rank[number];
    const char *reason = not_at_work(rank);
    if (!reason && is_held(job, number, text))
        return;
    reason = reason ? reason : stopped(job, number);
    if (!reason && has_words(job, number))
        snprintf(text, PLACE_TEXT, "inside %.*s", JOB_DESK_PLACE - 1, run_seen(job, number)->words.place);
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
        if (strcmp(text, place) != 0 || strcmp(run_host_of(job, last + 1), run_host_of(job, first)) != 0)
            break;
        last++;
    }
    return last;
}

static void write_places(const struct run_job *job, const char *before, const char *after, FILE *out)
{
    char text[PLACE_TEXT];
    for (int first = 0, last; first < job->plan->ranks; first = last + 1) {
        write_place(job, first, text);
        last = last_there(job, first, text);
        fprintf(out, first == last ? "%srank %d" : "%sranks %d to %d", first || *before == ' ' ? before : "", first,
                last);
        if (*run_host_of(job, first))
            fprintf(out, " on %s", run_host_of(job, first));
        fprintf(out, ": %s%s", text, after);
    }
}

static void write_list(const struct run_job *job, FILE *out)
{
    write_places(job, "  ", "\n", out);
}

/* ---- kept for later ---------------------------------------------------------------------------------------------- */

/* A rank that has answered waits if its answer says for what; MPI_Finalize waits for all. */
static bool waits(const struct run_job *job, int number)
{
    const struct run_rank *rank = &job->rank[number];
    if (!rank->ready || rank->finished)
        return false;
    if (run_is_stopped(job, number) || (job->fail && run_fail_holds(job->fail, number, &(struct run_fail_hold){0})))
        return true;
    if (run_is_waiting(job, number, &(struct run_waiting){0}))
        return true;
    return rank->told && rank->inside >= 0 &&
           (rank->inside == JOB_CALL_FINALIZE || strchr(run_seen(job, number)->words.place, ' '));
}

/* Where it is known: it was asked, or it had said so itself. */
static void keep_place(struct run_job *job, int number)
{
    char text[PLACE_TEXT];
    const char *from = text;
    bool asked = job->timed_out || job->stopped_by || job->ignored.is;
    if (not_at_work(&job->rank[number]) || !(asked || run_is_waiting(job, number, &(struct run_waiting){0})))
        return;
    write_place(job, number, text);
    if (strncmp(text, "inside MPI", 10) == 0)
        from += strlen("inside ");
    job->rank[number].place = strdup(from);
}

void run_keep_places(struct run_job *job)
{
    size_t size;
    FILE *line = open_memstream(&job->places, &size);
    job->all_wait = true;
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct run_rank *rank = &job->rank[i];
        keep_place(job, i);
        job->all_wait &= rank->ended || rank->ghost || rank->died || waits(job, i);
    }
    if (!line)
        return;
    write_places(job, "; ", "", line);
    fclose(line);
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
        return job->stuck == RUN_MOVES ? "--timeout" : "--on-stuck end";
    snprintf(text, 48, "signal %d (%s)", job->stopped_by, strsignal(job->stopped_by));
    return text;
}

void run_write_where(const struct run_job *job, FILE *out)
{
    bool by_limit = job->timed_out && job->stuck == RUN_MOVES;
    fprintf(out, "knell run: ended by %s after %s; where the ranks are:\n", run_ended_by(job, (char[48]){0}),
            run_format_duration(by_limit ? job->plan->timeout : job->end - job->launched, (char[DURATION_TEXT]){0}));
    write_list(job, out);
}

void run_write_stuck(const struct run_job *job, enum run_stuck stuck, FILE *out)
{
    fprintf(out, "knell run: %s for %s; where the ranks are:\n",
            stuck == RUN_FROZEN ? "nothing has moved" : "no progress", /* calls end all the same */
            run_format_duration(job->stood, (char[DURATION_TEXT]){0}));
    write_list(job, out);
}
