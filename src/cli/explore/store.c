/* store.c: the folder of an exploration: plan.json, the records of the runs without faults (baseline-K), results.jsonl with a line
 * for every run, the records of runs that failed (run-NNNN). A line is there as a whole or not at all; --resume goes on after any end. */
#include "cli/explore/explore.h"
#include "cli/common/json.h"
#include "record/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBERS = 10000 };

/* ---- folders ------------------------------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int make_numbered(const struct explore_plan *plan, char path[PATH_MAX])
{
    for (int i = 1; i < NUMBERS; i++) {
        snprintf(path, PATH_MAX, "knell-explore-%.200s-%d", base_name(plan->program[0]), i);
        if (mkdir(path, 0777) == 0)
            return EXIT_OK;
        if (errno != EEXIST)
            return cli_usage_error(plan->usage, "%.200s: %s: name a folder with --out", path, strerror(errno));
    }
    return cli_usage_error(plan->usage, "there are too many folders knell-explore-*: name one with --out");
}

static int make_named(const struct explore_plan *plan, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s", plan->out);
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && rmdir(path) == 0 && mkdir(path, 0777) == 0))
        return EXIT_OK;
    if (errno == ENOTDIR)
        return cli_usage_error(plan->usage, "--out %.200s: a folder is expected", plan->out);
    if (errno == ENOTEMPTY || errno == EEXIST || errno == EINVAL)
        return cli_usage_error(plan->usage, "--out %.200s: it is not empty; --resume %.200s goes on with it", plan->out,
                               plan->out);
    return cli_usage_error(plan->usage, "--out %.200s: %s", plan->out, strerror(errno));
}

/* ---- the program ---------------------------------------------------------------------------------------------------------------- */

/* As a shell finds it. */
static void find_program(const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");
    snprintf(path, PATH_MAX, "%s", name);
    for (const char *at = list; at && *at && !strchr(name, '/'); at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, X_OK) == 0)
            return;
    }
    snprintf(path, PATH_MAX, "%s", name);
}

/* Of the program's file. */
static uint64_t digest(const char *name)
{
    char path[PATH_MAX];
    find_program(name, path);
    uint64_t hash = UINT64_C(14695981039346656037);
    FILE *file = fopen(path, "re");
    for (int byte; file && (byte = getc(file)) != EOF;)
        hash = (hash ^ (uint64_t)byte) * UINT64_C(1099511628211);
    if (file)
        fclose(file);
    return hash;
}

/* ---- plan.json -------------------------------------------------------------------------------------------------------------------- */

int explore_store_write_plan(const struct explore_plan *plan, const struct explore_store *store)
{
    char path[PATH_MAX + 16], number[24];
    struct json j;
    snprintf(path, sizeof path, "%s/plan.json", store->path);
    FILE *out = fopen(path, "wxe");
    if (!out)
        return cli_usage_error(plan->usage, "%.200s: %s", path, strerror(errno));
    snprintf(number, sizeof number, "%" PRIx64, digest(plan->program[0]));
    json_begin(&j, out);
    json_object(&j);
    json_put_string(&j, "digest", number);
    json_key(&j, "command");
    json_array(&j);
    for (int i = 0; i < plan->argc; i++)
        json_string(&j, plan->argv[i]);
    json_close(&j);
    json_close(&j);
    bool well = !ferror(out);
    return fclose(out) == 0 && well ? EXIT_OK : cli_failure(plan->usage, "%.200s: %s", path, strerror(errno));
}

int explore_store_read_plan(const struct explore_plan *plan, const char *folder, char ***argv, int *argc)
{
    char path[PATH_MAX], error[256];
    snprintf(path, sizeof path, "%.4000s/plan.json", folder);
    struct record_json *json = record_json_read_file(path, error);
    const struct record_json_value *words = record_json_get(record_json_root(json), "command");
    size_t count = record_json_count(words);
    if (!json || count == 0) {
        record_json_free(json);
        return cli_usage_error(plan->usage, "--resume %.200s: no exploration is there (%.200s)", folder,
                               json ? "plan.json has no command" : error);
    }
    *argv = calloc(count + 1, sizeof **argv);
    *argc = 0;
    for (size_t i = 0; *argv && i < count; i++)
        (*argv)[(*argc)++] = strdup(record_json_text(record_json_item(words, i), ""));
    record_json_free(json);
    return *argv ? -1 : cli_failure(plan->usage, "no memory");
}

static int check_digest(const struct explore_plan *plan, const struct explore_store *store)
{
    char path[PATH_MAX + 16], error[256], number[24];
    snprintf(path, sizeof path, "%s/plan.json", store->path);
    snprintf(number, sizeof number, "%" PRIx64, digest(plan->program[0]));
    struct record_json *json = record_json_read_file(path, error);
    bool same = json && strcmp(record_json_text(record_json_get(record_json_root(json), "digest"), ""), number) == 0;
    record_json_free(json);
    return same ? EXIT_OK
                : cli_usage_error(plan->usage,
                                  "--resume %.200s: %.200s has changed since: explore it anew, without --resume",
                                  store->path, plan->program[0]);
}

/* ---- results.jsonl ------------------------------------------------------------------------------------------------------------------ */

static bool keep(struct explore_store *store, const struct explore_result *result)
{
    if (store->count == store->room) {
        size_t room = store->room ? 2 * store->room : 64;
        struct explore_result *more = realloc(store->result, room * sizeof *more);
        if (!more)
            return false;
        store->result = more;
        store->room = room;
    }
    store->result[store->count++] = *result;
    return true;
}

static void write_pairs(const struct explore_result *r, struct json *j)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIx64, r->recovery);
    json_put_string(j, "recovery", number);
    json_key(j, "pairs");
    json_array(j);
    for (size_t i = 0; i < r->pairs; i++) {
        json_string(j, r->pair[i].key);
        json_string(j, r->pair[i].where);
    }
    json_close(j);
}

static void write_result(const struct explore_result *r, FILE *out)
{
    struct json j;
    char number[24];
    snprintf(number, sizeof number, "%" PRIx64, r->signature);
    json_begin_line(&j, out);
    json_object(&j);
    json_put_string(&j, "kills", r->key);
    json_put_string(&j, "where", r->where);
    json_put_string(&j, "class", record_class_name(r->class));
    json_put_string(&j, "why", r->why);
    json_put_integer(&j, "survivors", r->survivors);
    json_put_string(&j, "ended", r->survivors_text);
    json_put_string(&j, "signature", number);
    json_put_real(&j, "wall_s", r->wall_s);
    json_key(&j, "leaks");
    json_array(&j);
    for (int i = 0; i < EXPLORE_LEAKS; i++)
        json_real(&j, r->leaks[i]);
    json_close(&j);
    json_put_string(&j, "record", r->directory);
    if (r->recovery)
        write_pairs(r, &j);
    json_close(&j);
}

bool explore_store_add(struct explore_store *store, const struct explore_result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    write_result(result, out);
    bool well = fclose(out) == 0 && text && write(store->results, text, size) == (ssize_t)size;
    if (!well && ftruncate(store->results, store->size) != 0)
        well = false; /* --resume cuts half a line off, too */
    store->size += well ? (off_t)size : 0;
    free(text);
    return well && keep(store, result);
}

static void copy_text(char *to, size_t size, const struct record_json_value *object, const char *key)
{
    snprintf(to, size, "%s", record_json_text(record_json_get(object, key), ""));
}

/* Key and words in turns. */
static void read_pairs(const struct record_json_value *root, struct explore_result *r)
{
    const struct record_json_value *pairs = record_json_get(root, "pairs");
    size_t count = record_json_count(pairs) / 2;
    r->recovery = strtoull(record_json_text(record_json_get(root, "recovery"), "0"), NULL, 16);
    r->pair = count ? calloc(count, sizeof *r->pair) : NULL;
    for (; r->pair && r->pairs < count; r->pairs++) {
        struct explore_item *pair = &r->pair[r->pairs];
        pair->faults = 2;
        snprintf(pair->key, sizeof pair->key, "%s", record_json_text(record_json_item(pairs, 2 * r->pairs), ""));
        snprintf(pair->where, sizeof pair->where, "%s",
                 record_json_text(record_json_item(pairs, 2 * r->pairs + 1), ""));
    }
}

static bool parse_result(const char *line, size_t size, struct explore_result *r)
{
    char error[128];
    struct record_json *json = record_json_parse(line, size, error);
    const struct record_json_value *root = record_json_root(json);
    int class = record_class_named(record_json_text(record_json_get(root, "class"), ""));
    if (!json || class < 0) {
        record_json_free(json);
        return false;
    }
    *r = (struct explore_result){.class = (enum record_class) class};
    copy_text(r->key, sizeof r->key, root, "kills");
    copy_text(r->where, sizeof r->where, root, "where");
    copy_text(r->why, sizeof r->why, root, "why");
    copy_text(r->survivors_text, sizeof r->survivors_text, root, "ended");
    copy_text(r->directory, sizeof r->directory, root, "record");
    r->survivors = (int)record_json_integer(record_json_get(root, "survivors"), 0);
    r->signature = strtoull(record_json_text(record_json_get(root, "signature"), "0"), NULL, 16);
    r->wall_s = record_json_real(record_json_get(root, "wall_s"), 0);
    for (size_t i = 0; i < EXPLORE_LEAKS; i++)
        r->leaks[i] = record_json_real(record_json_item(record_json_get(root, "leaks"), i), 0);
    read_pairs(root, r);
    record_json_free(json);
    return true;
}

int explore_store_read_results(const struct explore_plan *plan, struct explore_store *store)
{
    char path[PATH_MAX + 16], *line = NULL;
    size_t room = 0;
    int status = check_digest(plan, store);
    snprintf(path, sizeof path, "%s/results.jsonl", store->path);
    FILE *in = status == EXIT_OK ? fopen(path, "re") : NULL;
    for (ssize_t size; in && (size = getline(&line, &room, in)) > 0 && line[size - 1] == '\n'; store->size += size) {
        struct explore_result result;
        if (parse_result(line, (size_t)size, &result))
            keep(store, &result);
    }
    if (in)
        fclose(in);
    free(line);
    if (status == EXIT_OK && truncate(path, store->size) != 0 && errno != ENOENT)
        return cli_failure(plan->usage, "%.200s: %s", path, strerror(errno));
    return status == EXIT_OK ? -1 : status;
}

const struct explore_result *explore_store_find(const struct explore_store *store, const char *key)
{
    for (size_t i = 0; i < store->count; i++)
        if (strcmp(store->result[i].key, key) == 0)
            return &store->result[i];
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------------------------------------------- */

int explore_store_open(struct explore_plan *plan, struct explore_store *store)
{
    char path[PATH_MAX + 16];
    int status = EXIT_OK;
    store->results = -1;
    if (plan->resume)
        snprintf(store->path, sizeof store->path, "%.4000s", plan->resume);
    else
        status = plan->out ? make_named(plan, store->path) : make_numbered(plan, store->path);
    if (status != EXIT_OK)
        return status;
    store->made = !plan->resume;
    if (plan->resume && (status = explore_store_read_results(plan, store)) >= 0)
        return status;
    if (!plan->resume && (status = explore_store_write_plan(plan, store)) != EXIT_OK)
        return status;
    snprintf(path, sizeof path, "%s/results.jsonl", store->path);
    store->results = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (store->results < 0)
        return cli_usage_error(plan->usage, "%.200s: %s", path, strerror(errno));
    if (flock(store->results, LOCK_EX | LOCK_NB) != 0)
        return cli_usage_error(plan->usage, "--resume %.200s: another exploration is at work there", store->path);
    return EXIT_OK;
}

void explore_store_close(struct explore_store *store)
{
    if (store->results >= 0)
        close(store->results);
    for (size_t i = 0; i < store->count; i++)
        free(store->result[i].pair);
    free(store->result);
}
