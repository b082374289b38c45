/* Reliable broadcast, every case for n <= 32: over every set of dead that an overlay promises to survive, all who
 * live are informed.
 *
 * A dead process may have forwarded any part of what it had to forward before it died. It is enough to look at the
 * dead that forwarded nothing, by monotony: what a node forwards depends on the message alone (overlay.h is pure,
 * and a node forwards circulant messages on the first reception of whichever copy), so with one more message on the
 * way nobody sends less, and nobody is informed who was not. The first two tests are the full enumeration of silent
 * dead; the others feed real nodes, with every prefix for n <= 9 and random ones up to 32, and would see monotony
 * fail. */
#include "core/overlay.h"

#include "test.h"
#include "util/prng.h"

#include <string.h>

static const struct knell_dead none;

static unsigned tolerated(enum knell_overlay overlay, uint32_t n)
{
    unsigned log = knell__log2(n);
    if (overlay == KNELL_OVERLAY_HBA)
        return log - 1;
    return n == UINT32_C(1) << log ? 2 * log - 2 : 2 * log - 1;
}

/* Gosper's hack: the next larger number with as many bits. */
static uint64_t next_subset(uint64_t set)
{
    uint64_t low = set & -set, ripple = set + low;
    return ripple | (((set ^ ripple) >> 2) / low);
}

/* Calls `check` with every set of up to `most` labels out of 1 .. n - 1; returns how many there were. */
static uint64_t for_every_dead_set(uint32_t n, unsigned most, bool (*check)(uint32_t n, uint32_t dead))
{
    uint64_t count = 1, failed = !check(n, 0);
    for (unsigned size = 1; size <= most && size < n; size++)
        for (uint64_t set = (UINT64_C(1) << size) - 1; set < UINT64_C(1) << (n - 1); set = next_subset(set)) {
            count++;
            failed += !check(n, (uint32_t)(set << 1));
        }
    CHECK_EQ_U64(failed, 0);
    return count;
}

/* ---- silent dead: the graph -------------------------------------------------------------------------------------- */

static uint32_t neighbours[32];

static uint32_t everyone(uint32_t n)
{
    return n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

static bool flood_reaches_all(uint32_t n, uint32_t dead)
{
    uint32_t informed = 1, fresh = 1;
    while (fresh) {
        uint32_t next = 0;
        for (; fresh; fresh &= fresh - 1)
            next |= neighbours[__builtin_ctz(fresh)];
        fresh = next & ~informed & ~dead;
        informed |= fresh;
    }
    return informed == (everyone(n) & ~dead);
}

TEST(circulant_every_dead_set)
{
    uint64_t sets = 0;
    for (uint32_t n = 2; n <= 32; n++) {
        struct knell__roster roster = knell__roster_make(n, NULL, &none);
        for (knell_rank v = 0; v < n; v++) {
            knell_rank to[KNELL__TARGETS_MAX];
            neighbours[v] = 0;
            for (uint32_t i = knell__circulant_targets(&roster, 0, v, to); i-- > 0;)
                neighbours[v] |= UINT32_C(1) << to[i];
        }
        test_context("n %u", (unsigned)n);
        sets += for_every_dead_set(n, tolerated(KNELL_OVERLAY_CIRCULANT, n), flood_reaches_all);
        if (n >= 7) /* one more is too many: label 3 without its neighbours */
            CHECK(!flood_reaches_all(n, neighbours[3] & ~1u) || neighbours[3] & 1);
    }
    CHECK(sets > 20000000);
}

static struct knell__roster hba_roster;

static uint32_t hba_from(knell_rank self, const struct knell_route *came, uint32_t dead)
{
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell_route route[KNELL__TARGETS_MAX];
    uint32_t count =
        came ? knell__hba_next(&hba_roster, 0, self, came, to, route) : knell__hba_first(&hba_roster, 0, to, route);
    uint32_t informed = UINT32_C(1) << self;
    for (uint32_t i = 0; i < count; i++)
        if (!(dead >> to[i] & 1))
            informed |= hba_from(to[i], &route[i], dead);
    return informed;
}

static bool hba_reaches_all(uint32_t n, uint32_t dead)
{
    return hba_from(0, NULL, dead) == (everyone(n) & ~dead);
}

TEST(hba_every_dead_set)
{
    for (uint32_t n = 2; n <= 32; n++) {
        hba_roster = knell__roster_make(n, NULL, &none);
        test_context("n %u", (unsigned)n);
        for_every_dead_set(n, tolerated(KNELL_OVERLAY_HBA, n), hba_reaches_all);
    }
}

/* ---- cut down in the middle of a send: real nodes ---------------------------------------------------------------- */

#define MOST 34
#define NODE_ROOM 1024

/* n nodes and one more, rank n, whose death the source announces. The order of delivery is drawn from `random`, or
 * that of sending. All messages are one body: forwarding hands on the pointer that came in. */
struct stage {
    uint32_t n;
    knell_rank source;
    struct knell_config config;
    _Alignas(8) char fresh[MOST][NODE_ROOM], now[MOST][NODE_ROOM];
    size_t size;
    uint32_t left[MOST]; /* broadcasts it may still send; UINT32_MAX: it lives */
    knell_rank stepping;
    struct {
        knell_rank to;
        struct knell_route route;
    } wire[4096];
    uint32_t head, tail;
    struct knell_body body;
    struct knell_range gone[2];
    bool other_body, delivered[MOST];
};

static struct stage stage;

static void stage_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                       const struct knell_body *body)
{
    struct stage *s = driver;
    if (body->type != KNELL_MESSAGE_BROADCAST)
        return; /* NewObserver, from whoever watched the dead one */
    if (s->tail == 0) {
        s->body = *body;
        memcpy(s->gone, body->dead.gone, body->dead.gone_ranges * sizeof *s->gone);
        s->body.dead.gone = s->gone;
    } else if (s->stepping != s->source && body != &s->body) {
        s->other_body = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (s->left[s->stepping] == 0)
            return;
        if (s->left[s->stepping] != UINT32_MAX)
            s->left[s->stepping]--;
        s->wire[s->tail].to = to[i];
        s->wire[s->tail++].route = *route;
    }
}

static void stage_tell(void *driver, const struct knell_fact *fact)
{
    struct stage *s = driver;
    if (fact->type == KNELL_FACT_FAILED && fact->rank == s->n)
        s->delivered[s->stepping] = true;
}

static const struct knell_sink stage_sink = {&stage, stage_send, stage_tell};

static void stage_step(knell_rank rank, struct knell_event event)
{
    stage.stepping = rank;
    CHECK_EQ_I64(knell_node_step((struct knell_node *)stage.now[rank], &event, &stage_sink), 0);
}

static void stage_set(uint32_t n, enum knell_overlay overlay, knell_rank source)
{
    struct knell_limits limits = {.dead_ranges = 4, .sources = 2};
    stage.n = n;
    stage.source = source;
    stage.config = (struct knell_config){.ranks = n + 1, .eta = 10, .delta = 30, .tau = 1, .overlay = overlay};
    stage.size = knell_node_size(&limits);
    REQUIRE(stage.size <= NODE_ROOM);
    for (knell_rank r = 0; r < n; r++) {
        struct knell_node *node;
        CHECK(knell_node_init(stage.now[r], &limits, &stage.config, r, NULL, &node) == 0);
        stage_step(r, (struct knell_event){.type = KNELL_EVENT_START, .as.start.first_heartbeat = 10});
        memcpy(stage.fresh[r], stage.now[r], stage.size);
    }
}

/* Plays one broadcast. A dead node is one that may send left[r] messages more. */
static void stage_play(struct knell_prng *random)
{
    stage.head = stage.tail = 0;
    memset(stage.delivered, 0, sizeof stage.delivered);
    for (knell_rank r = 0; r < stage.n; r++)
        memcpy(stage.now[r], stage.fresh[r], stage.size);
    stage_step(stage.source,
               (struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {stage.n, KNELL_WHY_OPERATOR}});
    while (stage.head < stage.tail) {
        if (random) {
            uint32_t pick = stage.head + (uint32_t)knell_prng_below(random, stage.tail - stage.head);
            stage.wire[4095] = stage.wire[pick];
            stage.wire[pick] = stage.wire[stage.head];
            stage.wire[stage.head] = stage.wire[4095];
        }
        knell_rank to = stage.wire[stage.head].to;
        struct knell_event event = {.type = KNELL_EVENT_MESSAGE,
                                    .as.message = {stage.wire[stage.head].route, &stage.body}};
        stage.head++;
        if (stage.left[to] != 0)
            stage_step(to, event);
    }
}

/* All of the living or, if the source was cut down itself, all or none of them. */
static bool all_informed(bool or_none)
{
    bool all = true, any = false;
    for (knell_rank r = 0; r < stage.n; r++)
        if (stage.left[r] == UINT32_MAX) {
            all &= stage.delivered[r];
            any |= stage.delivered[r];
        }
    return all || (or_none && !any);
}

/* The most one node sends in one broadcast of n. */
static uint32_t most_sends(uint32_t n, enum knell_overlay overlay)
{
    unsigned log = knell__log2(n);
    return overlay == KNELL_OVERLAY_CIRCULANT ? 2 * log : 2 * log * log;
}

/* Every prefix of every member of `dead`, counted up like a number. */
static uint64_t every_prefix(uint32_t dead, uint32_t most, bool source_dies)
{
    uint64_t wrong = 0;
    for (knell_rank r = 0; r < stage.n; r++)
        stage.left[r] = UINT32_MAX;
    uint32_t prefix[MOST] = {0};
    for (;;) {
        uint32_t set = dead;
        for (; set; set &= set - 1)
            stage.left[__builtin_ctz(set)] = prefix[__builtin_ctz(set)];
        stage_play(NULL);
        for (set = dead; set; set &= set - 1) /* who was not cut down, all sent: still dead for the promise */
            stage.left[__builtin_ctz(set)] = 0;
        wrong += !all_informed(source_dies);
        for (set = dead; set; set &= set - 1) {
            uint32_t r = (uint32_t)__builtin_ctz(set);
            if (++prefix[r] <= most)
                break;
            prefix[r] = 0;
        }
        if (!set)
            return wrong;
    }
}

static enum knell_overlay prefix_overlay;

static bool every_prefix_informs(uint32_t n, uint32_t dead)
{
    return every_prefix(dead, most_sends(n, prefix_overlay), false) == 0;
}

TEST(circulant_every_prefix)
{
    prefix_overlay = KNELL_OVERLAY_CIRCULANT;
    for (uint32_t n = 2; n <= 9; n++) {
        test_context("n %u", (unsigned)n);
        stage_set(n, prefix_overlay, 0);
        for_every_dead_set(n, tolerated(prefix_overlay, n), every_prefix_informs);
    }
    CHECK(!stage.other_body);
}

/* In the tree of a hypercube copy few forward much: what a node sends is counted over all its receptions. */
TEST(hba_every_prefix)
{
    prefix_overlay = KNELL_OVERLAY_HBA;
    for (uint32_t n = 2; n <= 9; n++) {
        test_context("n %u", (unsigned)n);
        stage_set(n, prefix_overlay, 0);
        for_every_dead_set(n, tolerated(prefix_overlay, n), every_prefix_informs);
    }
}

/* The circulant is a flood: when the source itself is cut down, all the living are informed or none. */
static bool all_or_none(uint32_t n, uint32_t dead)
{
    return every_prefix(dead | 1, most_sends(n, KNELL_OVERLAY_CIRCULANT), true) == 0;
}

TEST(circulant_source_cut_down)
{
    for (uint32_t n = 3; n <= 8; n++) {
        unsigned most = tolerated(KNELL_OVERLAY_CIRCULANT, n);
        test_context("n %u", (unsigned)n);
        stage_set(n, KNELL_OVERLAY_CIRCULANT, 0);
        for_every_dead_set(n, most > 0 ? most - 1 : 0, all_or_none);
    }
}

/* Larger worlds, any source, random dead, prefixes and order of delivery. */
static void random_prefixes(enum knell_overlay overlay, uint64_t runs)
{
    struct knell_prng random;
    knell_prng_seed(&random, overlay);
    for (uint64_t run = 0; run < runs; run++) {
        uint32_t n = 2 + (uint32_t)knell_prng_below(&random, 31);
        stage_set(n, overlay, (knell_rank)knell_prng_below(&random, n));
        for (unsigned again = 0; again < 20; again++) {
            bool dead[MOST] = {false};
            for (knell_rank r = 0; r < n; r++)
                stage.left[r] = UINT32_MAX;
            for (unsigned i = tolerated(overlay, n); i-- > 0;) {
                knell_rank r = (knell_rank)knell_prng_below(&random, n);
                dead[r] = r != stage.source;
                if (dead[r])
                    stage.left[r] = (uint32_t)knell_prng_below(&random, most_sends(n, overlay) + 1);
            }
            stage_play(&random);
            for (knell_rank r = 0; r < n; r++)
                if (dead[r])
                    stage.left[r] = 0;
            test_context("run %u n %u", (unsigned)run, (unsigned)n);
            CHECK(all_informed(false));
        }
    }
}

TEST(circulant_random_prefixes)
{
    random_prefixes(KNELL_OVERLAY_CIRCULANT, 2000);
}

TEST(hba_random_prefixes)
{
    random_prefixes(KNELL_OVERLAY_HBA, 1000);
}
