/* Creations of communicators by several processes, interleaved at random: "No message is taken by the wrong communicator", rules 1 to 3
 * (docs). The agreement is played: what all members of a creation have offered is folded, and each hears of it in its own time.
 * KNELL_TEST_SEED=N runs that seed alone. */
#include "fake.h"
#include "members.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 4, CREATIONS = 400, AT_ONCE = 3, STEPS = 3000, TRIES_MOST = 60 };

enum state { NOT_IN, TO_OFFER, HAS_OFFERED, HAS_NOTHING, HAS_TAKEN, HAS_FREED };

struct creation {
    struct offer_try try;
    bool under_way, is_agreed, fails;
    struct offer agreed;
    enum state state[MEMBERS];
    struct offer offer[MEMBERS];
    struct place place[MEMBERS];
    bool dirty[MEMBERS]; /* freed so */
};

static struct member member[MEMBERS];
static struct creation *creation;
static int creations;
static int made, tries; /* in all runs: that there was something to look at */
static struct knell_prng prng;

static int below(int end)
{
    return (int)knell_prng_below(&prng, (uint64_t)end);
}

/* ---- what must hold ------------------------------------------------------------------------------------------------------------ */

/* Offers of one process are disjoint, and have nothing that is held there. */
static bool offer_is_right(const struct creation *c, int who)
{
    for (int i = 0; i < creations; i++) {
        const struct creation *other = &creation[i];
        if (other == c)
            continue;
        if (other->state[who] == HAS_TAKEN && !CHECK(!offer_has(&c->offer[who], other->place[who].slot)))
            return false;
        for (int slot = 0; other->state[who] == HAS_OFFERED && slot < PLACE_SLOTS; slot++)
            if (offer_has(&c->offer[who], slot) && !CHECK(!offer_has(&other->offer[who], slot)))
                return false;
    }
    return true;
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->slot == b->slot && a->epoch == b->epoch && a->context == b->context && a->stamp == b->stamp &&
           a->wire == b->wire;
}

/* Messages of both could be taken for each other's. */
static bool are_alike(const struct place *a, const struct place *b)
{
    return (a->context == b->context && a->stamp == b->stamp) || a->wire == b->wire;
}

/* All members have the same place. At this one nothing else has it, and nothing that ended dirty had it. */
static bool place_is_right(const struct creation *c, int who)
{
    for (int i = 0; i < MEMBERS; i++)
        if (c->state[i] >= HAS_TAKEN && !CHECK(is_same(&c->place[i], &c->place[who])))
            return false;
    for (int i = 0; i < creations; i++) {
        const struct creation *other = &creation[i];
        bool held = other->state[who] == HAS_TAKEN, left = other->state[who] == HAS_FREED && other->dirty[who];
        if (other != c && (held || left) && !CHECK(!are_alike(&other->place[who], &c->place[who])))
            return false;
        if (other != c && held && !CHECK(other->place[who].slot != c->place[who].slot))
            return false;
    }
    return true;
}

/* ---- steps --------------------------------------------------------------------------------------------------------------------- */

static void begin_one(void)
{
    struct creation *c = &creation[creations];
    *c = (struct creation){
        .try = {.key = knell_prng_next(&prng), .most = PLACE_SLOTS}, .under_way = true, .fails = below(10) == 0};
    int members = 0;
    for (int i = 0; i < MEMBERS; i++)
        if (below(3) > 0) {
            c->state[i] = TO_OFFER;
            members++;
        }
    creations += members > 0;
}

static void agree(struct creation *c)
{
    bool any = false;
    for (int i = 0; i < MEMBERS; i++) {
        if (c->state[i] == TO_OFFER)
            return;
        if (c->state[i] != HAS_OFFERED)
            continue;
        if (any)
            offer_fold((uint8_t *)&c->agreed, (const uint8_t *)&c->offer[i], sizeof c->agreed);
        else
            c->agreed = c->offer[i];
        any = true;
    }
    c->is_agreed = true;
}

static bool is_over(const struct creation *c)
{
    for (int i = 0; i < MEMBERS; i++)
        if (c->state[i] == TO_OFFER || c->state[i] == HAS_OFFERED)
            return false;
    return true;
}

/* All have heard that nothing was in common. */
static bool try_again(struct creation *c)
{
    if (!CHECK(offer_try_next(&c->try, &c->agreed)) || !CHECK(c->try.number < TRIES_MOST))
        return false;
    tries += c->try.number > 1;
    c->is_agreed = false;
    for (int i = 0; i < MEMBERS; i++)
        if (c->state[i] == HAS_NOTHING)
            c->state[i] = TO_OFFER;
    return true;
}

static bool has_any(const struct offer *offer)
{
    for (int slot = 0; slot < PLACE_SLOTS; slot++)
        if (offer_has(offer, slot))
            return true;
    return false;
}

static bool hear(struct creation *c, int who)
{
    bool taken = false, common = has_any(&c->agreed);
    if (c->fails) /* a death, a revoke */
        member_withdraw(&member[who], &c->offer[who]);
    else
        taken = member_take(&member[who], &c->offer[who], &c->agreed, &c->place[who]);
    c->state[who] = taken ? HAS_TAKEN : HAS_NOTHING;
    if (!CHECK(taken == (common && !c->fails)) || (taken && !place_is_right(c, who)))
        return false;
    if (!is_over(c))
        return true;
    c->under_way = !common && !c->fails;
    made += !c->under_way;
    return !c->under_way || try_again(c);
}

static bool step_of(struct creation *c, int who)
{
    if (c->state[who] == TO_OFFER) {
        member_offer(&member[who], &c->try, &c->offer[who]);
        c->state[who] = HAS_OFFERED;
        agree(c);
        return offer_is_right(c, who);
    }
    if (c->state[who] == HAS_OFFERED && c->is_agreed)
        return hear(c, who);
    if (c->state[who] == HAS_TAKEN && below(6) == 0) {
        c->dirty[who] = below(2);
        member_free(&member[who], &c->place[who], c->dirty[who]);
        c->state[who] = HAS_FREED;
    }
    return true;
}

static bool can_step(const struct creation *c, int who)
{
    return c->state[who] == TO_OFFER || (c->state[who] == HAS_OFFERED && c->is_agreed) || c->state[who] == HAS_TAKEN;
}

static int under_way(void)
{
    int count = 0;
    for (int i = 0; i < creations; i++)
        count += creation[i].under_way;
    return count;
}

static bool run(uint64_t seed)
{
    bool right = true;
    creations = 0;
    knell_prng_seed(&prng, seed);
    for (int i = 0; i < MEMBERS; i++)
        member_begin(&member[i], i, MEMBERS);
    for (int step = 0; right && step < STEPS; step++) {
        if (creations < CREATIONS && under_way() < AT_ONCE && below(3) == 0)
            begin_one();
        int who = below(MEMBERS), at = creations > 0 ? below(creations) : 0;
        while (at < creations && !can_step(&creation[at], who))
            at++;
        if (at < creations)
            right = step_of(&creation[at], who);
    }
    for (int i = 0; i < MEMBERS; i++)
        member_end(&member[i]);
    return right;
}

TEST(random_creations_never_share_a_place)
{
    const char *one = getenv("KNELL_TEST_SEED");
    uint64_t first = one ? strtoull(one, NULL, 0) : 0, count = one ? 1 : 12;
    creation = calloc(CREATIONS, sizeof *creation);
    REQUIRE(creation);
    for (uint64_t seed = first; seed < first + count; seed++) {
        test_context("seed %llu: KNELL_TEST_SEED=%llu test-mpi-unit-creation-MPI", (unsigned long long)seed,
                     (unsigned long long)seed);
        fake_setting("KNELL_CONTEXTS", seed % 2 ? "8" : "16"); /* the least, and the default */
        if (!run(seed))
            break;
    }
    if (!one)
        CHECK(made > 500 && tries > 100);
    free(creation);
}
