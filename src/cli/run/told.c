/* told.c: deaths that `knell run` knows of before the ranks on other hosts can: it passes them on to the detectors of some of these
 * (mpi/detector/told.h).
 *
 * The end of the last rank on a host: nobody there sees it, but its supervisor, which tells it here. This is certain, so it must not
 * reach a rank that the dead one had held for dead itself (docs/design/protocol.md, condition C2 of I13): the sides of a network that
 * split may both reach `knell run`. What the dead one knew is what it reported; its desk has the number of these reports.
 *
 * A supervisor that is gone, a host that the resource manager gave up: as sure as silence. */
#include "cli/run/run.h"

#include <knell/core.h>
#include <stdlib.h>
#include <string.h>

/* ---- whom -------------------------------------------------------------------------------------------------------- */

static bool lives(const struct run_job *job, int rank)
{
    return !job->rank[rank].ended && !job->rank[rank].ghost;
}

static bool is_on(const struct run_job *job, int rank, const char *host)
{
    return strcmp(job->links.link[rank].host, host) == 0;
}

/* One rank of each other host, as ranks usually lie; more than one where they lie otherwise. `knew`: by rank, or NULL. */
static void tell_others(struct run_job *job, int dead, enum knell_why why, const bool *knew)
{
    const char *before = job->links.link[dead].host;
    struct job_death death = {.rank = dead, .why = (int32_t)why};
    for (int i = 0; i < job->links.ranks; i++) {
        struct run_link *link = &job->links.link[i];
        if (!link->is_open || !lives(job, i) || !job->rank[i].ready || job->rank[i].finished || is_on(job, i, before) ||
            is_on(job, i, job->links.link[dead].host) || (knew && knew[i]))
            continue;
        channel_put(&link->stream, CHANNEL_DEATH, &death, sizeof death, NULL, 0);
        before = link->host;
    }
}

/* ---- the last rank of a host ------------------------------------------------------------------------------------- */

/* Whom the rank held for dead. False: not all of what it reported has come. */
static bool find_knowledge(const struct run_job *job, int rank, bool *knew)
{
    uint32_t learned = 0;
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_LEARNED || report->process != rank)
            continue;
        learned++;
        if (report->peer >= 0 && report->peer < job->plan->ranks)
            knew[report->peer] = true;
    }
    return learned == run_seen(job, rank)->words.deaths;
}

static void tell_seen_end(struct run_job *job, int rank)
{
    bool *knew = calloc((size_t)job->plan->ranks, sizeof *knew);
    if (knew && find_knowledge(job, rank, knew))
        tell_others(job, rank, KNELL_WHY_KERNEL, knew);
    free(knew);
}

/* Of those who left, and of ghosts, all have heard by the detector. */
static bool has_detector(const struct run_job *job, int rank)
{
    const struct run_rank *state = &job->rank[rank];
    return state->ready && !state->finished && !state->ghost;
}

/* With a supervisor that is gone its rank is killed, but nobody has seen that. Of a host that is silent the ranks have told us. */
static void tell_end(struct run_job *job, int rank)
{
    if (!job->rank[rank].ended || !has_detector(job, rank) || job->links.link[rank].is_host_lost)
        return;
    if (job->links.link[rank].has_seen_end)
        tell_seen_end(job, rank);
    else
        tell_others(job, rank, KNELL_WHY_OPERATOR, NULL);
}

void run_told_ended(struct run_job *job, int rank)
{
    const char *host = job->links.link[rank].host;
    if (!job->plan->address[0])
        return;
    for (int i = 0; i < job->links.ranks; i++)
        if (is_on(job, i, host) && lives(job, i))
            return; /* its kernel tells it */
    for (int i = 0; i < job->links.ranks; i++)
        if (is_on(job, i, host))
            tell_end(job, i);
}

/* ---- a host ------------------------------------------------------------------------------------------------------ */

/* The same host by a short name and a long one. */
static bool is_same_host(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");
    return length > 0 && length == strcspn(b, ".") && strncmp(a, b, length) == 0;
}

void run_told_host_down(struct run_job *job, const char *host)
{
    for (int i = 0; i < job->links.ranks; i++)
        if (is_same_host(job->links.link[i].host, host)) {
            job->links.link[i].is_down = true;
            if (has_detector(job, i))
                tell_others(job, i, KNELL_WHY_OPERATOR, NULL);
        }
}
