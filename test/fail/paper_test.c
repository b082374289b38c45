/* The paper's scenarios on the platform model with 53 machines and 49 processes, as shipped in examples/fail: what
 * the paper says they inject is what is counted here, for several seeds, with and without spare machines. */
#include "fail/platform.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 14, SEEDS = 12, PERIODS = 64 };

struct log {
    const struct knell_fail_program *program;
    uint32_t acknowledged[PERIODS]; /* ?ok at P1, by period: a period begins when P1's timer fires */
    uint32_t periods;
    uint32_t halts;
    uint32_t halts_before_call;
    knell_time halt_times[8];
    knell_time second_launch; /* when the first process was loaded for the second time */
    uint32_t loads;
    uint64_t digest;
};

struct stage {
    struct log log;
    struct knell_platform_counters platform;
    struct knell_fail_counters fail;
    uint32_t held, alive;
};

static bool is_message(const struct log *log, const struct knell_fail_record *r, const char *name)
{
    return r->event.type == KNELL_FAIL_MESSAGE &&
           strcmp(knell_fail_message_at(log->program, r->event.subject), name) == 0;
}

static void count_halts(struct log *log, const struct knell_fail_record *r)
{
    for (uint32_t i = 0; i < r->action_count; i++) {
        if (r->actions[i].type != KNELL_FAIL_HALT || r->actions[i].vain)
            continue;
        if (log->halts < 8)
            log->halt_times[log->halts] = r->now;
        log->halts++;
        log->halts_before_call += r->event.type == KNELL_FAIL_BEFORE;
    }
}

static bool each(void *driver, const struct knell_fail_record *r)
{
    struct log *log = driver;
    char text[1024];

    if (r->outcome == KNELL_FAIL_FIRED && r->event.type == KNELL_FAIL_TIMER)
        log->periods++;
    if (r->outcome == KNELL_FAIL_FIRED && is_message(log, r, "ok") && log->periods < PERIODS)
        log->acknowledged[log->periods]++;
    if (r->event.type == KNELL_FAIL_ONLOAD && r->outcome == KNELL_FAIL_FIRED && ++log->loads == 50)
        log->second_launch = r->now;
    count_halts(log, r);
    knell_fail_record_text(log->program, r, text, sizeof text);
    for (const char *c = text; *c; c++)
        log->digest = (log->digest ^ (uint8_t)*c) * 0x100000001b3u;
    return true;
}

static size_t read_example(const char *name, char *text)
{
    char path[512];
    FILE *f;
    size_t size;

    snprintf(path, sizeof path, "%s/../../examples/fail/%s", KNELL_TEST_DIR, name);
    f = fopen(path, "rb");
    if (!CHECK(f != NULL))
        return 0;
    size = fread(text, 1, LONGEST, f);
    fclose(f);
    return size;
}

static bool play(const char *name, int64_t x, uint64_t seed, knell_time until, bool spares, knell_time detect,
                 struct stage *out)
{
    static char text[LONGEST], code[1 << 22], memory[1 << 20], model[1 << 20];
    struct knell_fail_source source = {name, text, read_example(name, text)};
    struct knell_fail_define define = {"X", x};
    struct knell_fail_config config = {.seed = seed, .message_delay = 100000};
    struct knell_platform_config platform;
    struct knell_platform_watcher watcher = {&out->log, each};
    struct knell_fail_world *w;
    struct knell_platform *p;
    const char *why;

    memset(out, 0, sizeof *out);
    test_context("%s X=%d seed=%d spares=%d", name, (int)x, (int)seed, spares);
    if (!CHECK(knell_fail_compile(&source, &define, x > 0, NULL, code, sizeof code, &out->log.program) == 0) ||
        !CHECK(knell_platform_defaults(out->log.program, &platform)) ||
        !CHECK(knell_fail_world_size(out->log.program, &config) <= sizeof memory) ||
        !CHECK(knell_platform_size(out->log.program) <= sizeof model))
        return false;
    platform.processes = 49;
    platform.spares = spares;
    platform.detect = detect;
    platform.calls[0] = (struct knell_platform_call){"localMPI_setCommand", 300000000, 0};
    platform.call_count = 1;
    CHECK(knell_platform_check(out->log.program, &platform, &why) == 0);
    CHECK(knell_fail_world_init(memory, out->log.program, &config, 0, &w) == 0);
    p = knell_platform_init(model, out->log.program, w, &platform, 0);
    knell_platform_run(p, w, until, &watcher);
    out->platform = knell_platform_counters_of(p);
    out->fail = knell_fail_counters_of(w);
    out->held = knell_platform_held(p);
    out->alive = knell_platform_alive(p);
    CHECK_EQ_U64(out->fail.faults, 0);
    CHECK_EQ_U64(out->fail.dropped, 0);
    CHECK_EQ_U64(out->fail.rests, 0);
    CHECK_EQ_U64(out->log.halts, out->platform.faults);
    return true;
}

#define S INT64_C(1000000000)

/* The last period may not be over. */
static void check_periods(const struct stage *s, uint32_t faults)
{
    CHECK(s->log.periods > 20);
    for (uint32_t i = 1; i < s->log.periods; i++)
        CHECK_EQ_U64(s->log.acknowledged[i], faults);
}

TEST(figure_5a_injects_one_fault_a_period)
{
    struct stage s;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        if (play("figure-4-5a.fail", 0, seed, 1500 * S, seed % 2, 1000000, &s))
            check_periods(&s, 1);
    }
}

/* With a detection in 50 us the survivors die between the faults of a period: then P1 asks until the job is back. */
TEST(figure_7a_injects_x_faults_a_period)
{
    struct stage s;

    for (int64_t x = 1; x <= 6; x++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            if (play("figure-7a.fail", x, seed, 1500 * S, seed % 2, seed % 3 ? 1000000 : 50000, &s))
                check_periods(&s, (uint32_t)x);
        }
    }
}

static void check_two_faults(const struct stage *s)
{
    CHECK_EQ_U64(s->log.halts, 2);
    CHECK_EQ_U64(s->platform.launches, 3);
    CHECK_EQ_U64(s->held, 0);
    CHECK_EQ_U64(s->alive, 49);
    CHECK(s->log.halt_times[0] >= 50 * S);
    CHECK(s->log.second_launch > s->log.halt_times[0]);
}

TEST(figure_8_injects_two_faults_the_second_at_the_relaunch)
{
    struct stage s;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        if (!play("figure-8.fail", 0, seed, 1500 * S, seed % 2, 1000000, &s))
            continue;
        check_two_faults(&s);
        CHECK(s.log.halt_times[1] >= s.log.second_launch);
        CHECK(s.log.halt_times[1] < s.log.second_launch + 1 * S);
        CHECK_EQ_U64(s.log.halts_before_call, 0);
    }
}

TEST(figure_10_injects_two_faults_the_second_before_the_call)
{
    struct stage s;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        if (!play("figure-10.fail", 0, seed, 1500 * S, seed % 2, 1000000, &s))
            continue;
        check_two_faults(&s);
        CHECK_EQ_U64(s.log.halts_before_call, 1);
        CHECK(s.log.halt_times[1] >= s.log.second_launch + 300000000);
    }
}

TEST(same_seed_same_log)
{
    struct stage a, b, c;

    REQUIRE(play("figure-7a.fail", 3, 7, 500 * S, false, 1000000, &a));
    REQUIRE(play("figure-7a.fail", 3, 7, 500 * S, false, 1000000, &b));
    REQUIRE(play("figure-7a.fail", 3, 8, 500 * S, false, 1000000, &c));
    CHECK_EQ_U64(a.log.digest, b.log.digest);
    CHECK(a.log.digest != c.log.digest);
}
