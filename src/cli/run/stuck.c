/* stuck.c: detects a job in which no rank makes progress: every living rank has waited inside MPI for --stuck. Ranks
 * write on their desks when they wait for long (job/report.h), so no rank has to be asked. A rank that computes does
 * not wait, however long the others wait for it. */
#include "cli/run/run.h"
#include "os/clock.h"

#define MS INT64_C(1000000)
/* A waiting rank renews its note several times in this time, even on a crowded machine. */
#define FRESH_NS (3000 * MS)

bool run_is_waiting(const struct run_job *job, int rank, int64_t *since)
{
    const struct job_desk_words *words = &run_desk(&job->directory, rank)->words;
    int64_t seen = atomic_load(&words->waits_seen);
    *since = atomic_load(&words->waits_since);
    return seen && knell__clock_now() - seen < FRESH_NS;
}

/* Since when the rank has been waiting; KNELL_NEVER: it is not. */
static int64_t waits_since(const struct run_job *job, int number)
{
    struct run_fail_hold held;
    int64_t since;
    if (job->fail && run_fail_holds(job->fail, number, &held))
        return held.since;
    return run_is_waiting(job, number, &since) ? since : KNELL_NEVER;
}

/* Since when all living ranks have been waiting; KNELL_NEVER: one of them works, or no rank is alive. */
static int64_t all_wait_since(const struct run_job *job)
{
    int64_t last = -1;
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct run_rank *rank = &job->rank[i];
        if (rank->ended || rank->ghost || rank->died)
            continue;
        int64_t since = rank->finished ? KNELL_NEVER : waits_since(job, i);
        last = since > last ? since : last;
    }
    return last < 0 ? KNELL_NEVER : last;
}

int64_t run_look_for_stuck(struct run_job *job)
{
    const int64_t limit = job->plan->stuck, now = knell__clock_now(),
                  turn = limit / 4 < 1000 * MS ? limit / 4 : 1000 * MS;
    if (job->said_stuck || now < job->look_at)
        return job->said_stuck ? KNELL_NEVER : job->look_at;
    int64_t since = job->begin ? all_wait_since(job) : KNELL_NEVER;
    job->look_at = now + turn;
    if (since == KNELL_NEVER || now - since < limit)
        return job->look_at;
    job->said_stuck = true;
    run_write_stuck(job, now - since, stderr);
    return KNELL_NEVER;
}
