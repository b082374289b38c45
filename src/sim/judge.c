/* judge: see judge.h. Counts are kept, not computed: a fact costs the same whatever the number of nodes. */
#include "sim/judge.h"

#include <stdlib.h>

struct failure {
    knell_rank rank;
    knell_time time; /* of the death, or of the silence that was taken for it */
    uint32_t known;  /* present nodes that hold it for dead */
    bool told;       /* the log has heard that all know */
};

struct seat {
    uint32_t failure; /* its number + 1; 0: none */
    bool present;
    bool silent;          /* paused or cut off, when last looked, */
    bool cut;             /* or with a link that is cut */
    knell_time silent_at; /* since when, or when the last time began */
    knell_time calm_at;   /* since when nothing of that: KNELL_NEVER: not now; -KNELL_NEVER: always */
};

struct knell_judge {
    struct knell_world *world;
    struct knell_judge_log log;
    struct seat *seat; /* by rank */
    struct failure *failure;
    uint32_t failures, room;
    uint32_t present;
    uint32_t pending; /* living nodes that are silent and not held for dead */
    bool changed;     /* since stability was looked at */
    bool stable;
    knell_time unstable_since; /* the failure that began it */
    knell_time healed_at;      /* the last link; -KNELL_NEVER: none */
    struct knell_verdict verdict;
};

static void tell(struct knell_judge *judge, enum knell_ring_event_type type, knell_time time, knell_rank rank,
                 knell_rank by)
{
    if (judge->log.event)
        judge->log.event(judge->log.context, &(struct knell_ring_event){type, time, rank, by});
}

static bool knows(const struct knell_judge *judge, knell_rank node, knell_rank of)
{
    return knell_node_is_gone(judge->world->node[node], of);
}

/* ---- knowledge ------------------------------------------------------------------------------------------------------------- */

static void note_known(struct knell_judge *judge, struct failure *failure)
{
    knell_time now = judge->world->now;
    if (failure->told || failure->known != judge->present || judge->present == 0)
        return;
    failure->told = true;
    tell(judge, KNELL_RING_KNOWN, now, failure->rank, KNELL_NOBODY);
    if (failure != &judge->failure[0])
        return;
    judge->verdict.has_first = true;
    judge->verdict.first_s = (double)(now - failure->time) * 1e-9;
}

/* The node is counted among the present from now on, or no more; with all it knows. */
static void set_present(struct knell_judge *judge, knell_rank rank, bool present)
{
    if (judge->seat[rank].present == present)
        return;
    judge->seat[rank].present = present;
    judge->present += present ? 1u : -1u;
    judge->changed = true;
    for (uint32_t i = 0; i < judge->failures; i++)
        if (knows(judge, rank, judge->failure[i].rank))
            judge->failure[i].known += present ? 1u : -1u;
    for (uint32_t i = 0; i < judge->failures; i++)
        note_known(judge, &judge->failure[i]);
}

static void set_silent(struct knell_judge *judge, knell_rank rank, bool silent)
{
    struct seat *seat = &judge->seat[rank];
    if (seat->silent == silent)
        return;
    seat->silent = silent;
    judge->pending += silent ? 1u : -1u;
    if (silent)
        seat->silent_at = judge->world->now;
}

/* ---- failures -------------------------------------------------------------------------------------------------------------- */

static bool reserve(struct knell_judge *judge)
{
    if (judge->failures < judge->room)
        return true;
    uint32_t room = judge->room ? 2 * judge->room : 32;
    struct failure *failure = realloc(judge->failure, room * sizeof *failure);
    if (!failure)
        return false;
    judge->failure = failure;
    judge->room = room;
    return true;
}

/* Of those who hold it for dead already, `teller` is not counted: its own word comes next. */
static void add_failure(struct knell_judge *judge, knell_rank rank, knell_time time, knell_rank teller)
{
    if (!reserve(judge)) {
        judge->world->broken = true;
        return;
    }
    set_present(judge, rank, false);
    set_silent(judge, rank, false);
    struct failure *failure = &judge->failure[judge->failures];
    *failure = (struct failure){.rank = rank, .time = time};
    for (knell_rank node = 0; node < judge->world->config.ranks; node++)
        failure->known += judge->seat[node].present && node != teller && knows(judge, node, rank);
    judge->seat[rank].failure = ++judge->failures;
    judge->verdict.failures++;
    judge->unstable_since = judge->stable || time < judge->unstable_since ? time : judge->unstable_since;
    judge->stable = false;
    tell(judge, judge->world->alive[rank] ? KNELL_RING_SILENCE : KNELL_RING_FAILURE, time, rank, KNELL_NOBODY);
}

void knell_judge_death(struct knell_judge *judge, knell_rank rank)
{
    if (judge->seat[rank].failure)
        return;
    add_failure(judge, rank, judge->world->now, KNELL_NOBODY);
    if (!judge->world->broken)
        note_known(judge, &judge->failure[judge->failures - 1]);
}

/* A silence of delta, or of 2 delta after a new observer's word was lost, looks like death. */
static bool is_recent(const struct knell_judge *judge, knell_time when)
{
    return when >= 0 && (when == KNELL_NEVER || judge->world->now - when <= 2 * judge->world->config.delta);
}

static bool is_excused(const struct knell_judge *judge, knell_rank rank)
{
    return is_recent(judge, judge->seat[rank].calm_at);
}

/* Who was cut off holds others for dead. When it is back, and before it is told that it is dead itself, its word makes the
 * living turn away from each other. */
static bool is_anyone_misled(const struct knell_judge *judge)
{
    return judge->world->outage->links.count > 0 || is_recent(judge, judge->healed_at);
}

/* When what is taken for a death began. */
static knell_time began_at(const struct knell_judge *judge, knell_rank rank)
{
    const struct seat *seat = &judge->seat[rank];
    return seat->silent || is_excused(judge, rank) ? seat->silent_at : judge->world->now;
}

void knell_judge_fact(struct knell_judge *judge, knell_rank node, const struct knell_fact *fact)
{
    struct knell_world *world = judge->world;
    knell_rank rank = fact->rank;
    if (fact->type != KNELL_FACT_FAILED || !judge->seat[node].present)
        return;
    if (!judge->seat[rank].failure) {
        if (fact->by == node && !is_excused(judge, rank) && !is_excused(judge, node) && !is_anyone_misled(judge))
            judge->verdict.suspected_living++;
        add_failure(judge, rank, began_at(judge, rank), node);
    }
    if (world->broken)
        return;
    if (fact->by == node) {
        judge->verdict.detections++;
        tell(judge, KNELL_RING_DETECTION, world->now, rank, node);
    }
    struct failure *failure = &judge->failure[judge->seat[rank].failure - 1];
    failure->known++;
    judge->changed = true;
    note_known(judge, failure);
}

/* ---- outages --------------------------------------------------------------------------------------------------------------- */

void knell_judge_outage(struct knell_judge *judge, knell_rank rank)
{
    const struct knell_silent *node = &judge->world->outage->node[rank];
    struct seat *seat = &judge->seat[rank];
    bool cut = node->isolated || node->cut_links > 0, silent = node->paused || node->isolated,
         disturbed = cut || silent;
    if (disturbed != (seat->calm_at == KNELL_NEVER)) {
        seat->calm_at = disturbed ? KNELL_NEVER : judge->world->now;
        seat->silent_at = disturbed ? judge->world->now : seat->silent_at;
    }
    if (seat->cut && !cut)
        judge->healed_at = judge->world->now;
    seat->cut = cut;
    if (seat->failure)
        return;
    set_silent(judge, rank, silent);
    set_present(judge, rank, !silent);
}

bool knell_judge_is_pending(const struct knell_judge *judge)
{
    return judge->pending > 0;
}

/* ---- stability ------------------------------------------------------------------------------------------------------------- */

static knell_rank neighbour(const struct knell_judge *judge, knell_rank rank, bool after)
{
    uint32_t n = judge->world->config.ranks;
    do
        rank = after ? (rank + 1 < n ? rank + 1 : 0) : (rank ? rank - 1 : n - 1);
    while (judge->seat[rank].failure);
    return rank;
}

/* The ring has its natural order. Who is silent, but not held for dead, is still a part of it. */
static bool ring_is_whole(const struct knell_judge *judge)
{
    const struct knell_world *world = judge->world;
    for (uint32_t i = 0; i < judge->failures && judge->failures + 1 < world->config.ranks; i++) {
        knell_rank before = neighbour(judge, judge->failure[i].rank, false);
        knell_rank after = neighbour(judge, judge->failure[i].rank, true);
        if (knell_node_emitter(world->node[after]) != before || knell_node_observer(world->node[before]) != after)
            return false;
    }
    return true;
}

static bool all_know(const struct knell_judge *judge)
{
    for (uint32_t i = 0; i < judge->failures; i++)
        if (judge->failure[i].known != judge->present)
            return false;
    return true;
}

static void note_stable(struct knell_judge *judge)
{
    double took_s = (double)(judge->world->now - judge->unstable_since) * 1e-9;
    tell(judge, KNELL_RING_STABLE, judge->world->now, KNELL_NOBODY, KNELL_NOBODY);
    judge->verdict.has_stable = true;
    if (took_s > judge->verdict.stable_s)
        judge->verdict.stable_s = took_s;
}

bool knell_judge_is_stable(struct knell_judge *judge)
{
    if (!judge->changed && judge->stable)
        return true;
    bool stable = all_know(judge) && ring_is_whole(judge);
    if (stable && !judge->stable && judge->present > 0)
        note_stable(judge);
    if (!stable && judge->stable) /* somebody came back who has to catch up */
        judge->unstable_since = judge->world->now;
    judge->changed = false;
    judge->stable = stable;
    return stable;
}

/* ---- a run ----------------------------------------------------------------------------------------------------------------- */

struct knell_judge *knell_judge_new(struct knell_world *world)
{
    struct knell_judge *judge = calloc(1, sizeof *judge);
    if (!judge)
        return NULL;
    judge->world = world;
    judge->seat = calloc(world->config.ranks, sizeof *judge->seat);
    if (judge->seat)
        return judge;
    free(judge);
    return NULL;
}

void knell_judge_free(struct knell_judge *judge)
{
    if (!judge)
        return;
    free(judge->seat);
    free(judge->failure);
    free(judge);
}

void knell_judge_begin(struct knell_judge *judge, const struct knell_judge_log *log)
{
    judge->log = log ? *log : (struct knell_judge_log){0};
    judge->failures = judge->pending = 0;
    judge->present = judge->world->config.ranks;
    judge->changed = false;
    judge->stable = true;
    judge->unstable_since = 0;
    judge->healed_at = -KNELL_NEVER;
    judge->verdict = (struct knell_verdict){0};
    for (knell_rank rank = 0; rank < judge->present; rank++)
        judge->seat[rank] = (struct seat){.present = true, .calm_at = -KNELL_NEVER};
}

/* After so long a death that is not known to all will never be: as for other runs of the ring. */
static double longest_ns(const struct knell_judge *judge)
{
    double f = judge->failures;
    return (f + 2) * (f + 3) * (double)judge->world->config.delta + 64 * (double)judge->world->config.eta;
}

struct knell_verdict knell_judge_end(struct knell_judge *judge)
{
    double now = (double)judge->world->now;
    for (uint32_t i = 0; i < judge->failures; i++)
        if (judge->failure[i].known != judge->present && now - (double)judge->failure[i].time > longest_ns(judge))
            judge->verdict.never_known++;
    return judge->verdict;
}
