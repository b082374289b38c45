/* run.c: `knell fail run`: steps a scenario by hand, from a script, or on the platform model, and prints what fires. */
#include "cli/fail/fail.h"
#include "cli/scenario/scenario.h"
#include "fail/platform.h"
#include "fail/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell fail run",
    .summary =
        "Runs a fault scenario without a program under test and prints every event, the rule that fires and its "
        "actions: by hand from standard input, from a script, or on a model of a platform that relaunches its job.",
    .notes =
        "Lines of a script:\n"
        "  load|exit|error SLOTS         the process there starts, ends with status 0, ends otherwise\n"
        "  before SLOTS FUNCTION [N...]  it is at the entry of a function, called with these arguments\n"
        "  after SLOTS FUNCTION          it is at the return of a function\n"
        "  inside SLOTS FUNCTION N       it is within the function, before its operation N\n"
        "  set SLOTS $VARIABLE N         it changes a variable\n"
        "  send MESSAGE SLOTS from SLOT  a message comes in\n"
        "  at TIME, wait TIME, next      go on to a time, by a time, to the next timer or message\n"
        "  show [SLOTS]                  node, process, variables, waiting messages, breakpoints\n"
        "SLOTS is P1, G1[3], G1[3..9] or G1[*]; a TIME has a unit; # begins a comment.\n\n"
        "Settings of --platform, with commas between: processes=N, launch=TIME, detect=TIME, stop=TIME, relaunch=TIME, "
        "length=TIME, policy=job|process|nothing, spares=yes|no, call=SYMBOL@TIME[/TIME] (each process calls SYMBOL after "
        "running for TIME, and then every second TIME; by default 300ms/300ms for each function the scenario names).\n",
    .examples = "  knell fail run examples/fail/figure-4-5a.fail\n"
                "  knell fail run examples/fail/figure-7a.fail -D X=3 \\\n"
                "      --platform processes=49 --until 5min\n"
                "  knell fail run examples/fail/figure-10.fail \\\n"
                "      --platform processes=49,call=localMPI_setCommand@300ms\n",
};

enum { DEFAULT_CALL_NS = 300000000 };

struct run {
    struct texts files, defines;
    const char *script, *platform;
    int64_t seed, until_ns, delay_ns;
    bool json, summary;
    struct scenario scenario;
    struct knell_fail_world *world;
    void *world_memory;
};

static void print_line(void *driver, const char *text)
{
    (void)driver;
    puts(text);
}

static int make_world(struct run *r, struct knell_fail_config *config)
{
    size_t size = knell_fail_world_size(r->scenario.program, config);

    r->world_memory = size > 0 ? malloc(size) : NULL;
    if (!r->world_memory || knell_fail_world_init(r->world_memory, r->scenario.program, config, 0, &r->world) != 0)
        return cli_failure(&usage, "no memory for the automata");
    return EXIT_OK;
}

/* ---- by hand and from a script ----------------------------------------------------------------------------------- */

/* A wrong line is reported. A script ends there; a user who types lines goes on. */
static int run_lines(struct knell_fail_script *s, FILE *in, const char *name)
{
    bool person = isatty(fileno(in));
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    int status = EXIT_OK;

    if (person)
        fputs("> ", stderr);
    while (status == EXIT_OK && getline(&line, &room, in) >= 0) {
        number++;
        if (knell_fail_script_line(s, line) != 0) {
            fprintf(stderr, "%s:%u: %s\n", name, number, s->why);
            status = person ? EXIT_OK : EXIT_USAGE;
        }
        fflush(stdout);
        if (person)
            fputs("> ", stderr);
    }
    if (status == EXIT_OK && !feof(in)) /* a directory, or a read error, and not the end of the script */
        status = cli_usage_error(&usage, "%s%.200s: %s", in == stdin ? "" : "--script ", name, strerror(errno));
    free(line);
    return status;
}

static int run_script(struct run *r)
{
    struct knell_fail_script script;
    struct knell_fail_config config = {.seed = (uint64_t)r->seed, .message_delay = r->delay_ns};
    int64_t *values = calloc(1, knell_fail_script_size(r->scenario.program));
    FILE *in = r->script ? fopen(r->script, "re") : stdin; /* last, for its errno */
    int status = EXIT_USAGE;

    if (!in)
        cli_usage_error(&usage, "--script %.200s: %s", r->script, strerror(errno));
    else if (!values)
        status = cli_failure(&usage, "no memory for the script");
    if (in && values) {
        knell_fail_script_init(&script, r->scenario.program, values);
        script.sink.line = print_line;
        script.json = r->json;
        config.driver = &script;
        config.read = knell_fail_script_read;
        status = make_world(r, &config);
        script.world = r->world;
        if (status == EXIT_OK) {
            knell_fail_script_settle(&script);
            status = run_lines(&script, in, r->script ? r->script : "standard input");
        }
    }
    if (in && in != stdin)
        fclose(in);
    free(values);
    return status;
}

/* ---- the platform model ------------------------------------------------------------------------------------------ */

static int bad_setting(const char *key, const char *value, const char *why)
{
    return cli_usage_error(&usage, "--platform %s=%.80s: %s", key, value, why);
}

/* "SYMBOL@TIME" or "SYMBOL@TIME/TIME"; the symbol stays where it is, in the option's copy. */
static int set_call(struct knell_platform_config *c, char *value)
{
    char *at = strchr(value, '@'), *every = at ? strchr(at, '/') : NULL;
    struct knell_platform_call *call = &c->calls[c->call_count];
    const char *why = NULL;

    if (c->call_count == KNELL_PLATFORM_CALLS_MAX)
        return bad_setting("call", value, "too many");
    if (!at)
        return bad_setting("call", value, "must be SYMBOL@TIME or SYMBOL@TIME/TIME");
    *at++ = '\0';
    if (every)
        *every++ = '\0';
    why = knell_fail_parse_time(at, &call->after);
    if (!why && every)
        why = knell_fail_parse_time(every, &call->every);
    if (!why && every && call->every == 0) /* which the platform would take for "once" */
        why = "the second time, the period, must be more than 0; leave it out for one call";
    if (why)
        return bad_setting("call", value, why);
    call->symbol = value;
    c->call_count++;
    return -1;
}

static int set_policy(struct knell_platform_config *c, const char *value)
{
    static const char *const names[] = {"job", "process", "nothing"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], value) == 0) {
            c->policy = (enum knell_platform_relaunch)i;
            return -1;
        }
    }
    return bad_setting("policy", value, "must be job, process or nothing");
}

/* A job has at most as many processes as its group has slots. */
static int set_processes(const struct knell_fail_program *program, struct knell_platform_config *c, const char *value)
{
    struct knell_fail_place group = knell_fail_place_at(program, c->place);
    char wrong[KNELL_FAIL_NAME_MAX + 80];
    int64_t number;

    if (parse_integer(value, &number) || number < 1 || number > group.size) {
        snprintf(wrong, sizeof wrong, "must be a whole number from 1 to %u, the size of group %s", group.size,
                 group.name);
        return bad_setting("processes", value, wrong);
    }
    c->processes = (uint32_t)number;
    return -1;
}

static int set_platform(const struct knell_fail_program *program, struct knell_platform_config *c, const char *key,
                        char *value)
{
    const struct {
        const char *name;
        knell_time *time;
    } times[] = {{"launch", &c->launch},
                 {"detect", &c->detect},
                 {"stop", &c->stop},
                 {"relaunch", &c->relaunch},
                 {"length", &c->length}};

    for (size_t i = 0; i < COUNT_OF(times); i++) {
        if (strcmp(times[i].name, key) == 0) {
            const char *why = knell_fail_parse_time(value, times[i].time);

            return why ? bad_setting(key, value, why) : -1;
        }
    }
    if (strcmp(key, "processes") == 0)
        return set_processes(program, c, value);
    if (strcmp(key, "policy") == 0)
        return set_policy(c, value);
    if (strcmp(key, "spares") == 0) {
        c->spares = strcmp(value, "yes") == 0;
        return c->spares || strcmp(value, "no") == 0 ? -1 : bad_setting(key, value, "must be yes or no");
    }
    if (strcmp(key, "call") == 0)
        return set_call(c, value);
    return bad_setting(key, value, "no such setting; --help lists them");
}

/* Parses key=value,key=value in a copy that the config points into. Only "call" may occur several times. */
static int parse_platform(const struct knell_fail_program *program, struct knell_platform_config *c, char *text)
{
    struct texts keys = {0};

    for (char *next, *item = text; item && *item; item = next) {
        char *equals;

        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        equals = strchr(item, '=');
        if (!equals)
            return cli_usage_error(&usage, "--platform %.80s: must be key=value", item);
        *equals = '\0';
        for (size_t i = 0; i < keys.n; i++) {
            if (strcmp(keys.items[i], item) == 0)
                return bad_setting(item, equals + 1, "given twice");
        }
        if (set_platform(program, c, item, equals + 1) >= 0)
            return EXIT_USAGE;
        if (strcmp(item, "call") != 0)
            keys.items[keys.n++] = item; /* each key occurs once, so there is room */
    }
    return -1;
}

static bool print_record(void *driver, const struct knell_fail_record *record)
{
    const struct run *r = driver;
    char line[4096];

    if (r->summary)
        return true;
    if (r->json)
        knell_fail_record_json(r->scenario.program, record, line, sizeof line);
    else
        knell_fail_record_text(r->scenario.program, record, line, sizeof line);
    puts(line);
    return true;
}

static void print_summary(const struct run *r, const struct knell_platform *p)
{
    struct knell_platform_counters c = knell_platform_counters_of(p);
    struct knell_fail_counters f = knell_fail_counters_of(r->world);
    const char *format = r->json ? "{\"faults\":%" PRIu64 ",\"launches\":%" PRIu64 ",\"exits\":%" PRIu64
                                   ",\"alive\":%u,\"held\":%u,\"rules\":%" PRIu64 ",\"errors\":%" PRIu64
                                   ",\"dropped\":%" PRIu64 ",\"rests\":%" PRIu64 "}\n"
                                 : "faults %" PRIu64 ", launches %" PRIu64 ", exits %" PRIu64
                                   ", alive %u, held %u, rules %" PRIu64 ", errors %" PRIu64 ", dropped %" PRIu64
                                   ", rests %" PRIu64 "\n";

    printf(format, c.faults, c.launches, c.exits, knell_platform_alive(p), knell_platform_held(p), f.fired, f.faults,
           f.dropped, f.rests);
}

static int run_model(struct run *r, const struct knell_platform_config *config)
{
    struct knell_platform_watcher watcher = {r, print_record};
    void *memory = malloc(knell_platform_size(r->scenario.program));
    struct knell_platform *p;

    if (!memory)
        return cli_failure(&usage, "no memory for the platform");
    p = knell_platform_init(memory, r->scenario.program, r->world, config, 0);
    knell_platform_run(p, r->world, r->until_ns, &watcher);
    print_summary(r, p);
    free(memory);
    return EXIT_OK;
}

/* Functions that the scenario waits for and that no call= names are called too; otherwise the scenario would wait
 * for ever. */
static void call_the_rest(const struct knell_fail_program *program, struct knell_platform_config *c)
{
    for (uint32_t f = 0; f < knell_fail_function_count(program); f++) {
        const char *symbol = knell_fail_function_at(program, f).symbol;
        bool named = false;
        for (uint32_t i = 0; i < c->call_count; i++)
            named |= knell_fail_function_means(program, f, c->calls[i].symbol);
        if (!named && c->call_count < KNELL_PLATFORM_CALLS_MAX)
            c->calls[c->call_count++] = (struct knell_platform_call){symbol, DEFAULT_CALL_NS, DEFAULT_CALL_NS};
    }
}

static int run_platform(struct run *r)
{
    struct knell_fail_config config = {.seed = (uint64_t)r->seed, .message_delay = r->delay_ns};
    struct knell_platform_config platform;
    char *copy = strdup(r->platform);
    const char *why;
    int status;

    if (!copy)
        return cli_failure(&usage, "no memory for the platform");
    status = scenario_require(&r->scenario, knell_fail_effector_find("platform"));
    if (status == EXIT_OK && !knell_platform_defaults(r->scenario.program, &platform))
        status = cli_usage_error(&usage, "--platform: the scenario has no group with a program");
    if (status == EXIT_OK && parse_platform(r->scenario.program, &platform, copy) >= 0)
        status = EXIT_USAGE;
    if (status == EXIT_OK)
        call_the_rest(r->scenario.program, &platform);
    if (status == EXIT_OK && knell_platform_check(r->scenario.program, &platform, &why) != 0)
        status = cli_usage_error(&usage, "--platform: %s", why);
    if (status == EXIT_OK)
        status = make_world(r, &config);
    if (status == EXIT_OK)
        status = run_model(r, &platform);
    free(copy);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int parse(int argc, char **argv, struct run *r)
{
    static const char *const platform_only[] = {"until", "summary"};
    struct option options[] = {
        OPT_OPERANDS("FILE", &r->files, 1, 1, "the scenario"),
        SCENARIO_OPTION_DEFINE(&r->defines),
        OPT_TEXT("script", "FILE", &r->script, "reads the events from here", .fallback_help = "standard input"),
        OPT_TEXT("platform", "SETTINGS", &r->platform, "runs on the platform model instead"),
        OPT_DURATION("until", "T", &r->until_ns, 0, DURATION_MAX_NS, "how long the platform runs", .fallback = "10min"),
        OPT_DURATION("delay", "T", &r->delay_ns, 0, INT64_C(3600000000000), "how long a message takes",
                     .fallback_help = "0 by hand, 100us on the platform"),
        OPT_INTEGER("seed", "N", &r->seed, 0, INT64_MAX, "seed of the random draws", .fallback = "1"),
        OPT_FLAG("json", &r->json, "one JSON object per line"),
        OPT_FLAG("summary", &r->summary, "only the last line of a run on the platform"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);

    if (status >= 0)
        return status;
    for (size_t i = 0; i < COUNT_OF(platform_only) && !r->platform; i++) {
        if (options_find(options, COUNT_OF(options), platform_only[i])->given)
            return cli_usage_error(&usage, "--%s: only with --platform", platform_only[i]);
    }
    if (r->platform && r->script)
        return cli_usage_error(&usage, "--script and --platform exclude each other");
    if (r->platform && !options_find(options, COUNT_OF(options), "delay")->given)
        r->delay_ns = 100000;
    return -1;
}

int fail_run_command(int argc, char **argv)
{
    struct run r = {0};
    char **arguments = scenario_long_options(&usage, argc, argv);
    int status;

    if (!arguments)
        return EXIT_FAILED;
    status = parse(argc, arguments, &r);
    if (status < 0) {
        status = scenario_open(&usage, r.files.items[0], &r.defines, &r.scenario);
        if (status == EXIT_OK)
            status = r.platform ? run_platform(&r) : run_script(&r);
        scenario_close(&r.scenario);
    }
    if (status == EXIT_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = cli_failure(&usage, "cannot write the output: %s", strerror(errno));
    free(r.world_memory);
    free(arguments);
    return status;
}
