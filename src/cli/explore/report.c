/* report.c: the summary of an exploration, in words and as JSON; and its plan. */
#include "cli/explore/explore.h"
#include "cli/common/json.h"
#include "cli/common/shell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t number_of(const struct explore *e, enum record_class class)
{
    size_t count = 0;
    for (size_t i = 0; i < e->store.count; i++)
        count += e->store.result[i].class == class;
    return count;
}

static size_t struck(const struct explore *e)
{
    return e->store.count - number_of(e, RECORD_NOT_STRUCK) - number_of(e, RECORD_DIVERGED) -
           number_of(e, RECORD_INDETERMINATE);
}

static size_t planned(const struct explore *e)
{
    return e->points.items + e->pairs;
}

int explore_status(const struct explore *e)
{
    if (e->stopped_by)
        return EXPLORE_INTERRUPTED;
    if (e->causes.count > 0)
        return EXIT_FAILED;
    return struck(e) == 0 || number_of(e, RECORD_INDETERMINATE) > 0 ? EXPLORE_NOTHING_SAID : EXIT_OK;
}

/* ---- in words --------------------------------------------------------------------------------------------------------------------- */

/* 1,379 */
static const char *grouped(size_t number, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%zu", number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* "shared_memory" with a blank. */
static const char *in_words(const char *name, char text[32])
{
    snprintf(text, 32, "%s", name);
    for (char *at = text; (at = strchr(at, '_')) != NULL;)
        *at = ' ';
    return text;
}

static void write_head(const struct explore *e, FILE *out)
{
    fprintf(out, "%" PRId64 " ranks, %s, %s deaths, %d runs without faults: %s. %s points, %s after pruning\n",
            e->plan->ranks, e->mpi, e->mode, EXPLORE_BASELINES,
            e->same ? "the same calls in all" : "the calls differ, so the points are sampled",
            grouped(e->points.all, (char[32]){0}), grouped(e->points.items, (char[32]){0}));
    if (e->points.left_times || e->points.left_ranks)
        fprintf(
            out,
            "  left out: %s at places struck already (--no-prune times), %s of ranks like others (--no-prune ranks)\n",
            grouped(e->points.left_times, (char[32]){0}), grouped(e->points.left_ranks, (char[32]){0}));
    if (e->plan->deaths > 1 && e->plan->dry_run)
        fputs("  second deaths are planned when first ones have shown how the program recovers\n", out);
    else if (e->plan->deaths > 1)
        fprintf(out, "  %s second deaths; %s first deaths whose recovery was like another (--no-prune recoveries)\n",
                grouped(e->pairs, (char[32]){0}), grouped(e->left_recoveries, (char[32]){0}));
}

static void write_classes(const struct explore *e, FILE *out)
{
    const char *before = "  ";
    for (int class = 0; class < RECORD_CLASSES; class ++) {
        size_t count = number_of(e, (enum record_class) class);
        if (!count && class != RECORD_FINISHED && class != RECORD_NOT_STRUCK)
            continue;
        fprintf(out, "%s%s %zu", before, in_words(record_class_name((enum record_class) class), (char[32]){0}), count);
        before = "   ";
    }
    fputc('\n', out);
}

static void write_leaks(const struct explore *e, const struct explore_result *result, FILE *out)
{
    const char *before = "";
    for (int i = 0; i < EXPLORE_LEAKS; i++)
        if (result->leaks[i] > e->normal.leaks[i] + 1e-9) {
            char name[32];
            double more = result->leaks[i] - e->normal.leaks[i];
            in_words(explore_leak_names[i], name);
            if (more > 0.999 && more < 1.001 && name[strlen(name) - 1] == 's')
                name[strlen(name) - (strcmp(name, "processes") == 0 ? 2 : 1)] = '\0';
            fprintf(out, "%s%.3g %s%s", before, more, name, i < 3 ? " at a survivor" : "");
            before = ", ";
        }
}

static void print_again(const struct explore *e, const struct explore_cause *cause, FILE *out)
{
    struct explore_words words;
    struct explore_limits limits = {cause->leak ? 0 : e->limits.timeout, 0};
    if (explore_command_words(e->plan, cause->ranks, &limits, cause->key, NULL, cause->leak ? "--json" : NULL, &words))
        shell_print(words.word, words.words, out);
    explore_words_free(&words);
}

/* Why, unless the places of the survivors say it. */
static void write_why(const struct explore_result *result, FILE *out)
{
    bool limit = result->class == RECORD_ABORTED && strncmp(result->why, "still running", 13) == 0;
    if (limit || !result->survivors_text[0])
        fputs(result->why, out);
    fprintf(out, "%s%s", limit && result->survivors_text[0] ? ": " : "", result->survivors_text);
}

static void write_cause(const struct explore *e, const struct explore_cause *cause, FILE *out)
{
    const struct explore_result *result = cause->result;
    if (cause->leak) {
        fprintf(out, "  x leak  %s: ", result->where);
        write_leaks(e, result, out);
    } else {
        fprintf(out, "  x %s  %s: ", in_words(record_class_name(result->class), (char[32]){0}), result->where);
        write_why(result, out);
    }
    fprintf(out, "\n    %zu run%s; again: ", cause->runs, cause->runs == 1 ? "" : "s");
    print_again(e, cause, out);
    if (cause->of > 1)
        fprintf(out, "    %d of %d times\n", cause->again, cause->of);
    else
        fprintf(out, "    (not tried again)\n");
}

/* What may be claimed, and no more. */
static void write_claim(const struct explore *e, FILE *out)
{
    char done[32], all[32];
    grouped(e->store.count, done);
    grouped(planned(e), all);
    if (e->stopped_by)
        fprintf(out, "interrupted after %s of %s runs; knell explore --resume %s goes on\n", done, all, e->store.path);
    else if (e->budget_over)
        fprintf(out, "--budget is used up after %s of %s runs; knell explore --resume %s goes on\n", done, all,
                e->store.path);
    else if (e->failures_over)
        fprintf(out, "--max-failures: stopped after %s of %s runs; knell explore --resume %s goes on\n", done, all,
                e->store.path);
    if (e->causes.count == 0 && number_of(e, RECORD_INDETERMINATE) > 0)
        fprintf(out, "%zu run%s could not be judged: the machine or the tool failed (results.jsonl in %s says how).\n",
                number_of(e, RECORD_INDETERMINATE), number_of(e, RECORD_INDETERMINATE) == 1 ? "" : "s", e->store.path);
    else if (e->causes.count == 0 && struck(e) > 0 && !e->same)
        fprintf(out,
                "This input, %" PRId64 " ranks, %s, %s deaths: %s deaths struck, all right; the places are a sample.\n",
                e->plan->ranks, e->mpi, e->mode, grouped(struck(e), done));
    else if (e->causes.count == 0 && struck(e) > 0)
        fprintf(out, "This input, %" PRId64 " ranks, %s, %s deaths: each of %s places was struck once, all right.\n",
                e->plan->ranks, e->mpi, e->mode, grouped(struck(e), done));
    else if (e->causes.count == 0)
        fprintf(out, "No planned death struck: this says nothing about the program.\n");
    else
        fprintf(out, "%zu cause%s; the records are in %s\n", e->causes.count, e->causes.count == 1 ? "" : "s",
                e->store.path);
}

void explore_write_text(const struct explore *e, FILE *out)
{
    write_head(e, out);
    write_classes(e, out);
    for (size_t i = 0; i < e->causes.count; i++)
        write_cause(e, &e->causes.cause[i], out);
    write_claim(e, out);
}

void explore_write_plan(const struct explore *e, FILE *out)
{
    write_head(e, out);
    for (size_t i = 0; i < e->points.items; i++)
        fprintf(out, "  %s\n", e->points.item[i].where);
    fprintf(out, "about %.3g s for %zu runs, one at a time\n", (double)e->points.items * e->median_s, e->points.items);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------------------- */

static void put_words(struct json *j, const char *key, const struct explore *e, const struct explore_cause *cause)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    print_again(e, cause, out);
    if (fclose(out) == 0 && text)
        json_put_string(j, key, text);
    free(text);
}

static void put_leaks(struct json *j, const struct explore *e, const struct explore_result *result)
{
    json_object(j);
    for (int i = 0; i < EXPLORE_LEAKS; i++)
        json_put_real(j, explore_leak_names[i], result ? result->leaks[i] - e->normal.leaks[i] : e->normal.leaks[i]);
    json_close(j);
}

static void put_cause(struct json *j, const struct explore *e, const struct explore_cause *cause)
{
    json_object(j);
    json_put_string(j, "class", cause->leak ? "leak" : record_class_name(cause->result->class));
    json_put_unsigned(j, "runs", cause->runs);
    json_put_unsigned(j, "of", e->store.count);
    json_put_string(j, "places", cause->result->where);
    json_put_string(j, "ended", cause->result->survivors_text[0] ? cause->result->survivors_text : cause->result->why);
    json_put_string(j, "kills", cause->key);
    put_words(j, "command", e, cause);
    json_put_integer(j, "again", cause->again);
    json_put_integer(j, "again_of", cause->of);
    if (cause->leak) {
        json_key(j, "leaks");
        put_leaks(j, e, cause->result);
    }
    json_put_string(j, "record", cause->result->directory);
    json_close(j);
}

static const char *end_of(const struct explore *e)
{
    return e->stopped_by ? "interrupted" : e->budget_over ? "budget" : e->failures_over ? "max_failures" : "complete";
}

static void put_counts(struct json *j, const struct explore *e)
{
    json_put_unsigned(j, "points", e->points.all);
    json_put_unsigned(j, "planned", planned(e));
    json_put_unsigned(j, "runs", e->store.count);
    json_put_bool(j, "enumerated", e->same);
    json_put_string(j, "end", end_of(e));
    json_put_integer(j, "seed", e->plan->seed);
    json_key(j, "classes");
    json_object(j);
    for (int class = 0; class < RECORD_CLASSES; class ++)
        json_put_unsigned(j, record_class_name((enum record_class) class), number_of(e, (enum record_class) class));
    json_close(j);
}

void explore_write_json(const struct explore *e, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_put_integer(&j, "ranks", e->plan->ranks);
    json_put_string(&j, "mpi", e->mpi);
    json_put_string(&j, "mode", e->mode);
    put_counts(&j, e);
    json_key(&j, "causes");
    json_array(&j);
    for (size_t i = 0; i < e->causes.count; i++)
        put_cause(&j, e, &e->causes.cause[i]);
    json_close(&j);
    json_key(&j, "leaks"); /* without faults */
    put_leaks(&j, e, NULL);
    json_close(&j);
}
