/* pairs.c: second deaths. They fall into the recovery from a first one: at each survivor from its first call after the death until its
 * first communicating call after its last revoke, agree or shrink. A recovery that looks like one seen before is not struck again. */
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

static struct window window_of(const struct explore_sequence *sequence, int64_t death)
{
    size_t first = 0, last = sequence->steps;
    while (first < sequence->steps && sequence->step[first].begin <= death)
        first++;
    for (size_t i = first; i < sequence->steps; i++)
        if (recovers(sequence->step[i].call))
            last = i;
    if (last == sequence->steps)
        return (struct window){first, first};
    for (last++; last < sequence->steps && !sequence->step[last].communicates; last++)
        ;
    return (struct window){first, last < sequence->steps ? last + 1 : last};
}

static uint64_t key_of(const struct explore_sequence *sequence, struct window window)
{
    uint64_t key = 0;
    bool begun = false;
    for (size_t i = window.first; i < window.end; i++) {
        begun |= recovers(sequence->step[i].call);
        if (begun)
            key = knell_prng_key(key, sequence->step[i].site);
    }
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
            window[rank] = window_of(&run->sequence[rank], death);
            key[rank] = key_of(&run->sequence[rank], window[rank]);
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
