/* ring_fail.c: `knell sim ring --fail`: the runs of a scenario on simulated nodes, and their log. ring_fail_report.c
 * writes the results. */
#include "cli/sim/ring_fail.h"
#include "cli/sim/ring_fail_report.h"
#include "cli/sim/timeline.h"
#include "cli/common/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ring_fail_command {
    const struct usage *usage;
    const struct ring_fail *fail;
    struct scenario scenario;
    struct knell_effector_plan plan;
    struct knell_effector_result *results; /* by run */
    char **logs;                           /* by run; NULL: no log is wanted */
    struct timeline timeline;
};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool is_word(const struct option *options, size_t n, const char *name, const char *word)
{
    const struct option *o = options_find(options, n, name);
    return o->given && strcmp(o->words[*o->to.word], word) == 0;
}

int ring_fail_check(const struct usage *usage, const struct ring_fail *fail, const struct option *options, size_t n)
{
    static const char *const ours[] = {"define", "until", "log"};
    if (!fail->file) {
        for (size_t i = 0; i < COUNT_OF(ours); i++)
            if (options_find(options, n, ours[i])->given)
                return cli_usage_error(usage, "--%s: only with --fail", ours[i]);
        if (!options_find(options, n, "failures")->given)
            return cli_usage_error(usage, "--failures is missing, or --fail; `%s --help` explains them",
                                   usage->command);
        return EXIT_OK;
    }
    if (options_find(options, n, "failures")->given)
        return cli_usage_error(usage, "--failures: --fail already says which nodes fail; give one or the other");
    if (options_find(options, n, "window")->given)
        return cli_usage_error(usage, "--window: only with --failures burst");
    if (is_word(options, n, "heartbeats", "elided"))
        return cli_usage_error(usage, "--heartbeats elided: not with --fail, where a living node may fall silent");
    if (is_word(options, n, "fidelity", "fast"))
        return cli_usage_error(usage, "--fidelity fast: knows no --fail; use --fidelity full");
    return EXIT_OK;
}

/* ---- the runs ---------------------------------------------------------------------------------------------------- */

struct line_writer {
    const struct ring_fail_command *c;
    FILE *out; /* NULL: no log */
};

static void write_record(void *context, const struct knell_fail_record *record)
{
    const struct line_writer *w = context;
    char line[4096];
    if (w->c->fail->sim.json)
        knell_fail_record_json(w->c->scenario.program, record, line, sizeof line);
    else
        knell_fail_record_text(w->c->scenario.program, record, line, sizeof line);
    fprintf(w->out, "%s\n", line);
}

static void draw_event(void *context, const struct knell_ring_event *event)
{
    const struct line_writer *w = context;
    timeline_log(&((struct ring_fail_command *)w->c)->timeline, event);
}

static void *worker_begin(void *context)
{
    return knell_effector_new(&((struct ring_fail_command *)context)->plan);
}

static void worker_end(void *worker)
{
    knell_effector_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct ring_fail_command *c = context;
    struct knell_effector_result *result = &c->results[number];
    struct line_writer writer = {.c = c};
    struct knell_effector_log log = {.context = &writer, .event = c->fail->timeline ? draw_event : NULL};
    size_t size;
    if (c->logs) {
        writer.out = open_memstream(&c->logs[number], &size);
        if (!writer.out)
            return KNELL_POOL_NO_MEMORY;
        log.record = write_record;
    }
    knell_effector_run(worker, knell_prng_key((uint64_t)c->fail->sim.seed, number), &log, result);
    if (writer.out && fclose(writer.out) != 0)
        result->no_memory = true;
    return result->no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static void write_logs(const struct ring_fail_command *c, FILE *out)
{
    uint64_t runs = (uint64_t)c->fail->sim.runs;
    for (uint64_t i = 0; i < runs; i++) {
        if (runs > 1)
            fprintf(out, c->fail->sim.json ? "{\"run\":%llu}\n" : "# run %llu\n", (unsigned long long)i);
        fputs(c->logs[i], out);
    }
}

static int write_log_file(const struct ring_fail_command *c, FILE *file)
{
    write_logs(c, file);
    if (fflush(file) != 0 || ferror(file))
        return cli_failure(c->usage, "--log %.200s: cannot be written", c->fail->log);
    return EXIT_OK;
}

static int write_all(struct ring_fail_command *c, double wall_s, uint64_t *violations)
{
    struct output out;
    struct ring_fail_report report;
    if (ring_fail_summarise(c->fail, c->results, &report) != 0)
        return cli_failure(c->usage, "no memory for --runs %lld", (long long)c->fail->sim.runs);
    report.wall_s = wall_s;
    *violations = report.suspected_living + report.never_known;
    if (output_begin(&out, c->usage) != EXIT_OK)
        return EXIT_FAILED;
    if (c->fail->sim.json)
        ring_fail_json(out.f, c->fail, &report);
    else
        ring_fail_text(out.f, c->fail, c->scenario.program, &report);
    if (c->logs && !c->fail->log) {
        fputc('\n', out.f);
        write_logs(c, out.f);
    }
    if (c->fail->timeline) {
        fputc('\n', out.f);
        timeline_draw(&c->timeline, out.f, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
    }
    return output_commit(&out, c->usage);
}

static int simulate(struct ring_fail_command *c, FILE *log_file)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)c->fail->sim.runs,
        .context = c,
        .run = run,
        .worker_begin = worker_begin,
        .worker_end = worker_end,
    };
    uint64_t violations = 0;
    double wall_s;
    int status = EXIT_OK;
    if (sim_run(&c->fail->sim, "ring", &job, NULL, &wall_s) != 0)
        return cli_failure(c->usage, "no memory for --nodes %u", c->fail->config.ranks);
    if (log_file)
        status = write_log_file(c, log_file);
    if (status == EXIT_OK)
        status = write_all(c, wall_s, &violations);
    return status == EXIT_OK && violations > 0 ? EXIT_FAILED : status;
}

static int prepare(struct ring_fail_command *c, FILE **log_file)
{
    const struct ring_fail *f = c->fail;
    int status = scenario_open(c->usage, f->file, &f->defines, &c->scenario);
    if (status == EXIT_OK)
        status = scenario_require(&c->scenario, knell_fail_effector_find("simulator"));
    if (status != EXIT_OK)
        return status;
    c->plan = (struct knell_effector_plan){f->config, f->network, c->scenario.program, f->until_ns};
    c->results = calloc((size_t)f->sim.runs, sizeof *c->results);
    if (f->log || (f->sim.runs == 1 && !f->sim.json))
        c->logs = calloc((size_t)f->sim.runs, sizeof *c->logs);
    if (!c->results || (f->log && !c->logs))
        return cli_failure(c->usage, "no memory for --runs %lld", (long long)f->sim.runs);
    *log_file = f->log ? fopen(f->log, "we") : NULL;
    if (f->log && !*log_file)
        return cli_usage_error(c->usage, "--log %.200s: %s", f->log, strerror(errno));
    return EXIT_OK;
}

int ring_fail_run(const struct usage *usage, struct ring_fail *fail)
{
    struct ring_fail_command c = {.usage = usage, .fail = fail};
    FILE *log_file = NULL;
    if (fail->until_ns == 0)
        fail->until_ns = 1000 * fail->config.delta;
    fail->config.beats = KNELL_BEATS_SENT;
    int status = prepare(&c, &log_file);
    if (status == EXIT_OK)
        status = simulate(&c, log_file);
    if (log_file && fclose(log_file) != 0 && status == EXIT_OK)
        status = cli_failure(usage, "--log %.200s: cannot be written", fail->log);
    for (int64_t i = 0; c.logs && i < fail->sim.runs; i++)
        free(c.logs[i]);
    free(c.logs);
    free(c.results);
    timeline_free(&c.timeline);
    scenario_close(&c.scenario);
    return status;
}
