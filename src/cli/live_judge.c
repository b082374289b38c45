/* live_judge: the log of `knell live` against what was injected. Nothing here believes a detector: a process is dead when the
 * parent killed or stopped it, and a survivor knows when it said so. */
#include "cli/live.h"

static const struct knell__injection *injection_of(const struct knell__live_plan *plan, knell_rank rank)
{
    for (size_t i = 0; i < plan->injections; i++)
        if (plan->injection[i].rank == rank && plan->injection[i].done)
            return &plan->injection[i];
    return NULL;
}

/* It must be found: killed, or silent for delta at least. */
static bool is_fatal(const struct knell__live_plan *plan, const struct knell__injection *injection)
{
    return injection->kind == KNELL__LIVE_KILL || injection->lasts == 0 || injection->lasts >= plan->delta;
}

/* It may be found: a stop is seen from delta - eta on, since the last heartbeat is up to eta old. */
static bool is_true(const struct knell__live_plan *plan, const struct knell__live_note *note)
{
    const struct knell__injection *injection = injection_of(plan, note->as.failed.rank);
    if (!injection || note->when < injection->done)
        return false;
    return is_fatal(plan, injection) || injection->lasts > plan->delta - plan->eta;
}

/* Whether somebody said of `rank` that it is dead, rightly or not, before note number `before`. */
static const struct knell__live_note *find_failed(const struct knell__live_log *log, size_t before, knell_rank said_by,
                                                  knell_rank rank)
{
    for (size_t i = 0; i < before; i++) {
        const struct knell__live_note *note = &log->note[i];
        if (note->word == KNELL__LIVE_FAILED && note->as.failed.rank == rank &&
            (said_by == KNELL_NOBODY || note->rank == said_by) && (!log->end || note->when <= log->end))
            return note;
    }
    return NULL;
}

static void judge_one(const struct knell__live_plan *plan, const struct knell__live_log *log,
                      const struct knell__injection *injection, struct knell__detection *detection)
{
    int64_t first = INT64_MAX;
    *detection = (struct knell__detection){.injection = injection, .expected = is_fatal(plan, injection), .by = KNELL_NOBODY};
    for (knell_rank rank = 0; rank < (knell_rank)plan->nodes; rank++) {
        if (rank == injection->rank || injection_of(plan, rank) || find_failed(log, log->count, KNELL_NOBODY, rank))
            continue; /* no survivor */
        const struct knell__live_note *note = find_failed(log, log->count, rank, injection->rank);
        detection->survivors++;
        if (!note)
            continue;
        double ms = (double)(note->when - injection->done) * 1e-6;
        detection->knowing++;
        detection->mean_ms += (ms - detection->mean_ms) / detection->knowing;
        detection->last_ms = detection->knowing == 1 || ms > detection->last_ms ? ms : detection->last_ms;
        if (note->when < first) {
            first = note->when;
            detection->first_ms = ms;
            detection->by = note->as.failed.by;
            detection->why = note->as.failed.why;
        }
    }
}

static void count_false(const struct knell__live_plan *plan, const struct knell__live_log *log, struct knell__verdict *verdict)
{
    for (size_t i = 0; i < log->count; i++) {
        const struct knell__live_note *note = &log->note[i];
        if (note->word != KNELL__LIVE_FAILED || is_true(plan, note) || (log->end && note->when > log->end) ||
            find_failed(log, i, KNELL_NOBODY, note->as.failed.rank))
            continue;
        verdict->false_positives++;
    }
}

static void add_up(const struct knell__live_log *log, struct knell__verdict *verdict)
{
    uint32_t counted = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct knell__live_note *note = &log->note[i];
        if (note->word != KNELL__LIVE_COUNTED || note->as.counted.span <= 0)
            continue;
        double span = (double)note->as.counted.span * 1e-9, starved = (double)note->as.counted.starved * 1e-6;
        counted++;
        verdict->missed_deadlines += note->as.counted.missed;
        verdict->msgs_per_s += (double)note->as.counted.datagrams / span;
        verdict->bytes_per_s += (double)note->as.counted.bytes / span;
        verdict->cpu_percent += ((double)note->as.counted.cpu * 1e-7 / span - verdict->cpu_percent) / counted;
        verdict->starved_ms = starved > verdict->starved_ms ? starved : verdict->starved_ms;
    }
}

void knell__live_judge(const struct knell__live_plan *plan, const struct knell__live_log *log, struct knell__verdict *verdict)
{
    *verdict = (struct knell__verdict){0};
    for (size_t i = 0; i < plan->injections; i++) {
        struct knell__detection *detection = &verdict->detection[i];
        judge_one(plan, log, &plan->injection[i], detection);
        if (detection->expected)
            verdict->unknown += detection->survivors - detection->knowing;
    }
    count_false(plan, log, verdict);
    add_up(log, verdict);
}
