/* pairs.c: second deaths. They fall into the recovery from a first one: at each survivor from its first call after the death until its
 * first communicating call after its last revoke or shrink, or agree at a place that it does not come to without faults. A recovery that
 * looks like one seen before is not struck again. */
#include "cli/explore/explore.h"
#include "job/calls.h"
#include "util/prng.h"

#include <stdlib.h>

static bool recovers(int call)
{
    switch (call) {
    case JOB_CALL_COMM_REVOKE:
    case JOB_CALL_COMM_SHRINK:
    case JOB_CALL_COMM_ISHRINK:
    case JOB_CALL_COMM_AGREE:
    case JOB_CALL_COMM_IAGREE:
    case JOB_CALL_COMM_FAILURE_ACK:
    case JOB_CALL_COMM_ACK_FAILED:
        return true;
    default:
        return false;
    }
}

/* The steps [first, end) of a survivor; empty: it does not recover. */
struct window {
    size_t first, end;
};

/* Programs agree without faults, too: at their end, or after every step. Such an agreement, known by its place, is not recovery. */
static bool is_ordinary(const struct explore_sequence *plan, const struct explore_step *step)
{
    if (step->call != JOB_CALL_COMM_AGREE && step->call != JOB_CALL_COMM_IAGREE)
        return false;
    for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].site == step->site)
            return true;
    return false;
}

/* The last call of recovery from `first` on; if there are only ordinary agreements the first of them; or the number of steps. */
static size_t last_recovering(const struct explore_sequence *plan, const struct explore_sequence *sequence,
                              size_t first)
{
    size_t agreement = sequence->steps;
    for (size_t i = sequence->steps; i-- > first;) {
        const struct explore_step *step = &sequence->step[i];
        if (!recovers(step->call))
            continue;
        if (!is_ordinary(plan, step))
            return i;
        agreement = i;
    }
    return agreement;
}

/* `plan`: the rank's calls without faults. With nothing but ordinary agreements it is the first of these. */
static struct window window_of(const struct explore_sequence *plan, const struct explore_sequence *sequence,
                               int64_t death)
{
    size_t first = 0, last;
    while (first < sequence->steps && sequence->step[first].begin <= death)
        first++;
    last = last_recovering(plan, sequence, first);
    if (last == sequence->steps)
        return (struct window){first, first};
    if (is_ordinary(plan, &sequence->step[last]))
        first = last;
    for (last++; last < sequence->steps; last++)
        if (sequence->step[last].communicates && !recovers(sequence->step[last].call))
            break;
    return (struct window){first, last < sequence->steps ? last + 1 : last};
}

/* From the first call that only recovery makes: what a rank was inside when the other died is a matter of microseconds. */
static uint64_t key_of(const struct explore_sequence *plan, const struct explore_sequence *sequence,
                       struct window window)
{
    uint64_t key = 0;
    size_t begin = window.first;
    while (begin < window.end && (!recovers(sequence->step[begin].call) || is_ordinary(plan, &sequence->step[begin])))
        begin++;
    begin = begin < window.end ? begin : window.first;
    for (size_t i = begin; i < window.end; i++)
        key = knell_prng_key(key, sequence->step[i].site);
    return key;
}

bool explore_recovery_is_new(struct explore_recoveries *seen, uint64_t key)
{
    for (size_t i = 0; i < seen->keys; i++)
        if (seen->key[i] == key)
            return false;
    uint64_t *more = realloc(seen->key, (seen->keys + 1) * sizeof *more);
    if (!more)
        return true;
    seen->key = more;
    seen->key[seen->keys++] = key;
    return true;
}

/* ---- the pairs of one recovery ----------------------------------------------------------------------------------------------- */

struct making {
    const struct explore_item *first;
    const struct explore_run *runs[EXPLORE_FAULTS]; /* the calls without faults, and those with the first */
    struct symbols *symbols;
    struct explore_points *pairs;
};

static bool add_pair(const struct making *m, const struct explore_sequence *sequence, size_t step)
{
    const struct explore_step *at = &sequence->step[step];
    struct explore_item pair = *m->first;
    pair.faults = 2;
    pair.fault[1] = (struct explore_fault){sequence->rank, at->call, at->count, 0, at->place, (uint32_t)step};
    explore_item_name(&pair, (const struct explore_run **)m->runs, m->symbols);
    return explore_points_add(m->pairs, &pair);
}

/* Survivors whose recoveries look the same: the first and the last of them are struck. */
static bool is_chosen(const uint64_t *key, int ranks, int rank)
{
    bool before = false, after = false;
    for (int other = 0; other < ranks; other++) {
        before |= other < rank && key[other] == key[rank];
        after |= other > rank && key[other] == key[rank];
    }
    return key[rank] && (!before || !after);
}

static int64_t moment_of(const struct explore_run *run, int victim)
{
    const struct explore_sequence *sequence = &run->sequence[victim];
    return sequence->steps ? sequence->step[sequence->steps - 1].begin : INT64_MAX;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of the different recoveries of the survivors, whichever rank has which. */
static uint64_t whole_key(const uint64_t *key, int ranks)
{
    uint64_t whole = 0, *all = malloc((size_t)ranks * sizeof *all);
    for (int rank = 0; all && rank < ranks; rank++)
        all[rank] = key[rank];
    if (all)
        qsort(all, (size_t)ranks, sizeof *all, by_value);
    for (int rank = 0; all && rank < ranks; rank++)
        if (all[rank] && (rank == 0 || all[rank] != all[rank - 1]))
            whole = knell_prng_key(whole, all[rank]);
    free(all);
    return whole;
}

bool explore_pairs_make(const struct explore_plan *plan, const struct explore_item *first,
                        const struct explore_run *baseline, const struct explore_run *run, struct symbols *symbols,
                        struct explore_recoveries *seen, struct explore_points *pairs, uint64_t *recovery)
{
    struct making m = {first, {baseline, run}, symbols, pairs};
    const int victim = first->fault[0].rank;
    int64_t death = moment_of(run, victim);
    uint64_t *key = calloc((size_t)run->ranks, sizeof *key);
    struct window *window = calloc((size_t)run->ranks, sizeof *window);
    bool well = key && window;
    for (int rank = 0; well && rank < run->ranks; rank++)
        if (rank != victim) {
            window[rank] = window_of(&baseline->sequence[rank], &run->sequence[rank], death);
            key[rank] = key_of(&baseline->sequence[rank], &run->sequence[rank], window[rank]);
        }
    *recovery = well ? whole_key(key, run->ranks) : 0;
    bool wanted = *recovery && (explore_recovery_is_new(seen, *recovery) || explore_is_unpruned(plan, "recoveries"));
    for (int rank = 0; well && wanted && rank < run->ranks; rank++)
        for (size_t i = window[rank].first; is_chosen(key, run->ranks, rank) && well && i < window[rank].end; i++)
            if (run->sequence[rank].step[i].communicates)
                well = add_pair(&m, &run->sequence[rank], i);
    free(key);
    free(window);
    return well;
}

/* ---- both at one place -------------------------------------------------------------------------------------------------------- */

/* The step at which another rank comes to the same place as often. */
static const struct explore_step *same_step(const struct explore_sequence *sequence, const struct explore_fault *fault)
{
    for (size_t i = 0; i < sequence->steps; i++)
        if (sequence->step[i].place == fault->place && sequence->step[i].count == fault->count)
            return &sequence->step[i];
    return NULL;
}

bool explore_pairs_same_place(const struct explore_plan *plan, const struct explore_run *baseline,
                              struct symbols *symbols, const struct explore_points *singles,
                              struct explore_points *pairs)
{
    bool well = true;
    for (size_t i = 0; well && i < singles->items; i++) {
        struct making m = {&singles->item[i], {baseline, baseline}, symbols, pairs};
        int other = (singles->item[i].fault[0].rank + 1) % (int)plan->ranks;
        const struct explore_sequence *sequence = &baseline->sequence[other];
        const struct explore_step *step = same_step(sequence, &singles->item[i].fault[0]);
        if (step && !singles->item[i].fault[0].inside && other != singles->item[i].fault[0].rank)
            well = add_pair(&m, sequence, (size_t)(step - sequence->step));
    }
    return well;
}
