/* stuck.c: detects a job that stands still. Frozen: every living rank has been in one wait inside MPI for --stuck, or
 * is held by the scenario or stopped by a signal. Ranks write on their desks when they wait for long (job/report.h), so
 * no rank has to be asked; a rank that computes does not wait, however long the others wait for it. No progress: calls
 * end, but the program's own measure, knell_progress or lines of --progress, has not grown for --stuck. */
#include "cli/run/run.h"
#include "os/clock.h"

#define MS INT64_C(1000000)
/* A waiting rank renews its note several times in this time, even on a crowded machine. */
#define FRESH_NS (3000 * MS)

/* By our clock (links.c). `since` is read later than `seen`: so a new wait is never taken for an old one. */
bool run_is_waiting(const struct run_job *job, int rank, struct run_waiting *waiting)
{
    const struct job_desk_words *words = &run_seen(job, rank)->words;
    waiting->seen = atomic_load(&words->waits_seen);
    waiting->since = atomic_load(&words->waits_since);
    return waiting->seen && knell__clock_now() - waiting->seen < FRESH_NS;
}

/* ---- frozen ------------------------------------------------------------------------------------------------------ */

/* Since when the process is stopped by a signal, as far as we looked; 0: it is not. */
static int64_t stopped_since(const struct run_job *job, int number, int64_t now)
{
    struct run_rank *rank = &job->rank[number];
    if (!run_is_stopped(job, number))
        rank->stopped_since = 0;
    else if (!rank->stopped_since)
        rank->stopped_since = now;
    return rank->stopped_since;
}

/* False: it works. What the scenario stops it may let go: while it has something to do, that does not count. */
static bool span_of(struct run_job *job, int number, int64_t now, struct run_waiting *span)
{
    struct run_fail_hold held;
    bool acts = job->fail && run_fail_is_due(job->fail);
    int64_t since = stopped_since(job, number, now);
    if (!since && job->fail && run_fail_holds(job->fail, number, &held))
        since = held.since;
    if (!since)
        return run_is_waiting(job, number, span);
    *span = (struct run_waiting){since, now};
    return !acts;
}

static bool is_living(const struct run_rank *rank)
{
    return !rank->ended && !rank->ghost && !rank->died;
}

/* The time in which all living ranks waited; false: one of them works, or no rank is alive. */
static bool find_common(struct run_job *job, int64_t now, struct run_waiting *common)
{
    bool all_wait = true, any = false;
    *common = (struct run_waiting){0, now};
    for (int i = 0; i < job->plan->ranks; i++) {
        struct run_waiting span;
        if (!is_living(&job->rank[i]))
            continue;
        any = true;
        all_wait &= span_of(job, i, now, &span) && !job->rank[i].finished;
        common->since = span.since > common->since ? span.since : common->since;
        common->seen = span.seen < common->seen ? span.seen : common->seen;
    }
    return any && all_wait;
}

/* ---- no progress ------------------------------------------------------------------------------------------------- */

/* KNELL_NEVER: nobody says what progress is, or nobody is left to make any. */
static int64_t last_progress(const struct run_job *job)
{
    int64_t last = job->capture ? run_capture_progress_at(job->capture) : 0;
    bool measured = job->plan->progress != NULL, any = false;
    for (int i = 0; i < job->plan->ranks; i++) {
        int64_t at = atomic_load(&run_seen(job, i)->words.progress_at);
        measured |= at != 0;
        last = at > last ? at : last;
        any |= is_living(&job->rank[i]) && !job->rank[i].finished;
    }
    last = last > job->begin ? last : job->begin;
    return measured && any ? last : KNELL_NEVER;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* While all wait it is left to them whether they are frozen. */
static enum run_stuck look(struct run_job *job, int64_t now, int64_t *stood)
{
    const int64_t limit = job->plan->stuck;
    struct run_waiting common;
    bool all_wait = find_common(job, now, &common);
    *stood = now - common.since;
    if (all_wait && common.seen - common.since >= limit)
        return RUN_FROZEN;
    int64_t last = last_progress(job);
    if (all_wait || last == KNELL_NEVER || now - last < limit)
        return RUN_MOVES;
    *stood = now - last;
    return RUN_NO_PROGRESS;
}

int64_t run_look_for_stuck(struct run_job *job)
{
    const int64_t limit = job->plan->stuck, now = knell__clock_now(),
                  turn = limit / 4 < 1000 * MS ? limit / 4 : 1000 * MS;
    int64_t stood = 0;
    if (job->said_stuck || now < job->look_at)
        return job->said_stuck ? KNELL_NEVER : job->look_at;
    job->look_at = now + turn;
    enum run_stuck stuck = job->begin ? look(job, now, &stood) : RUN_MOVES;
    if (stuck == RUN_MOVES)
        return job->look_at;
    job->said_stuck = true;
    job->stood = stood;
    if (job->plan->on_stuck == RUN_ON_STUCK_END) {
        job->stuck = stuck;
        job->timed_out = true;
    } else {
        run_write_stuck(job, stuck, stderr);
    }
    return KNELL_NEVER;
}
