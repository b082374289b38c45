/* result.c: what became of one run, out of its record: run.json and the calls of the ranks. */
#include "cli/explore/explore.h"
#include "job/calls.h"
#include "record/json.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

const char *const explore_leak_names[EXPLORE_LEAKS] = {"requests", "communicators", "groups", "processes",
                                                       "shared_memory"};
enum { LEAKS_OF_RANKS = 3 };

bool explore_is_failure(enum record_class class)
{
    return class == RECORD_WRONG_RESULT || class == RECORD_ABORTED || class == RECORD_FROZEN ||
           class == RECORD_NO_PROGRESS;
}

bool explore_leaks_more(const struct explore_result *result, const struct explore_result *baseline)
{
    bool more = false;
    for (int i = 0; i < EXPLORE_LEAKS; i++)
        more |= result->leaks[i] > baseline->leaks[i] + 1e-9;
    return more;
}

/* ---- run.json ------------------------------------------------------------------------------------------------------------------ */

static uint64_t hash_text(uint64_t key, const char *text)
{
    for (; *text; text++)
        key = knell_prng_key(key, (unsigned char)*text);
    return key;
}

/* Of a reason, whichever ranks it names. */
static uint64_t hash_reason(uint64_t key, const char *text)
{
    for (; *text; text++) {
        key = knell_prng_key(key, (unsigned char)*text);
        if (strncmp(text, "rank ", 5) == 0)
            text += 4 + strspn(text + 5, "0123456789");
    }
    return key;
}

static bool is_dead(const struct record_json_value *each)
{
    const char *state = record_json_text(record_json_get(each, "state"), "");
    return strcmp(state, "died") == 0 || strcmp(state, "ghost") == 0;
}

static double number_at(const struct record_json_value *object, const char *name)
{
    const struct record_json_value *one = record_json_get(object, name);
    return record_json_type(one) == RECORD_JSON_ARRAY ? (double)record_json_count(one) : record_json_real(one, 0);
}

/* The most of one rank: which rank plays which part changes with a death. */
static void read_leaks(const struct record_json_value *root, struct explore_result *result)
{
    const struct record_json_value *each = record_json_get(root, "each"), *leaks = record_json_get(root, "leaks");
    for (int kind = 0; kind < LEAKS_OF_RANKS; kind++)
        for (size_t i = 0; i < record_json_count(each); i++) {
            double count = number_at(record_json_get(record_json_item(each, i), "leaks"), explore_leak_names[kind]);
            result->leaks[kind] = count > result->leaks[kind] ? count : result->leaks[kind];
        }
    for (int kind = LEAKS_OF_RANKS; kind < EXPLORE_LEAKS; kind++)
        result->leaks[kind] = number_at(leaks, explore_leak_names[kind]);
}

static void read_run(const struct record_json_value *root, struct explore_result *result)
{
    const struct record_json_value *each = record_json_get(root, "each");
    int class = record_class_named(record_json_text(record_json_get(root, "class"), ""));
    result->class = class < 0 ? RECORD_INDETERMINATE : (enum record_class) class;
    snprintf(result->why, sizeof result->why, "%s", record_json_text(record_json_get(root, "why"), ""));
    result->wall_s = record_json_real(record_json_get(root, "wall_s"), 0);
    for (size_t i = 0; i < record_json_count(each); i++)
        result->survivors += !is_dead(record_json_item(each, i));
    read_leaks(root, result);
}

/* ---- where the survivors ended --------------------------------------------------------------------------------------------------- */

/* The innermost call that the rank never left, or the last one that it left. Error handlers call MPI inside a call. */
static const struct explore_step *last_step(const struct explore_sequence *sequence)
{
    for (size_t i = sequence->steps; i-- > 0;)
        if (sequence->step[i].end == 0)
            return &sequence->step[i];
    return sequence->steps ? &sequence->step[sequence->steps - 1] : NULL;
}

/* The outermost. */
static const struct explore_step *first_open(const struct explore_sequence *sequence)
{
    for (size_t i = 0; i < sequence->steps; i++)
        if (sequence->step[i].end == 0)
            return &sequence->step[i];
    return NULL;
}

/* "MPIX_Comm_shrink (app.c:88)", or "MPIX_Comm_shrink (app.c:88) inside MPI_Allreduce (app.c:72)" */
static void write_at(const struct explore_sequence *sequence, struct symbols *symbols, char *text, size_t size)
{
    const struct explore_step *last = last_step(sequence), *outer = first_open(sequence);
    snprintf(text, size, "no MPI call");
    if (last)
        explore_step_text(sequence, last, symbols, text, size);
    size_t used = strlen(text);
    if (last && outer && outer != last && used + 8 < size) {
        snprintf(text + used, size - used, " inside ");
        explore_step_text(sequence, outer, symbols, text + used + 8, size - used - 8);
    }
}

/* One way in which survivors ended, and who did. */
struct ending {
    char text[256];
    uint64_t key;
    char ranks[96]; /* "0, 2 to 5" */
    int count, last;
    size_t range; /* where in `ranks` the last number of a range begins; 0: the last is no range */
};

static void describe(const struct record_json_value *each, const struct explore_sequence *sequence,
                     struct symbols *symbols, struct ending *ending)
{
    const struct explore_step *step = last_step(sequence);
    const char *state = record_json_text(record_json_get(each, "state"), "");
    bool left = strcmp(state, "left") == 0, inside = step && step->end == 0;
    char at[192];
    int64_t status = record_json_integer(record_json_get(each, "status"), 0);
    write_at(sequence, symbols, at, sizeof at);
    if (left && inside)
        snprintf(ending->text, sizeof ending->text, "wait%%s in %s", at);
    else if (left)
        snprintf(ending->text, sizeof ending->text, "%%s inside no MPI call, after %s", at);
    else if (status != 0)
        snprintf(ending->text, sizeof ending->text, "ended with status %d after %s", (int)status, at);
    ending->key = knell_prng_key(hash_text(step ? step->site : 0, state), (uint64_t)status);
}

static void append_rank(struct ending *ending, int rank)
{
    size_t used = strlen(ending->ranks);
    bool next = ending->count > 0 && rank == ending->last + 1;
    if (next && ending->range)
        snprintf(ending->ranks + ending->range, sizeof ending->ranks - ending->range, "%d", rank);
    else if (used + 24 < sizeof ending->ranks)
        snprintf(ending->ranks + used, sizeof ending->ranks - used, "%s%d", next ? " to " : used ? ", " : "", rank);
    else if (used + 4 < sizeof ending->ranks && ending->ranks[used - 1] != '.')
        strcat(ending->ranks, "...");
    if (!next)
        ending->range = 0;
    else if (!ending->range)
        ending->range = used + 4;
    ending->last = rank;
    ending->count++;
}

static void merge(struct ending *all, int *count, const struct ending *one, int rank)
{
    int i = 0;
    while (i < *count && strcmp(all[i].text, one->text) != 0)
        i++;
    if (i == *count)
        all[(*count)++] = *one;
    append_rank(&all[i], rank);
}

/* "wait%s in ..." and "%s inside ...": for one rank and for several. */
static void write_ending(const struct ending *ending, char *text, size_t size)
{
    const char *hole = strstr(ending->text, "%s");
    bool one = ending->count == 1, waits = strncmp(ending->text, "wait", 4) == 0;
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%srank%s %s ", used ? "; " : "", one ? "" : "s", ending->ranks);
    used = strlen(text);
    if (!hole)
        snprintf(text + used, size - used, "%s", ending->text);
    else
        snprintf(text + used, size - used, "%.*s%s%s", (int)(hole - ending->text), ending->text,
                 waits ? (one ? "s" : "")
                 : one ? "is"
                       : "are",
                 hole + 2);
}

/* A run that was aborted is told by the rank that ended it: where the others were then is chance. */
static bool read_culprit(const struct explore_run *run, struct symbols *symbols, struct explore_result *result)
{
    int rank = -1, words = 0;
    if (result->class != RECORD_ABORTED || sscanf(result->why, "rank %d %n", &rank, &words) != 1 || words == 0 ||
        rank < 0 || rank >= run->ranks || !run->sequence)
        return false;
    const struct explore_step *step = last_step(&run->sequence[rank]);
    char at[192];
    write_at(&run->sequence[rank], symbols, at, sizeof at);
    snprintf(result->survivors_text, sizeof result->survivors_text, "%.*s %s %s", (int)strcspn(result->why, ";"),
             result->why, step && step->end == 0 ? "inside" : "after", at);
    result->signature =
        knell_prng_key(hash_reason(step ? step->site : 0, result->why + words), (uint64_t)result->class);
    return true;
}

enum { ENDINGS = 16 };
static void read_survivors(const struct record_json_value *root, const struct explore_run *run, struct symbols *symbols,
                           struct explore_result *result)
{
    const struct record_json_value *each = record_json_get(root, "each");
    struct ending ending[ENDINGS];
    int endings = 0;
    uint64_t sum = 0;
    for (int rank = 0; rank < run->ranks && endings < ENDINGS - 1; rank++) {
        const struct record_json_value *one = record_json_item(each, (size_t)rank);
        struct ending now = {.text = ""};
        if (is_dead(one) || !run->sequence)
            continue;
        describe(one, &run->sequence[rank], symbols, &now);
        if (now.text[0])
            merge(ending, &endings, &now, rank);
    }
    for (int i = 0; i < endings; i++) {
        sum += ending[i].key; /* whichever rank it is */
        write_ending(&ending[i], result->survivors_text, sizeof result->survivors_text);
    }
    if (result->class == RECORD_WRONG_RESULT)
        sum = hash_text(sum, result->why);
    result->signature = knell_prng_key(sum, (uint64_t)result->class);
}

/* ---- was it the planned point? ------------------------------------------------------------------------------------------------------ */

/* The victim's communicating calls until its death are those of the run without faults. */
static bool follows(const struct explore_sequence *plan, const struct explore_sequence *real,
                    const struct explore_fault *fault)
{
    size_t j = 0;
    for (size_t i = 0; i <= fault->step && i < plan->steps; i++) {
        if (!plan->step[i].communicates)
            continue;
        while (j < real->steps && !real->step[j].communicates)
            j++;
        if (j == real->steps || real->step[j].site != plan->step[i].site)
            return false;
        j++;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------------ */

void explore_result_read(const char *directory, const struct explore_plan *plan, const struct explore_item *item,
                         const struct explore_run *baseline, struct symbols *symbols, struct explore_result *result,
                         struct explore_run *run)
{
    char path[PATH_MAX], error[256];
    struct explore_run own = {0};
    run = run ? run : &own;
    *result = (struct explore_result){.class = RECORD_INDETERMINATE};
    if (item) {
        snprintf(result->key, sizeof result->key, "%s", item->key);
        snprintf(result->where, sizeof result->where, "%s", item->where);
    }
    snprintf(path, sizeof path, "%.4000s/run.json", directory);
    struct record_json *json = record_json_read_file(path, error);
    if (!json) {
        snprintf(result->why, sizeof result->why, "%s", error);
        return;
    }
    const struct record_json_value *root = record_json_root(json);
    read_run(root, result);
    explore_run_read(directory, (int)plan->ranks, run, error);
    if (!read_culprit(run, symbols, result))
        read_survivors(root, run, symbols, result);
    if (item && baseline && result->class == RECORD_FINISHED && run->sequence &&
        !follows(&baseline->sequence[item->fault[0].rank], &run->sequence[item->fault[0].rank], &item->fault[0]))
        result->class = RECORD_DIVERGED;
    record_json_free(json);
    if (run == &own)
        explore_run_free(&own);
}
