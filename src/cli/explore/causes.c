/* causes.c: failures of which the survivors ended at the same places in the same way are one cause. Each is shown by the simplest of its
 * runs, repeated, and tried with fewer ranks. */
#include "cli/explore/explore.h"
#include "cli/common/folder.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3 };

/* ---- grouping ------------------------------------------------------------------------------------------------------------------- */

static uint64_t leak_signature(const struct explore_result *result, const struct explore_result *normal)
{
    uint64_t kinds = 0;
    for (int i = 0; i < EXPLORE_LEAKS; i++)
        kinds |= (uint64_t)(result->leaks[i] > normal->leaks[i] + 1e-9) << i;
    return kinds;
}

static unsigned count_of(const char *key)
{
    const char *hash = strrchr(key, '#');
    return hash ? (unsigned)strtoul(hash + 1, NULL, 10) : 0;
}

static size_t faults_of(const char *key)
{
    size_t faults = 1;
    for (const char *at = key; (at = strchr(at, ' ')) != NULL; at++)
        faults++;
    return faults;
}

/* Fewer faults, then earlier calls. */
static bool is_simpler(const struct explore_result *a, const struct explore_result *b)
{
    size_t x = faults_of(a->key), y = faults_of(b->key);
    return x != y ? x < y : count_of(a->key) < count_of(b->key);
}

static bool belongs(const struct explore *e, const struct explore_cause *cause, const struct explore_result *result,
                    bool leak)
{
    if (cause->leak || leak)
        return cause->leak && leak && leak_signature(cause->result, &e->normal) == leak_signature(result, &e->normal);
    return cause->result->class == result->class && cause->result->signature == result->signature;
}

static bool add(struct explore *e, const struct explore_result *result, bool leak)
{
    struct explore_causes *causes = &e->causes;
    for (size_t i = 0; i < causes->count; i++) {
        struct explore_cause *cause = &causes->cause[i];
        if (!belongs(e, cause, result, leak))
            continue;
        cause->runs++;
        cause->result = is_simpler(result, cause->result) ? result : cause->result;
        return true;
    }
    struct explore_cause *more = realloc(causes->cause, (causes->count + 1) * sizeof *more);
    if (!more)
        return false;
    causes->cause = more;
    causes->cause[causes->count++] = (struct explore_cause){.result = result, .runs = 1, .leak = leak};
    return true;
}

bool explore_causes_find(struct explore *e)
{
    bool well = true;
    for (size_t i = 0; well && i < e->store.count; i++) {
        const struct explore_result *result = &e->store.result[i];
        if (explore_is_failure(result->class))
            well = add(e, result, false);
        else if (result->class == RECORD_FINISHED && explore_leaks_more(result, &e->normal))
            well = add(e, result, true);
    }
    for (size_t i = 0; i < e->causes.count; i++) {
        struct explore_cause *cause = &e->causes.cause[i];
        cause->ranks = e->plan->ranks;
        snprintf(cause->key, sizeof cause->key, "%s", cause->result->key);
    }
    return well;
}

void explore_causes_free(struct explore_causes *causes)
{
    free(causes->cause);
}

/* ---- again ------------------------------------------------------------------------------------------------------------------------ */

static void run_again(struct explore *e, int64_t ranks, const char *key, struct explore_result *result)
{
    char path[PATH_MAX + 32], said[PATH_MAX + 32];
    struct explore_words words;
    struct explore_plan plan = *e->plan;
    *result = (struct explore_result){.class = RECORD_INDETERMINATE};
    plan.ranks = ranks;
    snprintf(path, sizeof path, "%s/again", e->store.path);
    snprintf(said, sizeof said, "%s/said", e->store.path);
    folder_remove(path);
    if (explore_command_words(&plan, ranks, &e->limits, key, path, "--calls", &words) &&
        explore_child_run(&words, said, e->signals, &e->stopped_by) >= 0)
        explore_result_read(path, &plan, NULL, NULL, e->symbols, result, NULL);
    explore_words_free(&words);
    folder_remove(path);
}

/* Does the same happen again, with these ranks and deaths? */
static bool happens(struct explore *e, const struct explore_cause *cause, int64_t ranks, const char *key)
{
    struct explore_result result;
    run_again(e, ranks, key, &result);
    if (cause->leak)
        return result.class == RECORD_FINISHED &&
               leak_signature(&result, &e->normal) == leak_signature(cause->result, &e->normal);
    return result.class == cause->result->class &&
           (ranks == e->plan->ranks || result.signature == cause->result->signature);
}

/* The deaths in a smaller job: the last rank stays the last one. False: there is no such rank, or one would die twice. */
static bool with_ranks(const char *key, int64_t ranks, int64_t fewer, char text[EXPLORE_KEY])
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = key; *at;) {
        char *rest;
        long rank = strtol(at, &rest, 10);
        size_t length = strcspn(rest, " ");
        rank = rank == ranks - 1 ? fewer - 1 : rank;
        if (rank >= fewer || used + length + 16 > EXPLORE_KEY)
            return false;
        used +=
            (size_t)snprintf(text + used, EXPLORE_KEY - used, "%s%ld%.*s", used ? " " : "", rank, (int)length, rest);
        at = rest + length + strspn(rest + length, " ");
    }
    return strtol(text, NULL, 10) != strtol(strchr(text, ' ') ? strchr(text, ' ') : "-1", NULL, 10);
}

/* A smaller job may be wrong for another reason: it must be right without faults. Asked once for each size. */
static bool is_right(struct explore *e, int64_t ranks, signed char *known)
{
    struct explore_result result;
    if (!known[ranks]) {
        run_again(e, ranks, "", &result);
        known[ranks] = result.class == RECORD_FINISHED && !explore_leaks_more(&result, &e->normal) ? 1 : -1;
    }
    return known[ranks] > 0;
}

static bool may_go_on(const struct explore *e)
{
    return !e->stopped_by && (!e->until || knell__clock_now() < e->until);
}

static void minimise(struct explore *e, struct explore_cause *cause, signed char *known)
{
    char key[EXPLORE_KEY];
    for (int64_t fewer = (int64_t)faults_of(cause->key) + 1; fewer < e->plan->ranks && may_go_on(e); fewer++) {
        if (!with_ranks(cause->result->key, e->plan->ranks, fewer, key) || !is_right(e, fewer, known) ||
            !happens(e, cause, fewer, key))
            continue;
        cause->ranks = fewer;
        snprintf(cause->key, sizeof cause->key, "%s", key);
        return;
    }
}

void explore_causes_repeat(struct explore *e)
{
    signed char *known =
        calloc((size_t)e->plan->ranks, sizeof *known); /* by number of ranks: is it right without faults? */
    for (size_t i = 0; known && i < e->causes.count && may_go_on(e); i++) {
        struct explore_cause *cause = &e->causes.cause[i];
        minimise(e, cause, known);
        cause->of = cause->again = 1; /* it has happened once: in the exploration, or just now */
        while (cause->of < REPEATS && may_go_on(e)) {
            cause->again += happens(e, cause, cause->ranks, cause->key);
            cause->of++;
        }
    }
    free(known);
}
