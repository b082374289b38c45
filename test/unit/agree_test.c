/* Agreement among real nodes: cost, values, acknowledgement, revoke, crashes of the root, and swarms of small
 * worlds. */
#include "test.h"
#include "util/prng.h"
#include "world.h"

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static void propose_all(struct world *w, enum knell_kind kind, uint8_t value)
{
    for (knell_rank r = 0; r < w->config.ranks; r++)
        if (world_alive(w, r))
            CHECK_EQ_I64(world_propose(w, r, KNELL_WORLD, kind, value, 0), 0);
}

static uint32_t decided(const struct world *w, enum knell_kind kind, uint32_t instance, uint8_t value, uint8_t flags)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->fact_count; i++) {
        const struct knell_fact *fact = &w->fact[i].fact;
        count += fact->type == KNELL_FACT_DECIDED && fact->kind == kind && fact->instance == instance &&
                 w->fact[i].value[0] == value && fact->flags == flags;
    }
    return count;
}

#define GOOD (KNELL_FLAG_ACKED | KNELL_FLAG_VALUE)

/* ---- without failures -------------------------------------------------------------------------------------------- */

TEST(one_reduction_and_one_broadcast)
{
    for (uint32_t n = 2; n <= 40; n++) {
        struct world w;
        world_open(&w, n);
        w.config.tree_bits = n % 4;
        world_start(&w);
        test_context("n %u", (unsigned)n);
        for (uint32_t instance = 0; instance < 5; instance++) {
            propose_all(&w, KNELL_KIND_AGREE, (uint8_t)(0xa0 | instance));
            world_deliver_shuffled(&w, n * 10 + instance);
            CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, instance, (uint8_t)(0xa0 | instance), GOOD), n);
            CHECK_EQ_U64(w.sent[KNELL_MESSAGE_UP], (instance + 1) * (n - 1));
            CHECK_EQ_U64(w.sent[KNELL_MESSAGE_DOWN], (instance + 1) * (n - 1));
        }
        CHECK_EQ_U64(w.counters.messages_sent, 10 * (n - 1));
        world_close(&w);
    }
}

/* Digits of three bits: 1 to 7 and 8 answer to 0, 9 to 15 to 8. */
TEST(a_flat_tree)
{
    struct world w;
    world_open(&w, 10);
    w.config.tree_bits = 3;
    world_start(&w);
    for (knell_rank r = 1; r < 9; r++)
        world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0);
    CHECK_EQ_U64(w.wire_count, 7); /* 8 waits for 9 */
    world_propose(&w, 9, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0);
    CHECK_EQ_U64(w.wire_count, 8);
    world_deliver_all(&w);
    world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0);
    CHECK_EQ_U64(w.wire_count, 8); /* to 8 and to 1 to 7 */
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 1, GOOD), 10);
    world_close(&w);
}

TEST(alone_in_a_group)
{
    static const knell_rank me[] = {2};
    static const struct knell_group alone = {.id = 3, .size = 1, .member = me};
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    world_group(&w, 2, &alone);
    world_propose(&w, 2, 3, KNELL_KIND_AGREE, 7, 0);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 7, GOOD), 1);
    CHECK_EQ_U64(w.wire_count, 0);
    world_close(&w);
}

TEST(values_are_and_ed)
{
    struct world w;
    world_open(&w, 9);
    world_start(&w);
    for (knell_rank r = 0; r < 9; r++)
        world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, (uint8_t) ~(1u << (r % 5)), 0);
    world_deliver_shuffled(&w, 1);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 0xe0, GOOD), 9);
    world_close(&w);
}

static void take_or(uint8_t *into, const uint8_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        into[i] |= from[i];
}

static int propose_sized(struct world *w, knell_rank r, uint8_t operation, uint32_t size, const uint8_t *value)
{
    struct knell_event event = {.type = KNELL_EVENT_PROPOSE};
    event.as.propose.operation = operation;
    event.as.propose.size = size;
    event.as.propose.value = value;
    return world_step(w, r, event);
}

TEST(registered_operations_and_mismatch)
{
    static knell_combine *const table[] = {take_or, take_or};
    static const uint8_t value[KNELL_VALUE_MAX + 1] = {1, 2, 3};
    struct world w;
    world_open(&w, 3);
    w.config.combine = table;
    w.config.combine_count = 2;
    w.check_refusals = true;
    world_start(&w);
    CHECK_EQ_I64(propose_sized(&w, 0, 2, 1, value), KNELL_EINVAL); /* no such operation */
    CHECK_EQ_I64(propose_sized(&w, 0, 0, KNELL_VALUE_MAX + 1, value), KNELL_EINVAL);
    CHECK_EQ_I64(world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_END, 1, 0), KNELL_EINVAL);
    for (knell_rank r = 0; r < 3; r++)
        CHECK_EQ_I64(propose_sized(&w, r, 1, KNELL_VALUE_MAX, value), 0);
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 1, GOOD), 3);
    for (knell_rank r = 0; r < 3; r++)
        propose_sized(&w, r, 0, r + 1, &value[r]); /* sizes differ */
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 1, 3, GOOD | KNELL_FLAG_MISMATCH), 3);
    for (knell_rank r = 0; r < 3; r++)
        propose_sized(&w, r, r == 2, 1, value); /* operations differ */
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 2, 1, GOOD | KNELL_FLAG_MISMATCH), 3);
    for (knell_rank r = 0; r < 3; r++)
        propose_sized(&w, r, 0, 0, NULL); /* nothing to say is a value too */
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 3, 0, GOOD), 3);
    world_close(&w);
}

TEST(one_at_a_time_and_kinds_apart)
{
    struct world w;
    world_open(&w, 3);
    world_start(&w);
    CHECK_EQ_I64(world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0), 0);
    CHECK_EQ_I64(world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0), KNELL_EBUSY);
    CHECK_EQ_I64(world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_SHRINK, 2, 0), 0);
    CHECK_EQ_I64(world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_CREATE, 3, 0), 0);
    for (knell_rank r = 0; r < 3; r += 2)
        for (unsigned kind = 0; kind < KNELL_KIND_END; kind++)
            world_propose(&w, r, KNELL_WORLD, kind, (uint8_t)(kind + 1), 0);
    world_deliver_shuffled(&w, 3);
    for (unsigned kind = 0; kind < KNELL_KIND_END; kind++)
        CHECK_EQ_U64(decided(&w, kind, 0, (uint8_t)(kind + 1), GOOD), 3);
    CHECK_EQ_I64(world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0), 0);
    world_close(&w);
}

/* ---- acknowledgement --------------------------------------------------------------------------------------------- */

TEST(acknowledged_means_by_every_participant)
{
    struct world w;
    world_open(&w, 6);
    world_start(&w);
    world_crash(&w, 4);
    world_suspect(&w, 0, 4, KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    propose_all(&w, KNELL_KIND_AGREE, 1); /* nobody has acknowledged */
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 1, KNELL_FLAG_VALUE), 5);
    uint64_t seen = knell_node_failures(at(&w, 0), KNELL_WORLD);
    CHECK(seen != 0 && seen == knell_node_failures(at(&w, 5), KNELL_WORLD));
    for (knell_rank r = 0; r < 6; r++)
        if (r != 4) /* all but one */
            world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, r == 3 ? 0 : seen);
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 1, 1, KNELL_FLAG_VALUE), 5);
    for (knell_rank r = 0; r < 6; r++)
        if (r != 4)
            world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, seen);
    world_deliver_all(&w);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 2, 1, GOOD), 5);
    const struct world_fact *fact = world_fact(&w, 5, KNELL_FACT_DECIDED);
    CHECK(fact && fact->dead_mask == 1u << 4);
    /* One more death that one of them knows of: all acknowledged the same, but not all there is. */
    world_crash(&w, 5);
    for (knell_rank r = 0; r < 4; r++)
        world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, seen);
    world_suspect(&w, 3, 5, KNELL_WHY_KERNEL);
    world_deliver_shuffled(&w, 9);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 3, 1, KNELL_FLAG_VALUE), 4);
    CHECK(world_fact(&w, 0, KNELL_FACT_DECIDED)->dead_mask == (1u << 4 | 1u << 5));
    world_close(&w);
}

/* ---- revoke ------------------------------------------------------------------------------------------------------ */

static void report_deaths(struct world *w, uint64_t seed)
{
    for (knell_rank r = 0; r < w->config.ranks; r++)
        for (knell_rank dead = 0; dead < w->config.ranks; dead++)
            if (w->slot[dead].crashed && world_alive(w, r))
                world_suspect(w, r, dead, KNELL_WHY_KERNEL);
    world_deliver_shuffled(w, seed);
}

/* An instance ends alike for all who live. */
static void check_outcomes(const struct world *w)
{
    uint8_t outcome[64] = {0};
    for (uint32_t i = 0; i < w->fact_count; i++) {
        const struct knell_fact *fact = &w->fact[i].fact;
        if (fact->type != KNELL_FACT_DECIDED || fact->kind != KNELL_KIND_CREATE || !world_alive(w, w->fact[i].at))
            continue;
        uint8_t this = fact->flags & KNELL_FLAG_REVOKED ? 2 : 1;
        CHECK(fact->instance < 64 && (outcome[fact->instance] == 0 || outcome[fact->instance] == this));
        outcome[fact->instance & 63] = this;
    }
}

/* However the revoke falls between those who called and those who did not, and whoever dies (no more than a flood
 * survives): who calls create gets an answer, from some instance on it is "revoked" for ever, and an instance ends
 * alike everywhere. Agree goes on. */
static void check_create(uint64_t seed)
{
    struct world w;
    struct knell_prng random;
    knell_prng_seed(&random, seed);
    uint32_t n = 2 + (uint32_t)knell_prng_below(&random, 6), asked[8] = {0};
    knell_rank revoker = (knell_rank)knell_prng_below(&random, n);
    static const uint32_t survived[] = {0, 0, 0, 1, 2, 3, 3, 3};
    uint32_t may_die = seed % 2 ? survived[n] : 0;
    world_open(&w, n);
    w.quiet = true;
    world_start(&w);
    for (unsigned step = 0; step < 40; step++) {
        knell_rank r = (knell_rank)knell_prng_below(&random, n);
        if (step == 20)
            world_revoke(&w, revoker, KNELL_WORLD);
        else if (knell_prng_below(&random, 2) && w.wire_count)
            world_deliver(&w, (uint32_t)knell_prng_below(&random, w.wire_count));
        else if (r != revoker && may_die && w.slot[r].may_send == UINT32_MAX && knell_prng_below(&random, 12) == 0)
            w.slot[r].may_send = (uint32_t)knell_prng_below(&random, 4), may_die--;
        else if (knell_prng_below(&random, 2) && world_alive(&w, r))
            asked[r] += world_propose(&w, r, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0) == 0;
    }
    for (knell_rank r = 0; r < n; r++) {
        w.slot[r].crashed |= w.slot[r].may_send != UINT32_MAX;
        world_deliver_shuffled(&w, seed);
    }
    report_deaths(&w, seed);
    propose_all(&w, KNELL_KIND_AGREE, 5);
    world_deliver_shuffled(&w, seed);
    for (knell_rank r = 0; r < n; r++) {
        if (!world_alive(&w, r))
            continue;
        asked[r] += world_propose(&w, r, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0) == 0;
        world_deliver_shuffled(&w, seed);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_DECIDED, r), asked[r] + 1); /* the creates and the one agree */
        CHECK(world_fact(&w, r, KNELL_FACT_DECIDED)->fact.flags & KNELL_FLAG_REVOKED);
    }
    check_outcomes(&w);
    world_close(&w);
}

TEST(create_ends_in_revoked_everywhere)
{
    for (uint64_t seed = 0; seed < 6000; seed++) {
        test_context("seed %u", (unsigned)seed);
        check_create(seed);
    }
}

/* ---- the root dies ----------------------------------------------------------------------------------------------- */

static void tell_death(struct world *w, knell_rank dead, knell_rank to)
{
    world_crash(w, dead);
    world_suspect(w, to, dead, KNELL_WHY_KERNEL);
}

TEST(root_dies_before_it_decides)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    for (knell_rank r = 1; r < 8; r++)
        world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, (uint8_t)(0x80 | 1u << (r % 3)), 0);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_DECIDED, KNELL_NOBODY), 0);
    tell_death(&w, 0, 5);
    world_deliver_shuffled(&w, 2);
    CHECK_EQ_U64(decided(&w, KNELL_KIND_AGREE, 0, 0x80, KNELL_FLAG_VALUE), 7);
    CHECK(world_fact(&w, 7, KNELL_FACT_DECIDED)->dead_mask == 1);
    world_close(&w);
}

/* The root is cut down while it announces: after any number of its messages, whoever hears of the death and in whatever
 * order, those who live end alike; when one of them heard the decision, with that. */
TEST(root_dies_while_it_announces)
{
    for (uint32_t heard = 0; heard <= 3; heard++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            struct world w;
            world_open(&w, 8);
            w.quiet = true;
            world_start(&w);
            test_context("after %u messages, seed %u", (unsigned)heard, (unsigned)seed);
            for (knell_rank r = 1; r < 8; r++)
                world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 0xff, 0);
            world_deliver_all(&w);
            w.slot[0].may_send = heard;
            world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_AGREE, 0x0f, 0);
            if (seed & 1)
                world_deliver_all(&w);
            tell_death(&w, 0, 1 + (knell_rank)(seed % 7));
            world_deliver_shuffled(&w, seed);
            uint8_t value = world_fact(&w, 1, KNELL_FACT_DECIDED) ? world_fact(&w, 1, KNELL_FACT_DECIDED)->value[0] : 0;
            for (knell_rank r = 1; r < 8; r++) {
                const struct world_fact *fact = world_fact(&w, r, KNELL_FACT_DECIDED);
                CHECK(fact && fact->value[0] == value);
                CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_DECIDED, r), 1);
            }
            CHECK(value == 0x0f || (value == 0xff && !((seed & 1) && heard)));
            world_close(&w);
        }
}

/* ---- swarms ------------------------------------------------------------------------------------------------------ */

struct swarm {
    struct world w;
    struct knell_prng random;
    uint32_t n, instances;
    uint8_t value[12][4];
    uint32_t asked[12];
    bool reported[12];
};

/* Every rank asks again as soon as it returned; some are cut down after a random number of messages; each death is
 * reported to a random living rank, at a random moment. */
static bool swarm_step(struct swarm *s)
{
    struct world *w = &s->w;
    knell_rank r = (knell_rank)knell_prng_below(&s->random, s->n);
    switch (knell_prng_below(&s->random, 4)) {
    case 0:
        if (!world_alive(w, r) || s->asked[r] == s->instances)
            return false;
        if (world_propose(w, r, KNELL_WORLD, KNELL_KIND_AGREE, s->value[r][s->asked[r]], 0) == 0)
            s->asked[r]++;
        return true;
    case 1: {
        knell_rank dead = (knell_rank)knell_prng_below(&s->random, s->n);
        if (!w->slot[dead].crashed || s->reported[dead] || !world_alive(w, r))
            return false;
        s->reported[dead] = true;
        world_suspect(w, r, dead, KNELL_WHY_KERNEL);
        return true;
    }
    default:
        if (w->wire_count)
            world_deliver(w, (uint32_t)knell_prng_below(&s->random, w->wire_count));
        return true;
    }
}

/* All deaths become known to all, all messages arrive, all ask for what is left, until nothing moves any more. */
static void swarm_finish(struct swarm *s)
{
    struct world *w = &s->w;
    for (uint64_t before = UINT64_MAX, moved = 0; moved != before;) {
        before = moved;
        report_deaths(w, moved);
        moved = w->counters.messages_sent;
        for (knell_rank r = 0; r < s->n; r++) {
            if (world_alive(w, r) && s->asked[r] < s->instances &&
                world_propose(w, r, KNELL_WORLD, KNELL_KIND_AGREE, s->value[r][s->asked[r]], 0) == 0)
                s->asked[r]++;
            moved += s->asked[r] + w->slot[r].crashed;
        }
    }
}

static void swarm_check(const struct swarm *s)
{
    const struct world *w = &s->w;
    int decision[4] = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < w->fact_count; i++) {
        const struct world_fact *fact = &w->fact[i];
        if (fact->fact.type != KNELL_FACT_DECIDED || !world_alive(w, fact->at))
            continue;
        uint32_t instance = fact->fact.instance;
        CHECK(decision[instance] == -1 || decision[instance] == fact->value[0]); /* agreement */
        decision[instance] = fact->value[0];
        CHECK((fact->value[0] & ~s->value[fact->at][instance]) == 0); /* validity: the own value is in it */
    }
    for (knell_rank r = 0; r < s->n; r++) /* termination, and once each */
        CHECK(!world_alive(w, r) || world_facts(w, r, KNELL_FACT_DECIDED, r) == s->instances);
    for (uint32_t i = 0; i < s->instances; i++) { /* validity: nothing in it that nobody brought */
        int least = 0xff;
        for (knell_rank r = 0; r < s->n; r++)
            least &= s->asked[r] > i ? s->value[r][i] : 0xff;
        CHECK(decision[i] == -1 || (decision[i] & least) == least);
    }
}

TEST(swarm)
{
    for (uint64_t seed = 0; seed < 20000; seed++) {
        static struct swarm s;
        s = (struct swarm){.instances = 1 + seed % 4};
        knell_prng_seed(&s.random, seed);
        s.n = 2 + (uint32_t)knell_prng_below(&s.random, 8);
        test_context("seed %u", (unsigned)seed);
        world_open(&s.w, s.n);
        s.w.config.tree_bits = seed / 4 % 4;
        s.w.quiet = true;
        s.w.limits.agreements = 1;
        s.w.limits.value_bytes = 1;
        world_start(&s.w);
        for (knell_rank r = 0; r < s.n; r++) {
            for (unsigned i = 0; i < 4; i++)
                s.value[r][i] = (uint8_t)(knell_prng_next(&s.random) | knell_prng_next(&s.random));
            if (r != s.n - 1 && knell_prng_below(&s.random, 3) == 0)
                s.w.slot[r].may_send = (uint32_t)knell_prng_below(&s.random, 12);
        }
        for (unsigned step = 0; step < 150; step++)
            swarm_step(&s);
        swarm_finish(&s);
        swarm_check(&s);
        world_close(&s.w);
    }
}
