/* The option table against good and bad command lines. A complaint goes to standard error, so bad lines are run with
 * it caught in a file. */
#include "cli/common/options.h"
#include "test.h"
#include "util/edit_distance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {.command = "knell test", .summary = "Tests.", .examples = "  knell test\n"};
static const char *const overlays[] = {"hba", "circulant", NULL};

struct values {
    int64_t nodes, eta_ns;
    double share, mtbf_s;
    int overlay;
    bool json;
    const char *file;
    struct texts set, operands;
};

/* Splits line at blanks and parses it; fills v. */
static int parse(const char *line, struct values *v)
{
    static char copy[512];
    char *argv[32] = {"test"};
    int argc = 1;
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &v->nodes, 2, 1000, "nodes", .required = true),
        OPT_DURATION("eta", "T", &v->eta_ns, 1, 1000000000, "period", .fallback = "100ms"),
        OPT_REAL("share", "X", &v->share, 0, 1, "share"),
        OPT_SECONDS("mtbf", "T", &v->mtbf_s, 1, 1e12, "mtbf"),
        OPT_WORD("overlay", &v->overlay, overlays, "overlay", .fallback = "circulant"),
        OPT_FLAG("json", &v->json, "json"),
        OPT_TEXT("file", "FILE", &v->file, "file"),
        OPT_TEXTS("set", "K=V", &v->set, "set"),
        OPT_OPERANDS("FILE", &v->operands, 0, 2, "operands"),
    };

    memset(v, 0, sizeof *v);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_parse(&usage, options, COUNT_OF(options), argc, argv);
}

/* Standard error of parse(line), as text. */
static const char *complaint(const char *line, int *status)
{
    static char text[2048];
    struct values v;
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    size_t n;

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    *status = parse(line, &v);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

TEST(values_in_both_forms)
{
    struct values v;

    CHECK_EQ_I64(parse("--nodes 5 --eta=10ms --share=.25 --mtbf 20y --overlay hba --json --file=x=y", &v), -1);
    CHECK_EQ_I64(v.nodes, 5);
    CHECK_EQ_I64(v.eta_ns, 10000000);
    CHECK_NEAR(v.share, 0.25, 0);
    CHECK_NEAR(v.mtbf_s, 630720000, 0);
    CHECK_EQ_I64(v.overlay, 0);
    CHECK(v.json);
    CHECK_STR(v.file, "x=y");
}

TEST(defaults)
{
    struct values v;

    CHECK_EQ_I64(parse("--nodes 2", &v), -1);
    CHECK_EQ_I64(v.eta_ns, 100000000);
    CHECK_EQ_I64(v.overlay, 1);
    CHECK(!v.json && !v.file && v.set.n == 0 && v.operands.n == 0);
}

TEST(collected_values_keep_their_order)
{
    struct values v;

    CHECK_EQ_I64(parse("one --set a=1 --nodes 2 --set=b=2 two", &v), -1);
    REQUIRE(v.set.n == 2 && v.operands.n == 2);
    CHECK_STR(v.set.items[0], "a=1");
    CHECK_STR(v.set.items[1], "b=2");
    CHECK_STR(v.operands.items[0], "one");
    CHECK_STR(v.operands.items[1], "two");
}

/* A command that takes a program: all words from the first without dashes on are the program's. */
static int parse_program(const char *line, int64_t *ranks, struct texts *set, char ***program)
{
    static char copy[512];
    static char *argv[32];
    int argc = 0;
    struct option options[] = {
        OPT_INTEGER("ranks", "N", ranks, 1, 1000, "ranks", .required = true, .brief = {"n", "np"}, .alias = "nodes"),
        OPT_TEXTS("set", "K=V", set, "set", .brief = {"D"}),
        OPT_PROGRAM("PROGRAM", program, "program"),
    };

    *ranks = 0;
    *program = NULL;
    set->n = 0;
    memset(argv, 0, sizeof argv);
    argv[argc++] = "test";
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_parse(&usage, options, COUNT_OF(options), argc, argv);
}

TEST(options_end_at_the_program)
{
    static const char *const lines[] = {"-n 4 ./app -n 7 --set x -D y", "-np 4 -- ./app -n 7 --set x -D y",
                                        "--nodes 4 ./app -n 7 --set x -D y", "-n4 -- ./app -n 7 --set x -D y"};
    char **program;
    int64_t ranks;
    struct texts set;

    for (unsigned i = 0; i < COUNT_OF(lines); i++) {
        test_context("%s", lines[i]);
        CHECK_EQ_I64(parse_program(lines[i], &ranks, &set, &program), -1);
        CHECK_EQ_I64(ranks, 4);
        CHECK_EQ_U64(set.n, 0);
        REQUIRE(program != NULL);
        CHECK_STR(program[0], "./app");
        CHECK_STR(program[1], "-n");
        CHECK_STR(program[6], "y");
    }
    CHECK_EQ_I64(parse_program("-n 2 -D a=1 -Db=2 app", &ranks, &set, &program), -1);
    REQUIRE(set.n == 2);
    CHECK_STR(set.items[1], "b=2");
    CHECK_EQ_I64(parse_program("-n 2", &ranks, &set, &program), -1);
    CHECK(program == NULL);
    CHECK_EQ_I64(parse_program("-n 2 -x app", &ranks, &set, &program), EXIT_USAGE);
    CHECK_EQ_I64(parse_program("app -n 2", &ranks, &set, &program), EXIT_USAGE);
}

TEST(bad_lines_get_one_line)
{
    static const struct {
        const char *line, *expected;
    } table[] = {
        {"", "--nodes is missing; `knell test --help` explains it"},
        {"--nodes", "--nodes: needs a value"},
        {"--nodes 1", "--nodes 1: must be a whole number from 2 to 1000"},
        {"--nodes 1001", "--nodes 1001: must be a whole number from 2 to 1000"},
        {"--nodes=-5", "--nodes -5: must be a whole number from 2 to 1000"},
        {"--nodes 1e2", "--nodes 1e2: must be a whole number from 2 to 1000"},
        {"--nodes 99999999999999999999", "--nodes 99999999999999999999: must be a whole number from 2 to 1000"},
        {"--nodes=", "--nodes '': must be a whole number from 2 to 1000"},
        {"--nodes 2 --nodes 3", "--nodes: given twice"},
        {"--nodes 2 --eta 5", "--eta 5: needs a unit: ns us ms s min h d y, as in 10ms"},
        {"--nodes 2 --eta 5parsec", "--eta 5parsec: needs a unit: ns us ms s min h d y, as in 10ms"},
        {"--nodes 2 --eta 0s", "--eta 0s: must be from 1 ns to 1 s"},
        {"--nodes 2 --eta 1h", "--eta 1h: must be from 1 ns to 1 s"},
        {"--nodes 2 --eta -1s", "--eta -1s: must not be negative"},
        {"--nodes 2 --eta 300y", "--eta 300y: must be at most 200y"},
        {"--nodes 2 --share 2", "--share 2: must be a number from 0 to 1"},
        {"--nodes 2 --share nan", "--share nan: must be a number from 0 to 1"},
        {"--nodes 2 --mtbf inf", "--mtbf inf: must be a number with a unit: ns us ms s min h d y, as in 10ms"},
        {"--nodes 2 --mtbf 1ms", "--mtbf 1ms: must be from 1 s to 31709.7919838 y"},
        {"--nodes 2 --overlay star", "--overlay star: must be one of hba circulant"},
        {"--nodes 2 --json=yes", "--json yes: takes no value"},
        {"--nodes 2 --file=", "--file '': must not be empty"},
        {"--nodse 2", "unknown option --nodse, did you mean --nodes?"},
        {"--zebra 2", "unknown option --zebra; `knell test --help` lists them"},
        {"-nodes 2", "unknown option -nodes, did you mean --nodes?"},
        {"-z 2", "unknown option -z; `knell test --help` lists them"},
        {"--nodes 2 a b c", "c: unexpected; options start with --"},
        {"--nodes 2\n3", "--nodes 2?3: must be a whole number from 2 to 1000"},
    };

    for (unsigned i = 0; i < COUNT_OF(table); i++) {
        char expected[256];
        int status;

        test_context("%s", table[i].line);
        snprintf(expected, sizeof expected, "knell test: %s\n", table[i].expected);
        CHECK_STR(complaint(table[i].line, &status), expected);
        CHECK_EQ_I64(status, EXIT_USAGE);
    }
}

TEST(an_endless_value_is_cut_but_what_is_allowed_is_said)
{
    char line[400] = "--nodes ";
    int status;

    memset(line + 8, 'x', 300);
    CHECK(strstr(complaint(line, &status), "must be a whole number from 2 to 1000\n") != NULL);
}

static uint32_t distance(const char *a, const char *b, bool any_case)
{
    return knell_edit_distance(a, strlen(a), b, strlen(b), any_case);
}

TEST(edit_distance)
{
    CHECK_EQ_U64(distance("plan", "plan", false), 0);
    CHECK_EQ_U64(distance("paln", "plan", false), 1);
    CHECK_EQ_U64(distance("", "plan", false), 4);
    CHECK_EQ_U64(distance("plan", "", false), 4);
    CHECK_EQ_U64(distance("kitten", "sitting", false), 3);
    CHECK_EQ_U64(distance("ca", "abc", false), 3); /* a swapped pair is not touched again */
    CHECK_EQ_U64(distance("DAEMON", "daemon", false), 6);
    CHECK_EQ_U64(distance("ADemon", "daemon", true), 1);
    CHECK_EQ_U64(distance("a word that is much longer than any command or any name in a scenario", "plan", false),
                 UINT32_MAX);
}
