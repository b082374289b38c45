/* Pauses and cut links of the simulated world, the judge, and the effector of FAIL on top of them. */
#include "sim/effector.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

static const struct knell_config config = {.ranks = 8, .eta = 100 * MS, .delta = 1000 * MS, .tau = MS};

/* ---- links ----------------------------------------------------------------------------------------------------------------- */

TEST(links_are_a_set_of_pairs)
{
    enum { N = 24 };
    static bool model[N][N];
    struct knell_links links = {0};
    struct knell_prng prng;
    bool no_memory = false;
    uint32_t count = 0;
    knell_prng_seed(&prng, 7);
    for (int i = 0; i < 20000; i++) {
        knell_rank a = (knell_rank)knell_prng_below(&prng, N), b = (knell_rank)knell_prng_below(&prng, N);
        bool cut = knell_prng_below(&prng, 2), was = model[a][b], changes = a != b && was != cut;
        CHECK(knell_links_is_cut(&links, a, b) == was);
        CHECK((cut ? knell_links_cut(&links, a, b, &no_memory) : knell_links_heal(&links, a, b)) == changes);
        if (changes) {
            model[a][b] = model[b][a] = cut;
            count += cut ? 1u : -1u;
        }
        CHECK_EQ_U64(links.count, count);
    }
    for (knell_rank a = 0; a < N; a++)
        for (knell_rank b = 0; b < N; b++)
            CHECK(knell_links_is_cut(&links, a, b) == model[a][b]);
    CHECK(!no_memory && count > 0);
    knell_links_clear(&links);
    CHECK(!knell_links_is_cut(&links, 0, 1));
    knell_links_free(&links);
}

/* ---- a world with outages, without a scenario ------------------------------------------------------------------------------- */

struct town {
    struct knell_world *world;
    struct knell_judge *judge;
    knell_rank watched;
    uint32_t delivered; /* to the watched one */
    knell_time last;    /* emission time of the last heartbeat it got */
    bool in_order;
    uint32_t fenced;
};

static void on_delivered(void *context, struct knell_world *world, const struct knell_delivery *delivery,
                         const struct knell_body *body)
{
    struct town *town = context;
    (void)world;
    if (delivery->to != town->watched || body->type != KNELL_MESSAGE_HEARTBEAT)
        return;
    town->delivered++;
    town->in_order &= body->emitted > town->last;
    town->last = body->emitted;
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct town *town = context;
    (void)world;
    knell_judge_fact(town->judge, node, fact);
    town->fenced += fact->type == KNELL_FACT_FENCED;
}

static void open_town(struct town *town, uint64_t key)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_watch watch = {.context = town, .fact = on_fact, .delivered = on_delivered};
    *town = (struct town){.watched = KNELL_NOBODY, .in_order = true, .last = -1};
    town->world = knell_world_new(&config, KNELL_NETWORK_LATENCY, &limits);
    town->world->outage = knell_outage_new(config.ranks);
    town->judge = knell_judge_new(town->world);
    knell_world_begin(town->world, key, &watch);
    knell_judge_begin(town->judge, NULL);
}

static void close_town(struct town *town)
{
    struct knell_outage *outage = town->world->outage;
    knell_judge_free(town->judge);
    knell_world_free(town->world);
    knell_outage_free(outage);
}

static void live_until(struct town *town, knell_time when)
{
    while (knell_world_next(town->world) <= when)
        knell_world_run_one(town->world);
    knell_world_pass(town->world, when);
}

TEST(what_waits_comes_in_order_and_before_the_timers)
{
    struct town town;
    open_town(&town, 1);
    town.watched = 3;
    live_until(&town, 3000 * MS);
    CHECK(knell_outage_pause(town.world, 3) && !knell_outage_pause(town.world, 3));
    town.delivered = 0;
    live_until(&town, 3750 * MS);
    CHECK_EQ_U64(town.delivered, 0);
    uint64_t beats = town.world->sent[KNELL_MESSAGE_HEARTBEAT];
    CHECK(knell_outage_resume(town.world, 3) && !knell_outage_resume(town.world, 3));
    CHECK(town.delivered == 7 || town.delivered == 8);
    CHECK(town.in_order);
    CHECK_EQ_U64(town.world->sent[KNELL_MESSAGE_HEARTBEAT], beats); /* its own is overdue, and comes by its timer */
    knell_world_run_one(town.world);
    CHECK_EQ_I64(town.world->now, 3750 * MS);
    CHECK_EQ_U64(town.world->sent[KNELL_MESSAGE_HEARTBEAT], beats + 1);
    live_until(&town, 10000 * MS);
    CHECK_EQ_U64(town.fenced + knell_judge_end(town.judge).detections, 0);
    close_town(&town);
}

/* Nobody it watches died: what it did not hear while paused is no reason to suspect, though it was longer than delta. */
TEST(the_paused_suspects_nobody)
{
    struct town town;
    open_town(&town, 2);
    live_until(&town, 3000 * MS);
    knell_outage_pause(town.world, 3);
    knell_judge_outage(town.judge, 3);
    live_until(&town, 8000 * MS);
    uint64_t suspicions = town.world->counters.suspicions;
    CHECK_EQ_U64(suspicions, 1);
    knell_outage_resume(town.world, 3);
    CHECK_EQ_U64(town.fenced, 1);
    live_until(&town, 12000 * MS);
    CHECK_EQ_U64(town.world->counters.suspicions, suspicions);
    CHECK_EQ_U64(knell_judge_end(town.judge).suspected_living, 0);
    close_town(&town);
}

TEST(a_dead_node_is_neither_paused_nor_resumed)
{
    struct town town;
    open_town(&town, 3);
    live_until(&town, 1000 * MS);
    CHECK(knell_outage_pause(town.world, 2));
    live_until(&town, 1500 * MS);
    knell_world_crash(town.world, 2);
    CHECK(!knell_outage_resume(town.world, 2) && !knell_outage_pause(town.world, 2));
    live_until(&town, 4000 * MS);
    close_town(&town);
}

TEST(a_cut_link_loses_and_a_whole_one_does_not)
{
    struct town town;
    open_town(&town, 4);
    town.watched = 3;
    live_until(&town, 2000 * MS);
    CHECK(knell_outage_cut(town.world, 3, 2) && !knell_outage_cut(town.world, 2, 3));
    town.delivered = 0;
    live_until(&town, 2500 * MS);
    CHECK_EQ_U64(town.delivered, 0);
    CHECK(knell_outage_heal(town.world, 2, 3) && !knell_outage_heal(town.world, 2, 3));
    live_until(&town, 3000 * MS);
    CHECK(town.delivered == 5 || town.delivered == 4);
    CHECK(knell_outage_isolate(town.world, 3) && knell_outage_cut(town.world, 3, 5));
    town.delivered = 0;
    live_until(&town, 3500 * MS);
    CHECK_EQ_U64(town.delivered, 0);
    CHECK(knell_outage_rejoin(town.world, 3) && !knell_outage_rejoin(town.world, 3));
    CHECK_EQ_U64(town.world->outage->links.count + town.world->outage->node[5].cut_links, 0);
    live_until(&town, 10000 * MS);
    CHECK_EQ_U64(town.fenced, 0);
    close_town(&town);
}

/* ---- the judge -------------------------------------------------------------------------------------------------------------- */

static struct knell_verdict accuse(knell_rank paused_before)
{
    struct town town;
    struct knell_event event = {.type = KNELL_EVENT_SUSPECT, .as.suspect = {5, KNELL_WHY_OPERATOR}};
    open_town(&town, 5);
    live_until(&town, 2000 * MS);
    if (paused_before != KNELL_NOBODY) {
        knell_outage_pause(town.world, paused_before);
        knell_judge_outage(town.judge, paused_before);
        live_until(&town, 2100 * MS);
        knell_outage_resume(town.world, paused_before);
        knell_judge_outage(town.judge, paused_before);
    }
    live_until(&town, 3000 * MS);
    knell_world_step(town.world, 1, &event);
    live_until(&town, 6000 * MS);
    CHECK_EQ_U64(town.fenced, 1);
    CHECK(knell_judge_is_stable(town.judge));
    struct knell_verdict verdict = knell_judge_end(town.judge);
    close_town(&town);
    return verdict;
}

TEST(to_suspect_without_an_excuse_is_a_violation)
{
    CHECK_EQ_U64(accuse(KNELL_NOBODY).suspected_living, 1);
    CHECK_EQ_U64(accuse(7).suspected_living, 1);
    CHECK_EQ_U64(accuse(5).suspected_living, 0);
    CHECK_EQ_U64(accuse(1).suspected_living, 0);
}

TEST(a_failure_that_stays_unknown_is_a_violation)
{
    struct town town;
    open_town(&town, 6);
    live_until(&town, 2000 * MS);
    knell_judge_death(town.judge, 3); /* only the judge believes it */
    live_until(&town, 3000 * MS);
    CHECK(!knell_judge_is_stable(town.judge));
    CHECK_EQ_U64(knell_judge_end(town.judge).never_known, 0);
    live_until(&town, 60000 * MS);
    CHECK_EQ_U64(knell_judge_end(town.judge).never_known, 1);
    close_town(&town);
}

/* ---- the effector ----------------------------------------------------------------------------------------------------------- */

struct play {
    void *memory;
    const struct knell_fail_program *program;
    struct knell_effector *effector;
    uint64_t digest; /* of all lines of the log */
};

static void add_line(void *context, const struct knell_fail_record *record)
{
    struct play *play = context;
    char line[512];
    knell_fail_record_text(play->program, record, line, sizeof line);
    for (const char *c = line; *c; c++)
        play->digest = knell_prng_key(play->digest, (uint8_t)*c);
}

static void open_play(struct play *play, const char *text, uint32_t ranks)
{
    struct knell_fail_source source = {"play", text, strlen(text)};
    size_t room = knell_fail_program_room(source.size, 0);
    struct knell_effector_plan plan = {config, KNELL_NETWORK_LATENCY, NULL, 100000 * MS};
    *play = (struct play){.memory = malloc(room)};
    CHECK(knell_fail_compile(&source, NULL, 0, NULL, play->memory, room, &play->program) == 0);
    plan.config.ranks = ranks;
    plan.program = play->program;
    play->effector = knell_effector_new(&plan);
}

static void close_play(struct play *play)
{
    knell_effector_free(play->effector);
    free(play->memory);
}

static struct knell_effector_result perform(struct play *play, uint64_t key)
{
    struct knell_effector_log log = {.context = play, .record = add_line};
    struct knell_effector_result result;
    play->digest = 0;
    knell_effector_run(play->effector, key, &log, &result);
    CHECK(!result.no_memory);
    return result;
}

static const char everything[] =
    "Daemon CONTROL { int lost = 0; node 1: always int who = FAIL_RANDOM(0, 11); time gap = FAIL_EXP(2000);\n"
    "  gap && who < 4 -> !crash(G1[who]), goto 1; gap && who < 8 -> !pause(G1[who]), goto 1;\n"
    "  gap -> lost = FAIL_RANDOM(0, 11), cut(G1[lost]), goto 2;\n"
    "  node 2: time back = FAIL_RANDOM(0, 3000); back -> heal(G1[lost]), goto 1; }\n"
    "Daemon RANKS { node 1: onload -> continue, goto 2; ?crash -> stay; ?pause -> stay;\n"
    "  node 2: ?crash -> halt, goto 1; ?pause -> stop, goto 3; onerror -> goto 1;\n"
    "  node 3: time rest = FAIL_RANDOM(0, 3000); rest -> continue, goto 2; ?crash -> halt, goto 1; onerror -> goto 1; }\n"
    "Computer P { daemon = CONTROL; } Group G1 { program = \"a\" size = 12; daemon = RANKS; }\n";

/* Scratch is used again: nothing of the run before may show. */
TEST(a_run_depends_on_its_key_alone)
{
    struct play play, fresh;
    struct knell_effector_result first, again;
    open_play(&play, everything, 12);
    first = perform(&play, 1);
    uint64_t digest = play.digest;
    perform(&play, 2);
    CHECK(play.digest != digest);
    again = perform(&play, 1);
    CHECK_EQ_U64(play.digest, digest);
    CHECK_EQ_U64(again.events, first.events);
    open_play(&fresh, everything, 12);
    again = perform(&fresh, 1);
    CHECK_EQ_U64(fresh.digest, digest);
    CHECK_EQ_U64(again.events, first.events);
    close_play(&fresh);
    close_play(&play);
}

TEST(no_violation_whatever_strikes)
{
    struct play play;
    uint64_t failures = 0;
    open_play(&play, everything, 12);
    for (uint64_t key = 0; key < 150; key++) {
        struct knell_effector_result result = perform(&play, key);
        test_context("key %llu", (unsigned long long)key);
        CHECK_EQ_U64(result.verdict.suspected_living, 0);
        CHECK_EQ_U64(result.verdict.never_known, 0);
        CHECK_EQ_U64(result.errors, 0);
        failures += result.verdict.failures;
    }
    CHECK(failures > 150);
    close_play(&play);
}

static const char kill_all[] =
    "Daemon D { node 1: time_g t = 2; onload -> continue, stay; t -> halt, goto 2; node 2: onload -> continue; }\n"
    "Group G { program = \"a\" size = 6; daemon = D; }\n";

TEST(slots_and_nodes_need_not_be_as_many)
{
    struct play play;
    struct knell_effector_result result;
    open_play(&play, kill_all, 4); /* two empty slots; nobody left to see it */
    result = perform(&play, 1);
    CHECK_EQ_U64(result.faults, 4);
    CHECK(!result.verdict.has_stable && !result.cut_off);
    close_play(&play);
    open_play(&play, kill_all, 16); /* ten nodes beyond the slots */
    result = perform(&play, 1);
    CHECK_EQ_U64(result.faults, 6);
    CHECK_EQ_U64(result.verdict.failures, 6);
    CHECK(result.verdict.has_stable && result.verdict.has_first && !result.cut_off);
    close_play(&play);
}

static const char on_and_on[] = "Daemon D { time t = 20; onload -> continue; t -> stop, continue; }\n"
                                "Group G { program = \"a\" size = 8; daemon = D; }\n";

TEST(what_never_ends_is_cut_off)
{
    struct play play;
    open_play(&play, on_and_on, 8);
    struct knell_effector_result result = perform(&play, 1);
    CHECK(result.cut_off);
    CHECK_EQ_U64(result.verdict.failures, 0);
    close_play(&play);
}
