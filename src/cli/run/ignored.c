/* ignored.c: ends a job in which a rank died and whose program goes on as if none had. Such a program sets MPI_ERRORS_RETURN, or a
 * handler that returns, and does not look at the codes: then its ranks wait for each other for ever, or each of its
 * collectives fails and it computes on with wrong numbers. A program that calls, or has, one of the calls for recovery
 * (MPIX_...) is left alone. */
#include "cli/run/run.h"
#include "os/clock.h"
#include "symbols/imports.h"

#include <inttypes.h>

#define MS INT64_C(1000000)
/* How long a program may go on so, and how often that is looked at. */
#define LIMIT_NS (1000 * MS)
#define TURN_NS (100 * MS)
#define GHOST_NS (2000 * MS)
/* A program that ends after an error may make some more calls. */
enum { CALLS = 10 };

/* ---- can it recover? --------------------------------------------------------------------------------------------- */

static bool look_at_symbol(void *context, const char *name, bool is_defined)
{
    bool *found = context;
    *found = !is_defined && job_call_recovers(name);
    return !*found;
}

/* Its libraries are not looked at, nor is what a script starts: these have to make a call. */
static bool has_calls(const struct run_plan *plan)
{
    const char *why;
    bool found = false;
    struct imports *imports = imports_open(plan->path, &why);
    if (imports)
        imports_list(imports, look_at_symbol, &found);
    imports_close(imports);
    return found;
}

static bool may_recover(struct run_job *job)
{
    for (int i = 0; i < job->plan->ranks && !job->may_recover; i++)
        job->may_recover = atomic_load(&run_seen(job, i)->words.recovers) != 0;
    return job->may_recover;
}

/* ---- all wait ---------------------------------------------------------------------------------------------------- */

static bool is_at_work(const struct run_rank *rank)
{
    return rank->ready && !rank->ended && !rank->ghost && !rank->died && !rank->finished;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* For how long all have waited, of the time in which they knew of a death; 0: one does not wait, or does not know. What
 * a dead rank would have had to do fails then; so they wait for each other. */
static int64_t waited(const struct run_job *job)
{
    int64_t since = 0, seen = KNELL_NEVER;
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct run_rank *rank = &job->rank[i];
        struct run_waiting waiting;
        if (!is_at_work(rank))
            continue;
        if (!rank->learned || !run_is_waiting(job, i, &waiting))
            return 0;
        since = later(since, later(rank->learned, waiting.since));
        seen = waiting.seen < seen ? waiting.seen : seen;
    }
    return since && seen > since ? seen - since : 0;
}

/* Messages of a collective may come until the grace is over; that a host is lost is known after delta; and a ghost has time to take what
 * was sent to it before the send fails (src/mpi/wait). */
static int64_t longest_wait(const struct run_plan *plan)
{
    return LIMIT_NS + plan->grace + (plan->hosts ? plan->delta : 0) + (plan->mode == RUN_MODE_GHOST ? GHOST_NS : 0);
}

/* ---- collectives fail -------------------------------------------------------------------------------------------- */

static int64_t failed_for(const struct run_job *job, int rank)
{
    const struct job_desk_words *words = &run_seen(job, rank)->words;
    if (!is_at_work(&job->rank[rank]) || atomic_load(&words->ignored) < CALLS)
        return 0;
    return atomic_load(&words->ignored_last) - atomic_load(&words->ignored_first);
}

static int first_that_fails(const struct run_job *job)
{
    for (int i = 0; i < job->plan->ranks; i++)
        if (failed_for(job, i) >= LIMIT_NS)
            return i;
    return -1;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool any_knows(const struct run_job *job)
{
    for (int i = 0; i < job->plan->ranks; i++)
        if (job->rank[i].learned)
            return true;
    return false;
}

int64_t run_look_for_ignored(struct run_job *job)
{
    int64_t now = knell__clock_now();
    if (job->plan->on_ignored == RUN_ON_IGNORED_GO_ON || job->may_recover || !any_knows(job))
        return KNELL_NEVER;
    if (now < job->ignored.look_at)
        return job->ignored.look_at;
    if (!job->ignored.look_at)
        job->may_recover = has_calls(job->plan);
    job->ignored.look_at = now + TURN_NS;
    run_desks_look(job, false);
    int64_t stood = waited(job);
    int rank = first_that_fails(job);
    if (may_recover(job) || (stood < longest_wait(job->plan) && rank < 0))
        return job->ignored.look_at;
    job->ignored.is = true;
    job->ignored.rank = rank;
    job->ignored.time = rank < 0 ? stood : failed_for(job, rank);
    return KNELL_NEVER;
}

void run_describe_ignored(const struct run_job *job, FILE *out)
{
    int dead = run_first_dead(job), rank = job->ignored.rank;
    char time[DURATION_TEXT];
    run_format_duration(job->ignored.time, time);
    fprintf(out, "rank %d died, and the program goes on as if it had not: ", dead);
    if (rank < 0)
        fprintf(out, "all have waited for %s (%s)", time, job->places ? job->places : "");
    else
        fprintf(out, "%" PRIu32 " collectives of rank %d have failed within %s",
                atomic_load(&run_seen(job, rank)->words.ignored), rank, time);
}

void run_write_ignored(const struct run_job *job, FILE *out)
{
    fputs("knell run: ", out);
    run_describe_ignored(job, out);
    fputs("; the job was ended (docs/use/mpi.md, --on-ignored)\n", out);
}
