#include "sim/pool.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { RUNS = 1000 };

struct work {
    int result[RUNS];
    uint64_t bad_from; /* runs from here on fail with -(run + 1) */
    atomic_uint begun, reports;
    atomic_ullong most;
};

static int run(void *context, void *worker, uint64_t number)
{
    struct work *w = context;

    ++*(unsigned *)worker;
    w->result[number] = (int)number * 3;
    return number >= w->bad_from ? -(int)number - 1 : 0;
}

static void *begin(void *context)
{
    ((struct work *)context)->begun++;
    return calloc(1, sizeof(unsigned));
}

static void end(void *worker)
{
    free(worker);
}

static void *begin_without_memory(void *context)
{
    (void)context;
    return NULL;
}

static void report(void *context, uint64_t done)
{
    struct work *w = context;

    w->reports++;
    if (done == RUNS)
        w->most = done;
}

static struct knell_pool_job job_of(struct work *w, unsigned threads)
{
    return (struct knell_pool_job){
        .runs = RUNS,
        .threads = threads,
        .context = w,
        .run = run,
        .worker_begin = begin,
        .worker_end = end,
        .progress = report,
        .progress_context = w,
    };
}

TEST(every_run_happens_once)
{
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        struct work w = {.bad_from = RUNS};
        struct knell_pool_job job = job_of(&w, threads);

        test_context("%u threads", threads);
        CHECK_EQ_I64(knell_pool_run(&job, NULL), 0);
        for (int i = 0; i < RUNS; i++)
            CHECK_EQ_I64(w.result[i], i * 3);
        CHECK_EQ_U64(w.reports, RUNS);
        CHECK_EQ_U64(w.most, RUNS);
        CHECK(w.begun <= threads);
    }
}

TEST(the_first_failing_run_is_reported_whatever_the_threads)
{
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        struct work w = {.bad_from = 137};
        struct knell_pool_job job = job_of(&w, threads);
        uint64_t failed = 0;

        test_context("%u threads", threads);
        CHECK_EQ_I64(knell_pool_run(&job, &failed), -138);
        CHECK_EQ_U64(failed, 137);
        CHECK_EQ_I64(w.result[RUNS - 1], 0);
    }
}

TEST(no_memory_for_a_worker)
{
    struct work w = {.bad_from = RUNS};
    struct knell_pool_job job = job_of(&w, 2);

    job.worker_begin = begin_without_memory;
    CHECK_EQ_I64(knell_pool_run(&job, NULL), KNELL_POOL_NO_MEMORY);
}

TEST(nothing_to_do)
{
    struct work w = {.bad_from = RUNS};
    struct knell_pool_job job = job_of(&w, 4);

    job.runs = 0;
    CHECK_EQ_I64(knell_pool_run(&job, NULL), 0);
    CHECK(knell_pool_cores() >= 1);
}
