/* swim: see swim.h. The periods and the probes; what is said in them is in swim_gossip.c. */
#include "sim/swim.h"
#include "sim/shuffle.h"
#include "sim/swim_gossip.h"
#include "util/prng.h"

#include <math.h>
#include <stdlib.h>

enum { NOBODY = UINT32_MAX, TRIES = 1024, ORDER = 1, DRAWS = 2 };

struct knell_swim {
    struct knell_swim_plan plan;
    struct knell__swim_gossip gossip;
    struct knell_prng prng;
    uint64_t order;   /* key of all orders of this run */
    uint64_t *walked; /* by member: places of its orders it has been through */
    uint32_t *silent; /* by member: whom it could not reach in this period, or NOBODY */
    uint32_t living;
    uint64_t messages;
    struct knell_swim_result *result;
};

/* ---- what the paper expects ------------------------------------------------------------------------------------------------ */

double knell_swim_first_expected(double alive)
{
    return -1 / expm1(-alive);
}

uint64_t knell_swim_first_bound(uint32_t nodes)
{
    return 2 * ((uint64_t)nodes - 1) - 1;
}

double knell_swim_false_probe(double loss, double alive, uint32_t indirect)
{
    double q = 1 - loss;
    return (1 - q * q) * pow(1 - alive * q * q * q * q, indirect);
}

uint32_t knell_swim_spread(double factor, uint32_t nodes)
{
    return (uint32_t)ceil(factor * log1p(nodes));
}

/* ---- messages -------------------------------------------------------------------------------------------------------------- */

/* True: it arrives. */
static bool send(struct knell_swim *swim, uint32_t from, uint32_t to)
{
    bool arrives = to < swim->living && (swim->plan.loss == 0 || knell_prng_unit(&swim->prng) >= swim->plan.loss);
    swim->messages++;
    knell__swim_tell(&swim->gossip, from, to, arrives);
    return arrives;
}

static bool ping(struct knell_swim *swim, uint32_t from, uint32_t to)
{
    return send(swim, from, to) && send(swim, to, from);
}

static bool ping_through(struct knell_swim *swim, uint32_t from, uint32_t helper, uint32_t to)
{
    return send(swim, from, helper) && ping(swim, helper, to) && send(swim, helper, from);
}

/* ---- whom to ask ----------------------------------------------------------------------------------------------------------- */

/* The next one not held for dead; NOBODY: all are. */
static uint32_t next_target(struct knell_swim *swim, uint32_t member)
{
    uint32_t others = swim->plan.nodes - 1;
    for (uint32_t tries = 0; tries < 2 * others && swim->gossip.open[member].dead < others; tries++) {
        uint64_t place = swim->walked[member]++;
        uint64_t key = knell_prng_at(swim->order, (uint64_t)member << 32 ^ place / others);
        uint32_t target = knell__shuffle_at(key, others, (uint32_t)(place % others));
        target += target >= member;
        if (!knell__swim_holds_dead(&swim->gossip, member, target))
            return target;
    }
    return NOBODY;
}

static bool is_among(const uint32_t *some, uint32_t count, uint32_t one)
{
    for (uint32_t i = 0; i < count; i++)
        if (some[i] == one)
            return true;
    return false;
}

/* Up to k others, none twice and none held for dead; fewer where there are no more. */
static uint32_t pick_helpers(struct knell_swim *swim, uint32_t member, uint32_t target, uint32_t *helper)
{
    uint32_t most = swim->plan.nodes - 2, wanted = swim->plan.indirect < most ? swim->plan.indirect : most, count = 0;
    for (uint32_t tries = 0; tries < TRIES && count < wanted; tries++) {
        uint32_t one = (uint32_t)knell_prng_below(&swim->prng, swim->plan.nodes);
        if (one != member && one != target && !is_among(helper, count, one) &&
            !knell__swim_holds_dead(&swim->gossip, member, one))
            helper[count++] = one;
    }
    return count;
}

/* ---- a period -------------------------------------------------------------------------------------------------------------- */

/* Whom it could not reach, or NOBODY. All helpers are asked at once: one answer does not keep the others from being sent. */
static uint32_t probe(struct knell_swim *swim, uint32_t member)
{
    uint32_t target = next_target(swim, member), helper[KNELL_SWIM_INDIRECT_MAX];
    if (target == NOBODY || ping(swim, member, target))
        return NOBODY;
    uint32_t count = pick_helpers(swim, member, target, helper);
    bool reached = false;
    for (uint32_t i = 0; i < count; i++)
        reached |= ping_through(swim, member, helper[i], target);
    return reached ? NOBODY : target;
}

static void run_period(struct knell_swim *swim)
{
    swim->gossip.now++;
    for (uint32_t i = 0; i < swim->living; i++)
        swim->silent[i] = probe(swim, i);
    for (uint32_t i = 0; i < swim->living; i++) {
        knell__swim_end_period(&swim->gossip, i);
        if (swim->silent[i] == NOBODY)
            continue;
        swim->result->false_suspicions += swim->silent[i] < swim->living;
        knell__swim_suspect(&swim->gossip, i, swim->silent[i]);
    }
}

static bool all_know(const struct knell_swim *swim)
{
    for (uint32_t dead = swim->living; dead < swim->plan.nodes; dead++) {
        uint32_t talk = swim->gossip.talk_of[dead];
        if (!talk || swim->gossip.talk[talk - 1].holders < swim->living)
            return false;
    }
    return true;
}

/* ---- a run ----------------------------------------------------------------------------------------------------------------- */

struct knell_swim *knell_swim_new(const struct knell_swim_plan *plan)
{
    struct knell_swim *swim = calloc(1, sizeof *swim);
    if (!swim)
        return NULL;
    swim->plan = *plan;
    swim->living = plan->nodes - plan->failures;
    swim->walked = calloc(swim->living, sizeof *swim->walked);
    swim->silent = calloc(swim->living, sizeof *swim->silent);
    if (!knell__swim_gossip_init(&swim->gossip, plan) || !swim->walked || !swim->silent) {
        knell_swim_free(swim);
        return NULL;
    }
    return swim;
}

void knell_swim_free(struct knell_swim *swim)
{
    if (!swim)
        return;
    knell__swim_gossip_free(&swim->gossip);
    free(swim->walked);
    free(swim->silent);
    free(swim);
}

/* Every member is somewhere in its order when the failures strike. */
static void begin(struct knell_swim *swim, uint64_t key)
{
    knell__swim_gossip_begin(&swim->gossip);
    knell_prng_seed(&swim->prng, knell_prng_key(key, DRAWS));
    swim->order = knell_prng_key(key, ORDER);
    swim->messages = 0;
    for (uint32_t i = 0; i < swim->living; i++)
        swim->walked[i] = knell_prng_below(&swim->prng, swim->plan.nodes - 1);
}

static void summarise(struct knell_swim *swim)
{
    struct knell_swim_result *result = swim->result;
    for (uint32_t i = 0; i < swim->gossip.talks; i++) {
        const struct knell__swim_talk *talk = &swim->gossip.talk[i];
        if (talk->subject < swim->living) {
            result->false_positives += talk->declared > 0;
            continue;
        }
        result->suspected += (double)talk->suspected / swim->plan.failures;
        result->declared += (double)talk->declared / swim->plan.failures;
    }
    result->periods = swim->gossip.now;
    result->messages = (double)swim->messages / swim->living / swim->gossip.now;
    result->no_memory = swim->gossip.no_memory;
}

void knell_swim_run(struct knell_swim *swim, uint64_t key, struct knell_swim_result *result)
{
    bool known = false;
    *result = (struct knell_swim_result){0};
    swim->result = result;
    begin(swim, key);
    /* It ends: by its own pings each finds every dead one within knell_swim_first_bound, and nobody speaks for the dead. */
    while ((!known || swim->gossip.now < swim->plan.periods) && !swim->gossip.no_memory) {
        run_period(swim);
        if (!known && (known = all_know(swim)))
            result->known = swim->plan.failures ? swim->gossip.now : 0;
    }
    summarise(swim);
}
