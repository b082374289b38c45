/* failures: see failures.h. */
#include "sim/failures.h"

#include "sim/dist.h"

#include <stdlib.h>

enum { STREAM = 3 };

static bool is_drawn(const struct knell_failures *failures, knell_rank rank)
{
    for (size_t i = 0; i < failures->count; i++)
        if (failures->drawn[i].rank == rank)
            return true;
    return false;
}

static bool add(struct knell_failures *failures, knell_time time, knell_rank rank)
{
    if (failures->count == failures->room) {
        size_t room = failures->room ? 2 * failures->room : 32;
        struct knell_failure *drawn = realloc(failures->drawn, room * sizeof *drawn);
        if (!drawn) {
            knell_failures_free(failures);
            return false;
        }
        failures->drawn = drawn;
        failures->room = room;
    }
    failures->drawn[failures->count++] = (struct knell_failure){time, rank};
    return true;
}

/* A node that has not failed yet; there is one. */
static knell_rank draw_rank(struct knell_failures *failures)
{
    knell_rank rank;
    do
        rank = (knell_rank)knell_prng_below(&failures->prng, failures->plan->ranks);
    while (is_drawn(failures, rank));
    return rank;
}

static int by_time(const void *a, const void *b)
{
    const struct knell_failure *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool draw_burst(struct knell_failures *failures)
{
    const struct knell_failures_plan *plan = failures->plan;
    for (uint32_t i = 0; i < plan->count; i++) {
        knell_time time = i ? (knell_time)knell_prng_below(&failures->prng, (uint64_t)plan->window + 1) : 0;
        if (!add(failures, time, draw_rank(failures)))
            return false;
    }
    qsort(failures->drawn, failures->count, sizeof *failures->drawn, by_time);
    return true;
}

void knell_failures_begin(struct knell_failures *failures, const struct knell_failures_plan *plan, uint64_t key)
{
    failures->plan = plan;
    failures->count = failures->given = 0;
    failures->time_s = 0;
    knell_prng_seed(&failures->prng, knell_prng_key(key, STREAM));
}

bool knell_failures_next(struct knell_failures *failures, struct knell_failure *next)
{
    const struct knell_failures_plan *plan = failures->plan;
    if (failures->given + 1 >= plan->ranks)
        return false;
    if (plan->kind == KNELL_FAILURES_LIST) {
        if (failures->given == plan->list_count)
            return false;
        *next = plan->list[failures->given++];
        return true;
    }
    if (plan->kind == KNELL_FAILURES_BURST) {
        if (failures->count == 0 && !draw_burst(failures))
            return false;
        if (failures->given == failures->count)
            return false;
    } else {
        if (failures->given)
            failures->time_s += knell_dist_exponential(&failures->prng, plan->mtbf_s / plan->ranks);
        if (failures->time_s > 1e9 || !add(failures, (knell_time)(failures->time_s * 1e9), draw_rank(failures)))
            return false;
    }
    *next = failures->drawn[failures->given++];
    return true;
}

void knell_failures_free(struct knell_failures *failures)
{
    free(failures->drawn);
    failures->drawn = NULL;
    failures->count = failures->room = 0;
}
