/* search.c: the course of an exploration: runs without faults, then one `knell run` for every planned death. Second deaths are planned
 * when a first one has shown how the program recovers, and come before further first ones. */
#include "cli/explore/explore.h"
#include "cli/common/folder.h"
#include "cli/common/ending.h"
#include "cli/common/progress.h"
#include "os/clock.h"
#include "record/json.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
/* Runs without faults have no other measure. */
#define BASELINE_LIMIT (60 * SECOND)
#define BASELINE_STUCK (10 * SECOND)
#define LEAST_LIMIT (5 * SECOND)
#define LEAST_STUCK (2 * SECOND)
enum { TIMES_LONGEST = 5, JOBS_MOST = 64 };

static int block_signals(void)
{
    sigset_t set;
    ending_signals(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* ---- runs without faults ---------------------------------------------------------------------------------------------------------- */

static void baseline_path(const struct explore *e, int number, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/baseline-%d", e->store.path, number + 1);
}

/* What `knell run` complained of, as our own complaint; nothing has run yet. */
static int refused(const struct explore *e, const char *said, int status)
{
    char text[512];
    explore_said(said, text, sizeof text);
    cli_usage_error(e->plan->usage, "%s", text[0] ? text : "knell run could not be started");
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? EXIT_USAGE : EXPLORE_NOTHING_SAID;
}

static int judge_baseline(const struct explore *e, const struct explore_result *result)
{
    if (result->class == RECORD_FINISHED)
        return EXIT_OK;
    bool late = strncmp(result->why, "still running", 13) == 0;
    cli_failure(e->plan->usage, "without any fault the run is not right: %s: %s%s%s%s",
                record_class_name(result->class), result->why, late ? " (--timeout sets the limit)" : "",
                result->survivors_text[0] ? ": " : "", result->survivors_text);
    return EXPLORE_NOTHING_SAID;
}

/* Also after an end in the middle of it. */
static bool has_record(const char *path)
{
    char file[PATH_MAX + 48];
    snprintf(file, sizeof file, "%s/run.json", path);
    return access(file, R_OK) == 0;
}

static int run_baseline(struct explore *e, const char *path)
{
    char said[PATH_MAX + 16];
    struct explore_words words;
    struct explore_limits limits = {e->plan->timeout ? e->plan->timeout : BASELINE_LIMIT, BASELINE_STUCK};
    int status = -1;
    folder_remove(path);
    snprintf(said, sizeof said, "%s/said", e->store.path);
    if (explore_command_words(e->plan, e->plan->ranks, &limits, "", path, "--stacks", &words))
        status = explore_child_run(&words, said, e->signals, &e->stopped_by);
    explore_words_free(&words);
    if (e->stopped_by)
        return EXPLORE_INTERRUPTED;
    return has_record(path) ? EXIT_OK : refused(e, said, status);
}

static void learn_mpi(struct explore *e, const char *path)
{
    char file[PATH_MAX + 48], error[256];
    snprintf(file, sizeof file, "%s/run.json", path);
    struct record_json *json = record_json_read_file(file, error);
    snprintf(e->mpi, sizeof e->mpi, "%s", record_json_text(record_json_get(record_json_root(json), "mpi"), "?"));
    snprintf(e->mode, sizeof e->mode, "%s", record_json_text(record_json_get(record_json_root(json), "mode"), "?"));
    record_json_free(json);
}

static int take_baseline(struct explore *e, int number, double *wall_s)
{
    char path[PATH_MAX + 32];
    struct explore_run run = {0};
    struct explore_result result;
    baseline_path(e, number, path);
    int status = e->plan->resume && has_record(path) ? EXIT_OK : run_baseline(e, path);
    if (status != EXIT_OK)
        return status;
    explore_result_read(path, e->plan, NULL, NULL, e->symbols, &result, &run);
    *wall_s = result.wall_s;
    status = judge_baseline(e, &result);
    if (number == 0) {
        e->baseline = run;
        e->normal = result;
        learn_mpi(e, path);
        return status;
    }
    e->same = e->same && explore_run_same(&e->baseline, &run);
    explore_run_free(&run);
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* While survivors wait for the news of a death nobody is frozen. */
static int64_t detection_time(const struct explore_plan *plan)
{
    const char *const given[] = {plan->ghost_delay, plan->delta, plan->eta, plan->grace};
    int64_t sum = 0, time;
    for (size_t i = 0; i < COUNT_OF(given); i++)
        if (given[i] && parse_duration(given[i], &time) == NULL)
            sum += time;
    return 2 * sum;
}

static int take_baselines(struct explore *e)
{
    double wall_s[EXPLORE_BASELINES];
    int status = EXIT_OK;
    e->same = true;
    for (int i = 0; status == EXIT_OK && i < EXPLORE_BASELINES; i++)
        status = take_baseline(e, i, &wall_s[i]);
    if (status != EXIT_OK)
        return status;
    qsort(wall_s, EXPLORE_BASELINES, sizeof *wall_s, by_size);
    e->median_s = wall_s[EXPLORE_BASELINES / 2];
    e->longest_s = wall_s[EXPLORE_BASELINES - 1];
    int64_t longest = (int64_t)(e->longest_s * 1e9), limit = TIMES_LONGEST * longest;
    limit = limit > LEAST_LIMIT ? (limit + SECOND - 1) / SECOND * SECOND : LEAST_LIMIT;
    e->limits.timeout = e->plan->timeout ? e->plan->timeout : limit;
    e->limits.stuck = (longest > LEAST_STUCK ? longest : LEAST_STUCK) + detection_time(e->plan);
    if (!e->plan->timeout && e->limits.timeout < 2 * e->limits.stuck)
        e->limits.timeout = (2 * e->limits.stuck + SECOND - 1) / SECOND * SECOND;
    if (e->limits.stuck > e->limits.timeout / 2)
        e->limits.stuck = e->limits.timeout / 2;
    return EXIT_OK;
}

/* ---- the queue ----------------------------------------------------------------------------------------------------------------------- */

struct slot {
    pid_t pid; /* 0: free */
    struct explore_item item;
    unsigned number;
};

struct search {
    struct explore *e;
    struct explore_points pairs;
    size_t next_single, next_pair;
    struct explore_recoveries seen;
    struct slot slot[JOBS_MOST];
    int running;
    unsigned number; /* of the last run that was started */
    size_t failures;
    int64_t until; /* of the budget */
    int status;    /* not EXIT_OK: it cannot go on */
    struct progress progress;
};

static const struct explore_fault *fault_of(const struct explore *e, const char *key)
{
    size_t length = strcspn(key, " ");
    for (size_t i = 0; i < e->points.items; i++)
        if (strncmp(e->points.item[i].key, key, length) == 0 && e->points.item[i].key[length] == '\0')
            return &e->points.item[i].fault[0];
    return NULL;
}

static bool is_planned(const struct explore_points *pairs, const char *key)
{
    for (size_t i = 0; i < pairs->items; i++)
        if (strcmp(pairs->item[i].key, key) == 0)
            return true;
    return false;
}

static void plan_pairs(struct search *s, const struct explore_result *result)
{
    for (size_t i = 0; i < result->pairs; i++) {
        struct explore_item pair = result->pair[i];
        const struct explore_fault *first = fault_of(s->e, pair.key);
        if (first)
            pair.fault[0] = *first;
        if (is_planned(&s->pairs, pair.key))
            continue;
        s->e->pairs += explore_points_add(&s->pairs, &pair);
    }
    s->e->left_recoveries += result->recovery && result->pairs == 0;
    s->progress.total = s->e->points.items + s->e->pairs;
}

/* What an earlier part of the exploration had planned. */
static void plan_known_pairs(struct search *s)
{
    for (size_t i = 0; i < s->e->store.count; i++) {
        const struct explore_result *result = &s->e->store.result[i];
        if (result->recovery)
            explore_recovery_is_new(&s->seen, result->recovery);
        plan_pairs(s, result);
        s->failures += explore_is_failure(result->class);
        unsigned number = 0;
        if (sscanf(result->directory, "run-%u", &number) == 1 && number > s->number)
            s->number = number;
    }
    s->number = s->number > s->e->store.count ? s->number : (unsigned)s->e->store.count;
}

static const struct explore_item *next_item(struct search *s)
{
    while (s->next_pair < s->pairs.items) {
        const struct explore_item *item = &s->pairs.item[s->next_pair++];
        if (!explore_store_find(&s->e->store, item->key))
            return item;
    }
    while (s->next_single < s->e->points.items) {
        const struct explore_item *item = &s->e->points.item[s->next_single++];
        if (!explore_store_find(&s->e->store, item->key))
            return item;
    }
    return NULL;
}

/* ---- one run ---------------------------------------------------------------------------------------------------------------------------- */

static void run_path(const struct explore *e, unsigned number, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/run-%04u", e->store.path, number);
}

static void start(struct search *s, const struct explore_item *item)
{
    struct slot *slot = s->slot;
    char path[PATH_MAX + 32], said[PATH_MAX + 48];
    struct explore_words words;
    while (slot->pid)
        slot++;
    slot->item = *item;
    slot->number = ++s->number;
    run_path(s->e, slot->number, path);
    folder_remove(path);
    snprintf(said, sizeof said, "%s.said", path);
    const char *how = s->e->plan->deaths > 1 ? "--stacks" : "--calls";
    if (explore_command_words(s->e->plan, s->e->plan->ranks, &s->e->limits, item->key, path, how, &words))
        slot->pid = explore_child_start(&words, said);
    explore_words_free(&words);
    if (slot->pid > 0)
        s->running++;
    else
        s->status = cli_failure(s->e->plan->usage, "knell run cannot be started: %s", strerror(errno));
    slot->pid = slot->pid > 0 ? slot->pid : 0;
}

/* The disk is full, or the folder is gone: then the run says nothing and is not kept. */
static bool is_recorded(struct search *s, const char *path, const char *said)
{
    char text[512];
    if (has_record(path))
        return true;
    explore_said(said, text, sizeof text);
    cli_failure(s->e->plan->usage, "%s; --resume %s goes on", text[0] ? text : "knell run left no record",
                s->e->store.path);
    s->status = EXPLORE_NOTHING_SAID;
    return false;
}

/* A few records show a cause as well as many. */
enum { RECORDS_OF_A_CAUSE = 3 };
static bool is_shown_enough(const struct explore *e, const struct explore_result *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->store.count; i++)
        kept += e->store.result[i].directory[0] && e->store.result[i].class == result->class &&
                e->store.result[i].signature == result->signature;
    return kept >= RECORDS_OF_A_CAUSE;
}

static void keep_result(struct search *s, struct explore_result *result, const char *path)
{
    bool failed = explore_is_failure(result->class) || explore_leaks_more(result, &s->e->normal);
    if (failed && !is_shown_enough(s->e, result))
        snprintf(result->directory, sizeof result->directory, "%s", strrchr(path, '/') + 1);
    else
        folder_remove(path);
    s->failures += explore_is_failure(result->class);
    if (!explore_store_add(&s->e->store, result)) {
        cli_failure(s->e->plan->usage, "%s/results.jsonl: %s; --resume %s goes on", s->e->store.path, strerror(errno),
                    s->e->store.path);
        s->status = EXPLORE_NOTHING_SAID;
    }
}

static void finish(struct search *s, struct slot *slot)
{
    char path[PATH_MAX + 32], said[PATH_MAX + 48];
    struct explore_run run = {0};
    struct explore_result result;
    struct explore_points pairs = {0};
    run_path(s->e, slot->number, path);
    snprintf(said, sizeof said, "%s.said", path);
    slot->pid = 0;
    s->running--;
    if (s->e->stopped_by || !is_recorded(s, path, said)) {
        folder_remove(path);
        unlink(said);
        return;
    }
    const struct explore_run *baseline = s->e->same ? &s->e->baseline : NULL;
    explore_result_read(path, s->e->plan, &slot->item, baseline, s->e->symbols, &result, &run);
    bool recovered = result.class == RECORD_FINISHED || result.class == RECORD_WRONG_RESULT;
    if (s->e->plan->deaths > 1 && slot->item.faults == 1 && recovered && run.sequence)
        explore_pairs_make(s->e->plan, &slot->item, &s->e->baseline, &run, s->e->symbols, &s->seen, &pairs,
                           &result.recovery);
    result.pair = pairs.item;
    result.pairs = pairs.items;
    keep_result(s, &result, path);
    plan_pairs(s, &result);
    explore_run_free(&run);
    unlink(said);
    progress_report(&s->progress, s->e->store.count);
}

/* ---- the course ---------------------------------------------------------------------------------------------------------------------------- */

static void stop_all(struct search *s)
{
    for (struct slot *slot = s->slot; slot < s->slot + JOBS_MOST; slot++)
        if (slot->pid)
            kill(slot->pid, SIGTERM);
}

static void wait_for_one(struct search *s)
{
    struct signalfd_siginfo info;
    poll(&(struct pollfd){.fd = s->e->signals, .events = POLLIN}, 1, -1);
    while (read(s->e->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD) {
            s->e->stopped_by = (int)info.ssi_signo;
            stop_all(s);
        }
    for (struct slot *slot = s->slot; slot < s->slot + JOBS_MOST; slot++)
        if (slot->pid && waitpid(slot->pid, &(int){0}, WNOHANG) == slot->pid)
            finish(s, slot);
}

static bool may_start(struct search *s)
{
    const struct explore_plan *plan = s->e->plan;
    s->e->budget_over = s->until && knell__clock_now() >= s->until;
    s->e->failures_over = plan->max_failures && s->failures >= (size_t)plan->max_failures;
    return s->status == EXIT_OK && !s->e->stopped_by && !s->e->budget_over && !s->e->failures_over;
}

static int search(struct explore *e)
{
    struct search s = {.e = e, .until = e->until};
    progress_begin(&s.progress, "explore", e->points.items);
    if (e->plan->deaths > 1 && e->plan->during == EXPLORE_ANY)
        explore_pairs_same_place(e->plan, &e->baseline, e->symbols, &e->points, &s.pairs);
    e->pairs = s.pairs.items;
    plan_known_pairs(&s);
    for (const struct explore_item *item = NULL; true;) {
        while (may_start(&s) && s.running < e->plan->jobs && (item = next_item(&s)) != NULL)
            start(&s, item);
        if (s.running == 0)
            break;
        wait_for_one(&s);
    }
    bool complete = s.next_pair == s.pairs.items && s.next_single == e->points.items;
    e->budget_over = e->budget_over && !complete;
    e->failures_over = e->failures_over && !complete;
    progress_end(&s.progress);
    explore_points_free(&s.pairs);
    free(s.seen.key);
    return s.status;
}

static int write_summary(const struct explore *e)
{
    char path[PATH_MAX + 32], temporary[PATH_MAX + 48];
    snprintf(path, sizeof path, "%s/summary.json", e->store.path);
    snprintf(temporary, sizeof temporary, "%s.part", path);
    FILE *out = fopen(temporary, "we");
    if (out)
        explore_write_json(e, out);
    bool well = out && !ferror(out);
    well = out && fclose(out) == 0 && well && rename(temporary, path) == 0;
    if (!well)
        unlink(temporary);
    return well ? EXIT_OK : cli_failure(e->plan->usage, "%.200s: %s", path, strerror(errno));
}

static int explore(struct explore *e)
{
    e->until = e->plan->budget ? knell__clock_now() + e->plan->budget : 0;
    int status = take_baselines(e);
    if (status != EXIT_OK)
        return status;
    if (!explore_points_make(e->plan, &e->baseline, e->symbols, &e->points))
        return cli_failure(e->plan->usage, "no memory for the points");
    if (e->plan->dry_run) {
        explore_write_plan(e, stdout);
        return EXIT_OK;
    }
    status = search(e);
    if (status == EXIT_OK && explore_causes_find(e))
        explore_causes_repeat(e);
    if (status == EXIT_OK)
        status = write_summary(e);
    if (status != EXIT_OK)
        return status; /* what was seen until then is kept, and claims nothing */
    if (e->plan->json)
        explore_write_json(e, stdout);
    else
        explore_write_text(e, stdout);
    return explore_status(e);
}

int explore_execute(struct explore_plan *plan)
{
    struct explore e = {.plan = plan, .symbols = symbols_open()};
    int status = e.symbols ? explore_store_open(plan, &e.store) : cli_failure(plan->usage, "no memory");
    e.signals = -1;
    if (status == EXIT_OK) {
        e.signals = block_signals();
        status = explore(&e);
        close(e.signals);
    }
    bool nothing = e.points.items == 0 && !e.stopped_by;
    explore_causes_free(&e.causes);
    explore_store_close(&e.store);
    explore_run_free(&e.baseline);
    explore_points_free(&e.points);
    symbols_close(e.symbols);
    if (e.store.made && (nothing || plan->dry_run)) /* there is nothing to go on with */
        folder_remove(e.store.path);
    return status;
}
