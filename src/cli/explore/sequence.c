/* sequence.c: the calls of the ranks in one run, as the points of exploration count them. */
#include "cli/explore/explore.h"
#include "job/calls.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t key, uint64_t value)
{
    return knell_prng_key(key, value);
}

/* The same place: function, call stack, size of the communicator and number of known deaths. */
static uint64_t place_of(const struct record_calls *calls, const struct job_record_call *call)
{
    uint64_t key = mix(call->call, record_calls_stack_key(calls, call->stack));
    return mix(mix(key, (uint64_t)(uint32_t)call->size), call->deaths);
}

static void fill_steps(struct explore_sequence *sequence, unsigned *counts)
{
    for (size_t i = 0; i < sequence->calls.count; i++) {
        const struct job_record_call *call = &sequence->calls.call[i];
        sequence->step[sequence->steps++] = (struct explore_step){
            .call = call->call,
            .count = ++counts[call->call],
            .posted = call->posted,
            .place = place_of(&sequence->calls, call),
            .site = mix(call->call, record_calls_site_key(&sequence->calls, call->stack)),
            .stack = call->stack,
            .size = call->size,
            .peer = call->peer,
            .begin = call->begin,
            .end = call->end,
            .code = call->code,
            .communicates = job_call_shape(call->call).communicates,
        };
    }
}

static bool read_one(const char *directory, int rank, struct explore_sequence *sequence, char error[256])
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/" JOB_RECORD_FILE, directory, rank);
    sequence->rank = rank;
    if (!record_calls_open(path, &sequence->calls, error))
        return false;
    unsigned *counts = calloc(UINT16_MAX + 1, sizeof *counts);
    sequence->step = calloc(sequence->calls.count + 1, sizeof *sequence->step);
    if (counts && sequence->step)
        fill_steps(sequence, counts);
    free(counts);
    return true;
}

bool explore_run_read(const char *directory, int ranks, struct explore_run *run, char error[256])
{
    bool all = true;
    *run = (struct explore_run){ranks, calloc((size_t)ranks, sizeof *run->sequence)};
    for (int rank = 0; run->sequence && rank < ranks; rank++)
        all &= read_one(directory, rank, &run->sequence[rank], error);
    return run->sequence && all;
}

void explore_run_free(struct explore_run *run)
{
    for (int rank = 0; run->sequence && rank < run->ranks; rank++) {
        free(run->sequence[rank].step);
        record_calls_close(&run->sequence[rank].calls);
    }
    free(run->sequence);
    *run = (struct explore_run){0};
}

/* ---- comparing --------------------------------------------------------------------------------------------------------------- */

static size_t next_communicating(const struct explore_sequence *sequence, size_t at)
{
    while (at < sequence->steps && !sequence->step[at].communicates)
        at++;
    return at;
}

static bool same_sequence(const struct explore_sequence *a, const struct explore_sequence *b)
{
    size_t i = next_communicating(a, 0), j = next_communicating(b, 0);
    for (; i < a->steps && j < b->steps; i = next_communicating(a, i + 1), j = next_communicating(b, j + 1))
        if (a->step[i].place != b->step[j].place)
            return false;
    return i == a->steps && j == b->steps;
}

bool explore_run_same(const struct explore_run *a, const struct explore_run *b)
{
    bool same = a->ranks == b->ranks;
    for (int rank = 0; same && rank < a->ranks; rank++)
        same = same_sequence(&a->sequence[rank], &b->sequence[rank]);
    return same;
}

void explore_step_text(const struct explore_sequence *sequence, const struct explore_step *step,
                       struct symbols *symbols, char *text, size_t size)
{
    char site[128];
    record_calls_site_text(&sequence->calls, symbols, step->stack, site, sizeof site);
    snprintf(text, size, "%s (%s)", job_call_name(step->call), site);
}
