/* What a scenario's text cannot show: the edges of the C interface of FAIL, worlds in parts, the draws'
 * distribution. */
#include "fail/eval.h"
#include "fail/platform.h"
#include "fail/script.h"
#include "fail/world.h"
#include "test.h"
#include "util/prng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static _Alignas(8) char code[1 << 21];
static _Alignas(8) char memory[4][1 << 20];

static const struct knell_fail_program *compile(const char *text)
{
    struct knell_fail_source source = {"test", text, strlen(text)};
    const struct knell_fail_program *program = NULL;

    CHECK(knell_fail_compile(&source, NULL, 0, NULL, code, sizeof code, &program) == 0);
    return program;
}

static struct knell_fail_world *make(const struct knell_fail_program *p, int number,
                                     const struct knell_fail_config *config)
{
    struct knell_fail_world *w = NULL;

    CHECK(knell_fail_world_size(p, config) <= sizeof memory[number]);
    CHECK(knell_fail_world_init(memory[number], p, config, 0, &w) == 0);
    return w;
}

static const char *const ping = "Daemon A { time_g t = 1; t -> !ping(G[*]), stay; ?pong -> stay; }\n"
                                "Daemon B { int n = FAIL_RANDOM(0, 1000000); ?ping -> !pong(FAIL_SENDER), stay; }\n"
                                "Computer P { daemon = A; } Group G { size = 3; daemon = B; }\n";

TEST(compile_says_full_when_memory_is_short)
{
    struct knell_fail_source source = {"test", ping, strlen(ping)};
    const struct knell_fail_program *program;

    for (size_t size = 0; size < 2000; size += 8)
        CHECK_EQ_I64(knell_fail_compile(&source, NULL, 0, NULL, code, size, &program), KNELL_EFULL);
    CHECK_EQ_I64(knell_fail_compile(&source, NULL, 0, NULL, code, sizeof code, &program), 0);
}

TEST(a_source_that_is_too_long_is_refused)
{
    static char text[KNELL_FAIL_SOURCE_MAX + 1];
    struct knell_fail_source source = {"test", text, sizeof text};
    const struct knell_fail_program *program;

    memset(text, ' ', sizeof text);
    CHECK_EQ_I64(knell_fail_compile(&source, NULL, 0, NULL, code, sizeof code, &program), KNELL_EINVAL);
}

TEST(names_of_instances_go_both_ways)
{
    const struct knell_fail_program *p = compile(ping);
    uint32_t first, count;
    char name[32];

    REQUIRE(p);
    for (uint32_t i = 0; i < knell_fail_instance_count(p); i++) {
        knell_fail_instance_name(p, i, name, sizeof name);
        CHECK(knell_fail_instance_find(p, name, &first, &count) == 0 && first == i && count == 1);
    }
    CHECK(knell_fail_instance_find(p, "G[*]", &first, &count) == 0 && first == 1 && count == 3);
    CHECK(knell_fail_instance_find(p, "G[1..2]", &first, &count) == 0 && first == 2 && count == 2);
    CHECK(knell_fail_instance_find(p, "G", &first, &count) != 0);
    CHECK(knell_fail_instance_find(p, "G[3]", &first, &count) != 0);
    CHECK(knell_fail_instance_find(p, "G[2..1]", &first, &count) != 0);
    CHECK(knell_fail_instance_find(p, "P[0]", &first, &count) != 0);
    CHECK(knell_fail_instance_find(p, "G[18446744073709551617]", &first, &count) != 0);
}

TEST(wrong_events_and_backward_time_are_refused)
{
    const struct knell_fail_program *p = compile(ping);
    struct knell_fail_config config = {.seed = 1};
    struct knell_fail_world *w = make(p, 0, &config);
    struct knell_fail_record r;
    struct knell_fail_event events[] = {
        {.type = KNELL_FAIL_ONLOAD, .instance = 4},
        {.type = KNELL_FAIL_BEFORE},
        {.type = KNELL_FAIL_WATCH},
        {.type = KNELL_FAIL_MESSAGE, .subject = 9},
        {.type = KNELL_FAIL_MESSAGE, .sender = 9},
        {.type = KNELL_FAIL_TIMER},
    };

    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        CHECK_EQ_I64(knell_fail_step(w, 0, &events[i], &r), KNELL_EINVAL);
    CHECK_EQ_I64(knell_fail_step(w, 10, NULL, &r), 0);
    CHECK_EQ_I64(knell_fail_step(w, 9, NULL, &r), KNELL_EINVAL);
    config.hosted_first = 5;
    CHECK_EQ_U64(knell_fail_world_size(p, &config), 0);
}

/* Carries what is remote from one world to the other, as two hosts would. */
static uint32_t exchange(struct knell_fail_world **worlds, const uint32_t *bounds, const struct knell_fail_record *r)
{
    uint32_t carried = 0;

    for (uint32_t i = 0; i < r->action_count; i++) {
        const struct knell_fail_action *a = &r->actions[i];

        for (uint32_t to = a->first; a->type == KNELL_FAIL_SEND && a->remote && to < a->first + a->count; to++) {
            struct knell_fail_event event = {
                .type = KNELL_FAIL_MESSAGE, .instance = to, .subject = a->subject, .sender = r->instance};
            struct knell_fail_record next;
            int there = to >= bounds[1];

            if ((r->instance >= bounds[1]) == there)
                continue;
            CHECK_EQ_I64(knell_fail_step(worlds[there], r->now, &event, &next), 1);
            carried += 1 + exchange(worlds, bounds, &next);
        }
    }
    return carried;
}

TEST(a_world_in_two_parts_exchanges_messages)
{
    const struct knell_fail_program *p = compile(ping);
    struct knell_fail_config here = {.seed = 5, .hosted_first = 0, .hosted_count = 2};
    struct knell_fail_config there = {.seed = 5, .hosted_first = 2, .hosted_count = 2};
    struct knell_fail_config all = {.seed = 5};
    struct knell_fail_world *worlds[2] = {make(p, 0, &here), make(p, 1, &there)}, *whole = make(p, 2, &all);
    const uint32_t bounds[2] = {0, 2};
    struct knell_fail_record r;
    const char *name;
    int64_t a, b;
    uint32_t carried = 0;

    CHECK_EQ_I64(knell_fail_deadline(worlds[1]), KNELL_NEVER);
    while (knell_fail_step(worlds[0], knell_fail_deadline(whole), NULL, &r) == 1)
        carried += exchange(worlds, bounds, &r);
    CHECK_EQ_U64(carried, 4); /* two pings there, two pongs back */
    /* Who hosts an automaton does not change what it draws. */
    for (uint32_t i = 1; i < 4; i++) {
        REQUIRE(knell_fail_variable_of(worlds[i >= 2], i, 0, &name, &a) &&
                knell_fail_variable_of(whole, i, 0, &name, &b));
        CHECK_EQ_I64(a, b);
    }
    CHECK(!knell_fail_variable_of(worlds[0], 3, 0, &name, &a));
}

/* The first and the last on one host, those between on the other. */
TEST(a_world_hosts_any_set_of_instances)
{
    const struct knell_fail_program *p = compile(ping);
    const uint8_t outer[4] = {1, 0, 0, 1}, inner[4] = {0, 1, 1, 0};
    struct knell_fail_config here = {.seed = 5, .hosted = outer}, there = {.seed = 5, .hosted = inner},
                             all = {.seed = 5};
    struct knell_fail_world *worlds[2] = {make(p, 0, &here), make(p, 1, &there)}, *whole = make(p, 2, &all);
    struct knell_fail_event foreign = {.type = KNELL_FAIL_ONLOAD, .instance = 1};
    struct knell_fail_record r;
    const char *name;
    int64_t a, b;

    CHECK_EQ_I64(knell_fail_deadline(worlds[1]), KNELL_NEVER);
    CHECK_EQ_I64(knell_fail_step(worlds[0], 0, &foreign, &r), KNELL_EINVAL);
    CHECK_EQ_I64(knell_fail_step(worlds[0], knell_fail_deadline(whole), NULL, &r), 1);
    CHECK(r.action_count > 0 && r.actions[0].type == KNELL_FAIL_SEND && r.actions[0].remote);
    CHECK_EQ_U64(knell_fail_waiting(worlds[0], 1), 0);
    for (uint32_t i = 1; i < 4; i++) {
        REQUIRE(knell_fail_variable_of(worlds[inner[i]], i, 0, &name, &a) &&
                knell_fail_variable_of(whole, i, 0, &name, &b));
        CHECK_EQ_I64(a, b);
        CHECK(!knell_fail_variable_of(worlds[!inner[i]], i, 0, &name, &a));
    }
}

TEST(armed_probes_follow_the_node)
{
    const struct knell_fail_program *p =
        compile("Daemon D { node 1: onload -> continue, goto 2;\n"
                "node 2: before(f#1) -> stay; before(f) -> stay; after(g) -> goto 1; watch($x) -> stay; }\n"
                "Group G { program = \"p\" size = 1; daemon = D; }\n");
    struct knell_fail_config config = {.seed = 1};
    struct knell_fail_world *w = make(p, 0, &config);
    struct knell_fail_event event = {.type = KNELL_FAIL_ONLOAD};
    struct knell_fail_probe probes[4];
    struct knell_fail_record r;

    CHECK_EQ_U64(knell_fail_armed(w, 0, probes, 4), 0);
    CHECK_EQ_I64(knell_fail_step(w, 0, &event, &r), 1);
    CHECK(r.entered);
    CHECK_EQ_U64(knell_fail_armed(w, 0, probes, 4), 3);
    CHECK(probes[0].type == KNELL_FAIL_BEFORE && probes[1].type == KNELL_FAIL_AFTER &&
          probes[2].type == KNELL_FAIL_WATCH);
    event = (struct knell_fail_event){.type = KNELL_FAIL_AFTER, .subject = probes[1].subject};
    CHECK_EQ_I64(knell_fail_step(w, 0, &event, &r), 1);
    CHECK_EQ_U64(knell_fail_armed(w, 0, probes, 4), 0);
}

/* An effector that counts calls itself says so; its number is taken. */
TEST(the_count_of_an_effector_is_taken)
{
    const struct knell_fail_program *p = compile("Daemon D { onload -> continue, stay; before(f#7) -> halt, stay; }\n"
                                                 "Group G { program = \"p\" size = 1; daemon = D; }\n");
    struct knell_fail_config config = {.seed = 1};
    struct knell_fail_world *w = make(p, 0, &config);
    struct knell_fail_event load = {.type = KNELL_FAIL_ONLOAD}, call = {.type = KNELL_FAIL_BEFORE, .count = 6};
    struct knell_fail_record r;

    CHECK_EQ_I64(knell_fail_step(w, 0, &load, &r), 1);
    CHECK_EQ_I64(knell_fail_step(w, 0, &call, &r), 1);
    CHECK(r.outcome == KNELL_FAIL_NO_RULE);
    call.count = 0; /* the next one */
    CHECK_EQ_I64(knell_fail_step(w, 0, &call, &r), 1);
    CHECK(r.outcome == KNELL_FAIL_FIRED && r.actions[0].type == KNELL_FAIL_HALT);
}

TEST(cut_is_alone_for_a_daemon_beside_the_job)
{
    const struct knell_fail_program *p =
        compile("Daemon D { onload -> continue, cut(G[1]), cut(G[0]), stay; }\n"
                "Daemon E { time_g t = 1; t -> cut(G[1]), stay; }\n"
                "Group G { program = \"p\" size = 2; daemon = D; } Computer P { daemon = E; }\n");
    struct knell_fail_config config = {.seed = 1};
    struct knell_fail_world *w = make(p, 0, &config);
    struct knell_fail_event load = {.type = KNELL_FAIL_ONLOAD};
    struct knell_fail_record r;

    CHECK_EQ_I64(knell_fail_step(w, 0, &load, &r), 1);
    CHECK(!r.actions[1].alone && r.actions[1].first == 1);
    CHECK(r.actions[2].alone && r.actions[2].first == 0);
    CHECK_EQ_I64(knell_fail_step(w, knell_fail_deadline(w), NULL, &r), 1);
    CHECK(r.actions[0].alone);
}

TEST(timers_come_out_in_order)
{
    enum { N = 200 };
    knell_time deadline[N], last = 0;
    uint32_t position[N], heap[N], due, out = 0;
    struct knell__timers t = {deadline, position, heap, 0};
    struct knell_prng g;

    memset(position, 0xff, sizeof position);
    knell_prng_seed(&g, 3);
    for (int i = 0; i < 5000; i++) {
        uint32_t timer = (uint32_t)knell_prng_below(&g, N);

        if (knell_prng_below(&g, 4) == 0)
            knell__timers_cancel(&t, timer);
        else
            knell__timers_arm(&t, timer, (knell_time)knell_prng_below(&g, 1000));
    }
    while ((due = knell__timers_due(&t, 1000)) != KNELL__NOTHING) {
        CHECK(deadline[due] >= last);
        last = deadline[due];
        knell__timers_cancel(&t, due);
        out++;
    }
    CHECK(out > N / 2 && t.armed == 0);
}

/* Against the math library, and the means: the exponential's is its parameter, that of Weibull scale * gamma(1 +
 * 1/k). */
TEST(life_spans_have_their_distribution)
{
    double sum = 0, sum_weibull = 0;
    const int n = 200000;

    for (int i = 0; i < n; i++) {
        uint64_t bits = knell_prng_at(11, (uint64_t)i);
        double e = -log((double)(bits | 1) * 0x1p-64);
        double x = (double)knell__life_exponential(bits, 1000000), w = (double)knell__life_weibull(bits, 1000000, 700);

        if (i % 100 == 0) {
            CHECK_NEAR(x, e * 1e6, 2);
            CHECK_NEAR(w, 1e6 * pow(e, 1 / 0.7), 3 + w * 1e-5);
        }
        sum += x;
        sum_weibull += w;
    }
    CHECK_NEAR(sum / n / 1e6, 1.0, 0.01);
    CHECK_NEAR(sum_weibull / n / 1e6, tgamma(1 + 1 / 0.7), 0.02);
    CHECK_EQ_I64(knell__life_weibull(1, INT64_MAX, 1), -1);
    CHECK_EQ_I64(knell__life_exponential(0, INT64_MAX), -1);
    CHECK_EQ_I64(knell__life_exponential(knell_prng_at(1, 1), 0), 0);
}

TEST(the_platform_refuses_a_job_larger_than_its_group)
{
    const struct knell_fail_program *p = compile("Daemon D { onload -> continue; }\n"
                                                 "Group G { program = \"p\" size = 4; daemon = D; }\n");
    struct knell_platform_config config;
    const char *why;

    REQUIRE(knell_platform_defaults(p, &config));
    CHECK(knell_platform_check(p, &config, &why) == 0);
    config.processes = 5;
    CHECK(knell_platform_check(p, &config, &why) != 0);
    CHECK_STR(why, "the job is larger than its group");
    config.processes = 4;
    config.relaunch = 0;
    CHECK(knell_platform_check(p, &config, &why) != 0);
}

static struct knell_platform *platform(const struct knell_fail_program *p, struct knell_fail_world *w,
                                       const struct knell_platform_config *config)
{
    CHECK(knell_platform_size(p) <= sizeof memory[3]);
    return knell_platform_init(memory[3], p, w, config, 0);
}

TEST(the_platform_follows_its_policy)
{
    const struct knell_fail_program *p =
        compile("Daemon D { node 1: onload -> continue, goto 2;\n"
                "node 2: after(f#2) -> halt, goto 3; onerror -> goto 1; node 3: onload -> continue, goto 4; node 4: }\n"
                "Group G { program = \"p\" size = 4; daemon = D; }\n");
    const uint64_t launches[] = {2, 1, 1};
    const uint32_t alive[] = {4, 4, 0};
    struct knell_platform_config config;
    struct knell_fail_config fail = {.seed = 1};

    for (int policy = 0; policy < 3; policy++) {
        struct knell_fail_world *w = make(p, 0, &fail);
        struct knell_platform *model;

        REQUIRE(knell_platform_defaults(p, &config));
        config.policy = (enum knell_platform_relaunch)policy;
        config.launch = 0;
        config.calls[0] = (struct knell_platform_call){"f", 1000000000, 1000000000};
        config.call_count = 1;
        model = platform(p, w, &config);
        knell_platform_run(model, w, INT64_C(60000000000), NULL);
        test_context("policy %d", policy);
        CHECK_EQ_U64(knell_platform_counters_of(model).faults, 4);
        CHECK_EQ_U64(knell_platform_counters_of(model).launches, launches[policy]);
        CHECK_EQ_U64(knell_platform_alive(model), alive[policy]);
    }
}

TEST(a_job_of_the_platform_ends)
{
    const struct knell_fail_program *p = compile("Daemon D { onload -> continue; onexit -> stay; }\n"
                                                 "Group G { program = \"p\" size = 4; daemon = D; }\n");
    struct knell_platform_config config;
    struct knell_fail_config fail = {.seed = 1};
    struct knell_fail_world *w = make(p, 0, &fail);
    struct knell_platform *model;

    REQUIRE(knell_platform_defaults(p, &config));
    config.length = INT64_C(5000000000);
    model = platform(p, w, &config);
    knell_platform_run(model, w, INT64_C(60000000000), NULL);
    CHECK_EQ_U64(knell_platform_counters_of(model).exits, 4);
    CHECK_EQ_U64(knell_platform_alive(model), 0);
    CHECK_EQ_I64(knell_platform_deadline(model), KNELL_NEVER);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static char big[KNELL_FAIL_SOURCE_MAX], last_note[256];
static size_t big_length;

static void add(const char *format, unsigned number)
{
    big_length += (size_t)snprintf(big + big_length, sizeof big - big_length, format, number, number);
}

static void keep_first_error(void *driver, const struct knell_fail_note *note)
{
    (void)driver;
    if (last_note[0] == '\0' && note->severity == KNELL_FAIL_ERROR)
        snprintf(last_note, sizeof last_note, "%s", note->text);
}

/* `before`, `count` times `each`, `after`: refused with this error; with one fewer, accepted or refused otherwise. */
static void check_limit(const char *before, const char *each, unsigned count, const char *after, const char *error)
{
    static _Alignas(8) char room[64 << 20];
    struct knell_fail_reporter reporter = {NULL, keep_first_error};
    const struct knell_fail_program *program;

    test_context("%s", error);
    for (unsigned n = count; n >= count - 1; n--) {
        big_length = 0;
        last_note[0] = '\0';
        add(before, 0);
        for (unsigned i = 0; i < n; i++)
            add(each, i);
        add(after, 0);
        struct knell_fail_source source = {"test", big, big_length};
        REQUIRE(knell_fail_program_room(big_length, 0) <= sizeof room);
        int result =
            knell_fail_compile(&source, NULL, 0, &reporter, room, knell_fail_program_room(big_length, 0), &program);
        CHECK_EQ_I64(result, n == count ? KNELL_EINVAL : 0);
        CHECK_STR(last_note, n == count ? error : "");
    }
}

TEST(limits_are_where_the_header_says)
{
    const char *end = "}\nComputer C{daemon=D}";

    check_limit("Daemon D{", "?m%u->;", KNELL_FAIL_NAMES_MAX + 1, end, "more than 1024 messages");
    check_limit("Daemon D{", "before(f%u)->;", KNELL_FAIL_NAMES_MAX + 1, end, "more than 1024 functions");
    check_limit("Daemon D{", "watch($v%u)->;", KNELL_FAIL_NAMES_MAX + 1, end,
                "more than 1024 variables of the program");
    check_limit("Daemon D{", "?m->;", KNELL_FAIL_RULES_MAX + 1, end, "a node has at most 4096 rules");
    check_limit("Daemon D{", "int v%u=1;", KNELL_FAIL_DECLS_MAX + 1, end, "more than 256 declarations");
    check_limit("Daemon D{", "node n%u:?m->goto n%u;", KNELL_FAIL_NODES_MAX + 1, end,
                "a daemon has at most 1024 nodes");
    check_limit("", "param p%u=1;", KNELL_FAIL_NAMES_MAX + 1, "Daemon D{}Computer C{daemon=D}",
                "more than 1024 params");
    check_limit("", "Daemon d%u{}", KNELL_FAIL_NAMES_MAX + 1, "Computer C{daemon=d0}", "more than 1024 daemons");
    check_limit("Daemon D{}", "Computer c%u{daemon=D}", KNELL_FAIL_NAMES_MAX + 1, "", "more than 1024 places");
}

static void count_note(void *driver, const struct knell_fail_note *note)
{
    (void)note;
    ++*(uint32_t *)driver;
}

TEST(only_so_many_errors_are_shown)
{
    struct knell_fail_source source = {"test", big, 0};
    const struct knell_fail_program *program;
    uint32_t count = 0;
    struct knell_fail_reporter reporter = {&count, count_note};

    big_length = 0;
    for (unsigned i = 0; i < 1000; i++)
        add("@", i);
    source.size = big_length;
    CHECK_EQ_I64(knell_fail_compile(&source, NULL, 0, &reporter, code, sizeof code, &program), KNELL_EINVAL);
    CHECK_EQ_U64(count, KNELL_FAIL_NOTES_MAX + 1); /* and that there are more */
}
