/* knell sim ring --fail: the runs of a scenario on simulated nodes, and their log. What is written about them at the end
 * is in sim_ring_fail_report.c. */
#include "cli/sim_ring_fail.h"
#include "cli/output.h"
#include "cli/sim_ring_fail_report.h"
#include "cli/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const struct knell_usage *usage;
    const struct knell_ring_fail *fail;
    struct knell_scenario scenario;
    struct knell_effector_plan plan;
    struct knell_effector_result *results; /* by run */
    char **logs;                           /* by run; NULL: nobody wants them */
    struct knell_timeline timeline;
};

/* ---- the command line ------------------------------------------------------------------------------------------------------- */

static bool is_word(const struct knell_option *options, size_t n, const char *name, const char *word)
{
    const struct knell_option *o = knell_options_find(options, n, name);
    return o->given && strcmp(o->words[*o->to.word], word) == 0;
}

int knell__ring_fail_check(const struct knell_usage *usage, const struct knell_ring_fail *fail,
                           const struct knell_option *options, size_t n)
{
    static const char *const ours[] = {"define", "until", "log"};
    if (!fail->file) {
        for (size_t i = 0; i < KNELL_COUNT(ours); i++)
            if (knell_options_find(options, n, ours[i])->given)
                return knell__cli_fail(usage, "--%s: only with --fail", ours[i]);
        if (!knell_options_find(options, n, "failures")->given)
            return knell__cli_fail(usage, "--failures is missing, or --fail; `%s --help` explains them",
                                   usage->command);
        return KNELL_EXIT_OK;
    }
    if (knell_options_find(options, n, "failures")->given)
        return knell__cli_fail(usage, "--failures: --fail says who fails already; give one or the other");
    if (knell_options_find(options, n, "window")->given)
        return knell__cli_fail(usage, "--window: only with --failures burst");
    if (is_word(options, n, "heartbeats", "elided"))
        return knell__cli_fail(usage, "--heartbeats elided: not with --fail, where a living node may fall silent");
    if (is_word(options, n, "fidelity", "fast"))
        return knell__cli_fail(usage, "--fidelity fast: knows no --fail; use --fidelity full");
    return KNELL_EXIT_OK;
}

/* ---- the runs --------------------------------------------------------------------------------------------------------------- */

struct line_writer {
    const struct command *c;
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
    knell__timeline_log(&((struct command *)w->c)->timeline, event);
}

static void *worker_begin(void *context)
{
    return knell_effector_new(&((struct command *)context)->plan);
}

static void worker_end(void *worker)
{
    knell_effector_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct command *c = context;
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

/* ---- what comes out --------------------------------------------------------------------------------------------------------- */

static void write_logs(const struct command *c, FILE *out)
{
    uint64_t runs = (uint64_t)c->fail->sim.runs;
    for (uint64_t i = 0; i < runs; i++) {
        if (runs > 1)
            fprintf(out, c->fail->sim.json ? "{\"run\":%llu}\n" : "# run %llu\n", (unsigned long long)i);
        fputs(c->logs[i], out);
    }
}

static int write_log_file(const struct command *c, FILE *file)
{
    write_logs(c, file);
    if (fflush(file) != 0 || ferror(file))
        return knell__cli_broken(c->usage, "--log %.200s: cannot be written", c->fail->log);
    return KNELL_EXIT_OK;
}

static int write_all(struct command *c, double wall_s, uint64_t *violations)
{
    struct knell_output out;
    struct knell_ring_fail_report report;
    if (knell__ring_fail_summarise(c->fail, c->results, &report) != 0)
        return knell__cli_broken(c->usage, "no memory for --runs %lld", (long long)c->fail->sim.runs);
    report.wall_s = wall_s;
    *violations = report.suspected_living + report.never_known;
    if (knell_output_begin(&out, c->usage) != KNELL_EXIT_OK)
        return KNELL_EXIT_FAILED;
    if (c->fail->sim.json)
        knell__ring_fail_json(out.f, c->fail, &report);
    else
        knell__ring_fail_text(out.f, c->fail, c->scenario.program, &report);
    if (c->logs && !c->fail->log) {
        fputc('\n', out.f);
        write_logs(c, out.f);
    }
    if (c->fail->timeline) {
        fputc('\n', out.f);
        knell__timeline_draw(&c->timeline, out.f, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
    }
    return knell_output_commit(&out, c->usage);
}

static int simulate(struct command *c, FILE *log_file)
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
    int status = KNELL_EXIT_OK;
    if (knell__sim_run(&c->fail->sim, "ring", &job, NULL, &wall_s) != 0)
        return knell__cli_broken(c->usage, "no memory for --nodes %u", c->fail->config.ranks);
    if (log_file)
        status = write_log_file(c, log_file);
    if (status == KNELL_EXIT_OK)
        status = write_all(c, wall_s, &violations);
    return status == KNELL_EXIT_OK && violations > 0 ? KNELL_EXIT_FAILED : status;
}

static int prepare(struct command *c, FILE **log_file)
{
    const struct knell_ring_fail *f = c->fail;
    int status = knell__scenario_open(c->usage, f->file, &f->defines, &c->scenario);
    if (status == KNELL_EXIT_OK)
        status = knell__scenario_require(&c->scenario, knell_fail_effector_find("simulator"));
    if (status != KNELL_EXIT_OK)
        return status;
    c->plan = (struct knell_effector_plan){f->config, f->network, c->scenario.program, f->until_ns};
    c->results = calloc((size_t)f->sim.runs, sizeof *c->results);
    if (f->log || (f->sim.runs == 1 && !f->sim.json))
        c->logs = calloc((size_t)f->sim.runs, sizeof *c->logs);
    if (!c->results || (f->log && !c->logs))
        return knell__cli_broken(c->usage, "no memory for --runs %lld", (long long)f->sim.runs);
    *log_file = f->log ? fopen(f->log, "we") : NULL;
    if (f->log && !*log_file)
        return knell__cli_fail(c->usage, "--log %.200s: %s", f->log, strerror(errno));
    return KNELL_EXIT_OK;
}

int knell__ring_fail_run(const struct knell_usage *usage, struct knell_ring_fail *fail)
{
    struct command c = {.usage = usage, .fail = fail};
    FILE *log_file = NULL;
    if (fail->until_ns == 0)
        fail->until_ns = 1000 * fail->config.delta;
    fail->config.beats = KNELL_BEATS_SENT;
    int status = prepare(&c, &log_file);
    if (status == KNELL_EXIT_OK)
        status = simulate(&c, log_file);
    if (log_file && fclose(log_file) != 0 && status == KNELL_EXIT_OK)
        status = knell__cli_broken(usage, "--log %.200s: cannot be written", fail->log);
    for (int64_t i = 0; c.logs && i < fail->sim.runs; i++)
        free(c.logs[i]);
    free(c.logs);
    free(c.results);
    knell__timeline_free(&c.timeline);
    knell__scenario_close(&c.scenario);
    return status;
}
