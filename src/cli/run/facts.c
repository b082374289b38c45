/* facts.c: what is known about a run when it is over, in words, for the verdict (verdict.h). */
#include "cli/run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- what says nothing about the program ------------------------------------------------------------------------- */

static void find_lost(const struct run_job *job, char *why)
{
    int status = job->launcher_status;
    if (job->stopped_by)
        snprintf(why, RUN_WHY, "ended by %s", run_ended_by(job, (char[48]){0}));
    else if (job->timed_out && !job->begin)
        snprintf(why, RUN_WHY, "not all ranks came through MPI_Init within %s",
                 run_format_duration(job->plan->timeout, (char[DURATION_TEXT]){0}));
    else if (job->started == 0 && !job->timed_out)
        snprintf(why, RUN_WHY, "the launcher ended with status %d before any rank had started",
                 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    else if (job->lost)
        snprintf(why, RUN_WHY, "the launcher ended while ranks were running");
}

/* The first planned fault that did not happen, as the timeline says it. */
static void find_not_struck(const struct run_job *job, char *why)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    run_write_first_not_injected(job, out);
    if (fclose(out) == 0)
        snprintf(why, RUN_WHY, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
}

/* ---- what stands still ------------------------------------------------------------------------------------------- */

static void find_stuck(const struct run_job *job, struct run_facts *facts)
{
    char time[DURATION_TEXT];
    const char *places = job->places ? job->places : "";
    if (!job->timed_out)
        return;
    run_format_duration(job->stuck == RUN_MOVES ? job->plan->timeout : job->stood, time);
    if (job->stuck == RUN_NO_PROGRESS)
        snprintf(facts->no_progress, RUN_WHY, "no progress for %s: %.900s", time, places);
    else if (job->stuck == RUN_FROZEN)
        snprintf(facts->frozen, RUN_WHY, "nothing has moved for %s: %.900s", time, places);
    else if (job->all_wait && job->begin)
        snprintf(facts->frozen, RUN_WHY, "all wait %s after the start: %.900s", time, places);
    else
        snprintf(facts->aborted, RUN_WHY, "still running after %s", time);
}

static void find_ignored(const struct run_job *job, struct run_facts *facts)
{
    char *why = job->ignored.rank < 0 ? facts->frozen : facts->aborted;
    FILE *out = job->ignored.is ? fmemopen(why, RUN_WHY, "w") : NULL;
    if (!out)
        return;
    run_describe_ignored(job, out);
    fclose(out);
    why[RUN_WHY - 1] = '\0';
}

/* ---- what failed ------------------------------------------------------------------------------------------------- */

static bool describe_end(const struct run_rank *rank, int number, char *why)
{
    if (rank->ended && WIFSIGNALED(rank->status))
        snprintf(why, RUN_WHY, "rank %d was killed by signal %d (%s)", number, WTERMSIG(rank->status),
                 strsignal(WTERMSIG(rank->status)));
    else if (rank->ended && (WEXITSTATUS(rank->status) != 0 || rank->finished))
        snprintf(why, RUN_WHY, "rank %d exited with status %d", number, WEXITSTATUS(rank->status));
    else if (rank->ended)
        snprintf(why, RUN_WHY, "rank %d exited without MPI_Finalize", number);
    else
        snprintf(why, RUN_WHY, "rank %d died", number);
    return true;
}

/* A rank on which nothing was inflicted and that failed. Who ended without MPI_Finalize did not fail where no rank uses
 * MPI, as in a job of shell scripts. */
static bool has_failed(const struct run_job *job, const struct run_rank *rank)
{
    if (rank->left || rank->struck || !rank->ended)
        return false;
    return rank->status != 0 || (job->begin && run_is_death(rank));
}

static void find_failed_rank(const struct run_job *job, char *why)
{
    bool found = false;
    for (int i = 0; i < job->plan->ranks && !found; i++)
        if (has_failed(job, &job->rank[i]))
            found = describe_end(&job->rank[i], i, why);
}

static void find_aborted(const struct run_job *job, int status, char *why)
{
    if (job->aborted_by_handler)
        snprintf(why, RUN_WHY, "rank %d: %.*s", job->aborted_by, JOB_DESK_ERROR - 1,
                 run_seen(job, job->aborted_by)->words.error);
    else if (job->aborted)
        snprintf(why, RUN_WHY, "rank %d called MPI_Abort with %d", job->aborted_by, job->abort_code);
    else if (!job->timed_out)
        find_failed_rank(job, why);
    if (!*why && status != 0)
        snprintf(why, RUN_WHY, "the job ended with status %d", status);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void find_finished(const struct run_job *job, char *why)
{
    int64_t deaths = 0;
    for (int i = 0; i < job->plan->ranks; i++)
        deaths += run_is_death(&job->rank[i]);
    if (deaths)
        snprintf(why, RUN_WHY, "%" PRId64 " of %" PRId64 " ranks died, the others ended with status 0", deaths,
                 job->plan->ranks);
    else
        snprintf(why, RUN_WHY, "all ranks ended with status 0");
}

void run_find_facts(const struct run_job *job, int status, struct run_facts *facts)
{
    find_lost(job, facts->lost);
    if (job->fail)
        find_not_struck(job, facts->not_struck);
    find_stuck(job, facts);
    find_ignored(job, facts);
    if (!*facts->frozen && !*facts->no_progress && !*facts->aborted)
        find_aborted(job, status, facts->aborted);
    find_finished(job, facts->finished);
}
