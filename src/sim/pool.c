/* See pool.h. One mutex guards the claim counter and the error: a run takes long enough not to notice. */
#include "sim/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct pool {
    const struct knell_pool_job *job;
    pthread_mutex_t lock;
    uint64_t next; /* the run to claim */
    uint64_t done;
    uint64_t failed; /* the lowest run that failed */
    int error;       /* its error; 0: none */
};

/* All runs below a claimed one are claimed already and will finish, so the lowest failure is found whatever the
 * timing. */
static int claim(struct pool *p, uint64_t *run)
{
    int got;

    pthread_mutex_lock(&p->lock);
    got = p->error == 0 && p->next < p->job->runs;
    if (got)
        *run = p->next++;
    pthread_mutex_unlock(&p->lock);
    return got;
}

static void finish(struct pool *p, uint64_t run, int error)
{
    uint64_t done;

    pthread_mutex_lock(&p->lock);
    done = ++p->done;
    if (error && (p->error == 0 || run < p->failed)) {
        p->error = error;
        p->failed = run;
    }
    pthread_mutex_unlock(&p->lock);
    if (p->job->progress)
        p->job->progress(p->job->progress_context, done);
}

static void *work(void *argument)
{
    struct pool *p = argument;
    void *worker = NULL;
    uint64_t run;

    if (p->job->worker_begin) {
        worker = p->job->worker_begin(p->job->context);
        if (!worker) {
            finish(p, UINT64_MAX, KNELL_POOL_NO_MEMORY);
            return NULL;
        }
    }
    while (claim(p, &run))
        finish(p, run, p->job->run(p->job->context, worker, run));
    if (p->job->worker_end && worker)
        p->job->worker_end(worker);
    return NULL;
}

int knell_pool_run(const struct knell_pool_job *job, uint64_t *failed_run)
{
    struct pool p = {.job = job};
    unsigned helpers = (job->threads < job->runs ? job->threads : (unsigned)job->runs);
    unsigned started = 0;
    pthread_t *threads;

    helpers = helpers > 0 ? helpers - 1 : 0;
    threads = calloc(helpers + 1, sizeof *threads);
    if (!threads)
        return KNELL_POOL_NO_MEMORY;
    pthread_mutex_init(&p.lock, NULL);
    /* With fewer threads than asked for the result is the same, only later. */
    while (started < helpers && pthread_create(&threads[started], NULL, work, &p) == 0)
        started++;
    work(&p);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&p.lock);
    free(threads);
    if (p.error && failed_run)
        *failed_run = p.failed;
    return p.error;
}

unsigned knell_pool_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}
