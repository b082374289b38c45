/* Looking ahead (knell_fail_idle): an effector that lets calls pass without a word gets what one gets that holds the process at each: the
 * same rule at the same call, the same draws after it. */
#include "test.h"

#include <knell/fail.h>
#include <stdio.h>
#include <string.h>

static char program_memory[1 << 18] __attribute__((aligned(8)));
static char world_memory[2][1 << 18] __attribute__((aligned(8)));

static const struct knell_fail_program *compile(const char *text)
{
    struct knell_fail_source source = {"test.fail", text, strlen(text)};
    const struct knell_fail_program *program = NULL;

    CHECK(knell_fail_compile(&source, NULL, 0, NULL, program_memory, sizeof program_memory, &program) == 0);
    return program;
}

static struct knell_fail_world *make(const struct knell_fail_program *program, int number, uint64_t seed)
{
    struct knell_fail_config config = {.seed = seed, .messages = 8};
    struct knell_fail_event load = {.type = KNELL_FAIL_ONLOAD};
    struct knell_fail_record record;
    struct knell_fail_world *world;

    CHECK(knell_fail_world_size(program, &config) <= sizeof world_memory[0]);
    CHECK(knell_fail_world_init(world_memory[number], program, &config, 0, &world) == 0);
    CHECK(knell_fail_step(world, 0, &load, &record) == 1);
    return world;
}

static bool call(struct knell_fail_world *world, struct knell_fail_record *record)
{
    struct knell_fail_event event = {.type = KNELL_FAIL_BEFORE, .symbol = "MPI_Send"};

    CHECK(knell_fail_step(world, 0, &event, record) == 1);
    return record->outcome == KNELL_FAIL_FIRED;
}

/* The number of the call that fires a rule, from 1. */
static unsigned first_of_all(struct knell_fail_world *world, struct knell_fail_record *record)
{
    unsigned calls = 1;

    while (!call(world, record))
        calls++;
    return calls;
}

/* In strides of at most `most`; in each an event comes between, after some of those that could pass. */
static unsigned first_ahead(struct knell_fail_world *world, uint32_t most, struct knell_fail_record *record)
{
    struct knell_fail_probe probe = {KNELL_FAIL_BEFORE, 0};
    unsigned calls = 0;

    for (;;) {
        uint32_t idle = knell_fail_idle(world, 0, probe, most), pass = idle > 3 ? idle - 3 : idle;

        CHECK(idle <= most);
        knell_fail_passed(world, 0, probe, pass);
        calls += pass + 1;
        if (call(world, record))
            return calls;
        CHECK(idle != pass || idle == most);
    }
}

static void check_same(const char *text, unsigned rules)
{
    const struct knell_fail_program *program = compile(text);
    struct knell_fail_record a, b;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct knell_fail_world *one = make(program, 0, seed), *other = make(program, 1, seed);

        for (unsigned rule = 0; rule < rules; rule++) {
            unsigned all = first_of_all(one, &a), ahead = first_ahead(other, rule % 2 ? 7 : 1000, &b);

            CHECK(all == ahead);
            CHECK(a.line == b.line && a.action_count == b.action_count && a.event.count == b.event.count);
            CHECK(a.actions[0].value == b.actions[0].value);
        }
    }
}

static uint32_t idle(const char *node)
{
    char text[512];
    struct knell_fail_probe probe = {KNELL_FAIL_BEFORE, 0};

    snprintf(text, sizeof text,
             "Daemon D { int n = 0; onload -> continue, stay; %s } Computer C { program = \"p\" daemon = D; }", node);
    return knell_fail_idle(make(compile(text), 0, 1), 0, probe, 100);
}

static bool only_flips(const char *node)
{
    char text[512];

    snprintf(text, sizeof text,
             "Daemon D { int n = 0; onload -> continue, stay; %s } Computer C { program = \"p\" daemon = D; }", node);
    return knell_fail_only_flips(make(compile(text), 0, 1), 0, (struct knell_fail_probe){KNELL_FAIL_BEFORE, 0});
}

TEST(by_chance)
{
    check_same(
        "Daemon D { int n = 0; onload -> continue, stay;\n"
        "before(MPI_*) && FAIL_CHANCE(1, 20) == 1 -> n = FAIL_RANDOM(0, 1000000), stay;\n"
        "before(MPI_*) && FAIL_CHANCE(1, 30) == 1 && FAIL_RANDOM(0, 1) == 1 -> n = FAIL_RANDOM(0, 1000000), stay; }\n"
        "Computer C { program = \"p\" daemon = D; }",
        20);
}

TEST(by_count)
{
    check_same("Daemon D { int n = 0; onload -> continue, stay;\n"
               "before(MPI_*#13) -> n = 1, stay; before(MPI_*#5) -> n = 2, stay; before(MPI_*#2000) -> n = 3, stay; }\n"
               "Computer C { program = \"p\" daemon = D; }",
               3);
}

/* Counted, or by chance: known. A rule for every call, a variable, an argument, another function: not. */
TEST(what_can_be_known)
{
    CHECK_EQ_U64(idle("before(f#40) -> stay;"), 39);
    CHECK_EQ_U64(idle("before(f#200) -> stay;"), 100);
    CHECK_EQ_U64(idle("before(f) && n > 0 -> stay;"), 100);
    CHECK_EQ_U64(idle("before(f) -> n = n + 1, stay;"), 0);
    CHECK_EQ_U64(idle("before(f) && $x > 0 -> stay;"), 0);
    CHECK_EQ_U64(idle("before(f) && $arg1 > 0 -> stay;"), 0);
    CHECK_EQ_U64(idle("before(f) && 1 / n > 0 -> stay;"), 0); /* an error is to be seen */
    CHECK_EQ_U64(idle("before(f#40) -> stay; after(g#2) -> stay;"), 0);
}

static struct knell_fail_event entered(struct knell_fail_world *world)
{
    struct knell_fail_record record;

    call(world, &record);
    return record.event;
}

static void check_stop(const struct knell_fail_world *world, const struct knell_fail_event *event, uint64_t operation)
{
    struct knell_fail_event stop = {0};

    CHECK(knell_fail_stop_inside(world, event, &stop) == (operation > 0));
    CHECK_EQ_U64(stop.operation, operation);
    CHECK(operation == 0 || (stop.type == KNELL_FAIL_INSIDE && stop.count > 0));
}

/* Calls pass up to the one within which somebody waits; there the operations come in their order, whatever that of the rules. */
TEST(operations_of_a_call)
{
    struct knell_fail_probe probe = {KNELL_FAIL_INSIDE, 0};
    struct knell_fail_world *world = make(
        compile(
            "Daemon D { onload -> continue, stay; inside(MPI_*#13, 4) && FAIL_CHANCE(1, 2) == 3 -> halt;\n"
            "inside(MPI_*#13, 2) -> halt; inside(MPI_*#20, 1) -> halt; } Computer C { program = \"p\" daemon = D; }"),
        0, 1);
    struct knell_fail_event event, later;

    CHECK_EQ_U64(knell_fail_idle(world, 0, probe, 100), 12);
    knell_fail_passed(world, 0, probe, 12);
    event = entered(world);
    check_stop(world, &event, 2);
    event.type = KNELL_FAIL_INSIDE;
    event.operation = 2;
    check_stop(world, &event, 4);
    CHECK_EQ_U64(knell_fail_idle(world, 0, probe, 100), 6);
    later = entered(world); /* another thread of the process, meanwhile */
    check_stop(world, &later, 0);
    check_stop(world, &event, 4);
    event.operation = 4;
    check_stop(world, &event, 0);
}

TEST(flips_and_nothing_else)
{
    CHECK(only_flips("before(f) && FAIL_CHANCE(1, 2) == 1 -> flip(3), stay; before(f) -> flip(1, 9), stay;"));
    CHECK(!only_flips("before(f) -> flip(3);"));
    CHECK(!only_flips("before(f) -> flip($x), stay;"));
    CHECK(!only_flips("before(f) -> flip(0 + $arg1), stay;"));
    CHECK(!only_flips("before(f#2) -> flip(1), stay;"));
    CHECK(!only_flips("before(f) -> n = 1, flip(1), stay;"));
    CHECK(!only_flips("before(f) -> flip(1), stay; before(g) -> stay;"));
}
