/* points.c: the single deaths to try. A point is a rank and one of its communicating calls: the rank dies before that call. The same
 * place is struck the first, the second and the last time, and once at random; of ranks that make the same calls the first, the last
 * and one between are struck. Rare places come first. */
#include "cli/explore/explore.h"
#include "job/calls.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

bool explore_is_unpruned(const struct explore_plan *plan, const char *rule)
{
    bool found = plan->all;
    for (size_t i = 0; i < plan->unpruned.n; i++)
        found |= strcmp(plan->unpruned.items[i], rule) == 0;
    return found;
}

/* ---- names ------------------------------------------------------------------------------------------------------------------- */

static size_t append(char *text, size_t size, size_t at, const char *more)
{
    size_t length = strlen(more);
    if (at + length < size)
        memcpy(text + at, more, length + 1);
    return at + length < size ? at + length : at;
}

void explore_item_name(struct explore_item *item, const struct explore_run *run[EXPLORE_FAULTS],
                       struct symbols *symbols)
{
    size_t key = 0, where = 0;
    item->key[0] = item->where[0] = '\0';
    for (int i = 0; i < item->faults; i++) {
        const struct explore_fault *f = &item->fault[i];
        const struct explore_sequence *sequence = &run[i]->sequence[f->rank];
        char one[80], site[96], inside[16] = "", words[256];
        if (f->inside)
            snprintf(inside, sizeof inside, ".%u", f->inside);
        snprintf(one, sizeof one, "%s%d@%s#%u%s", i ? " " : "", f->rank, job_call_name(f->call), f->count, inside);
        record_calls_site_text(&sequence->calls, symbols, sequence->step[f->step].stack, site, sizeof site);
        snprintf(words, sizeof words, "%srank %d %s %s#%u%s (%s)", i ? ", then " : "", f->rank,
                 f->inside ? "inside" : "before", job_call_name(f->call), f->count, inside, site);
        key = append(item->key, sizeof item->key, key, one);
        where = append(item->where, sizeof item->where, where, words);
    }
}

bool explore_points_add(struct explore_points *points, const struct explore_item *item)
{
    struct explore_item *more = points->item;
    if ((points->items & (points->items - 1)) == 0) { /* 0, or a power of two: the room is used up */
        more = realloc(points->item, (points->items ? 2 * points->items : 1) * sizeof *more);
        if (!more)
            return false;
    }
    points->item = more;
    points->item[points->items++] = *item;
    return true;
}

void explore_points_free(struct explore_points *points)
{
    free(points->item);
    *points = (struct explore_points){0};
}

/* ---- ranks that make the same calls -------------------------------------------------------------------------------------------- */

/* The peer relative to the rank, in communicators of all ranks; elsewhere the rank's own number is not known. */
static uint64_t relative_peer(const struct explore_sequence *sequence, const struct explore_step *step, int ranks)
{
    if (step->peer < 0)
        return (uint64_t)(uint32_t)step->peer;
    return step->size == ranks ? (uint64_t)((step->peer - sequence->rank + ranks) % ranks) + 1 : 0;
}

static uint64_t kind_of(const struct explore_sequence *sequence, int ranks)
{
    uint64_t key = 0;
    for (size_t i = 0; i < sequence->steps; i++)
        if (sequence->step[i].communicates)
            key = knell_prng_key(knell_prng_key(key, sequence->step[i].place),
                                 relative_peer(sequence, &sequence->step[i], ranks));
    return key;
}

/* Which ranks are struck: of each kind the first, the last, and one between. */
static void choose_ranks(const struct explore_run *run, bool all, bool *chosen, uint64_t *kind)
{
    for (int rank = 0; rank < run->ranks; rank++)
        kind[rank] = kind_of(&run->sequence[rank], run->ranks);
    for (int rank = 0; rank < run->ranks; rank++) {
        int before = 0, after = 0;
        for (int other = 0; other < run->ranks; other++) {
            before += other < rank && kind[other] == kind[rank];
            after += other > rank && kind[other] == kind[rank];
        }
        chosen[rank] = all || before == 0 || after == 0 || before == (before + after + 1) / 2;
    }
}

/* ---- times at one place ---------------------------------------------------------------------------------------------------------- */

/* How often a rank comes to a place, and which of these times is looked at. */
struct visits {
    uint64_t place;
    size_t times, seen, random;
};

static int by_place(const void *a, const void *b)
{
    const struct visits *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static struct visits *count_visits(const struct explore_sequence *sequence, uint64_t seed, size_t *places)
{
    struct visits *visits = calloc(sequence->steps + 1, sizeof *visits);
    size_t count = 0;
    for (size_t i = 0; visits && i < sequence->steps; i++)
        if (sequence->step[i].communicates)
            visits[count++].place = sequence->step[i].place;
    if (visits)
        qsort(visits, count, sizeof *visits, by_place);
    *places = 0;
    for (size_t i = 0; visits && i < count; i++) {
        if (*places && visits[*places - 1].place == visits[i].place)
            visits[*places - 1].times++;
        else
            visits[(*places)++] = (struct visits){.place = visits[i].place, .times = 1};
    }
    for (size_t i = 0; visits && i < *places; i++)
        visits[i].random =
            knell_prng_at(knell_prng_key(seed, visits[i].place), (uint64_t)sequence->rank) % visits[i].times;
    return visits;
}

/* The order in which the times at a place are tried; -1: this one is not. */
static int turn_of(const struct visits *visits, size_t time, bool all)
{
    if (time == 0)
        return 0;
    if (time == visits->times - 1)
        return 1;
    if (time == 1)
        return 2;
    return time == visits->random ? 3 : all ? 4 : -1;
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------------ */

struct making {
    const struct explore_plan *plan;
    const struct explore_run *run;
    struct symbols *symbols;
    struct explore_points *points;
    bool all_times;
};

static bool add_point(const struct making *m, const struct explore_sequence *sequence, size_t step, unsigned inside,
                      uint64_t rarity)
{
    const struct explore_step *at = &sequence->step[step];
    const struct explore_run *runs[EXPLORE_FAULTS] = {m->run};
    struct explore_item item = {
        .faults = 1,
        .fault = {{sequence->rank, at->call, at->count, inside, at->place, (uint32_t)step}},
        .rarity = rarity,
    };
    explore_item_name(&item, runs, m->symbols);
    return explore_points_add(m->points, &item);
}

/* Between the messages of a call: before the first, the second, the last, or before each of them. */
static bool add_inside(const struct making *m, const struct explore_sequence *sequence, size_t step, uint64_t rarity)
{
    unsigned posted = sequence->step[step].posted;
    bool well = true;
    for (unsigned j = 1; well && m->plan->inside && j <= posted; j++) {
        if (m->all_times || j <= 2 || j == posted)
            well = add_point(m, sequence, step, j, rarity + 8);
        else
            m->points->left_times++;
    }
    return well;
}

static bool add_rank(const struct making *m, int rank, bool chosen)
{
    const struct explore_sequence *sequence = &m->run->sequence[rank];
    size_t places;
    struct visits *visits = count_visits(sequence, (uint64_t)m->plan->seed, &places);
    bool well = visits != NULL;
    for (size_t i = 0; well && i < sequence->steps; i++) {
        const struct explore_step *step = &sequence->step[i];
        if (!step->communicates)
            continue;
        struct visits *here = bsearch(&(struct visits){.place = step->place}, visits, places, sizeof *visits, by_place);
        int turn = turn_of(here, here->seen++, m->all_times);
        size_t points = 1 + (m->plan->inside ? step->posted : 0);
        m->points->all += points;
        if (!chosen)
            m->points->left_ranks += points;
        else if (turn < 0)
            m->points->left_times += points;
        else
            well = add_point(m, sequence, i, 0, here->times * 16 + (uint64_t)turn) &&
                   add_inside(m, sequence, i, here->times * 16 + (uint64_t)turn);
    }
    free(visits);
    return well;
}

static int by_rarity(const void *a, const void *b)
{
    const struct explore_item *x = a, *y = b;
    if (x->rarity != y->rarity)
        return x->rarity < y->rarity ? -1 : 1;
    if (x->fault[0].step != y->fault[0].step)
        return x->fault[0].step < y->fault[0].step ? -1 : 1;
    return x->fault[0].rank - y->fault[0].rank;
}

bool explore_points_make(const struct explore_plan *plan, const struct explore_run *run, struct symbols *symbols,
                         struct explore_points *points)
{
    struct making m = {plan, run, symbols, points, explore_is_unpruned(plan, "times")};
    bool *chosen = calloc((size_t)run->ranks, sizeof *chosen), well = true;
    uint64_t *kind = calloc((size_t)run->ranks, sizeof *kind);
    *points = (struct explore_points){0};
    if (chosen && kind)
        choose_ranks(run, explore_is_unpruned(plan, "ranks"), chosen, kind);
    for (int rank = 0; chosen && kind && well && rank < run->ranks; rank++)
        well = add_rank(&m, rank, chosen[rank]);
    well = well && chosen && kind;
    if (points->items)
        qsort(points->item, points->items, sizeof *points->item, by_rarity);
    free(chosen);
    free(kind);
    return well;
}
