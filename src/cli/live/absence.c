/* live_away: when the machine itself was away, so that nobody is blamed for it: the time the hypervisor took, by the
 * system's account, and a thread per processor that only sleeps, before all others in line, and notes when it woke late. */
#include "cli/live/run.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS KNELL__LIVE_MS
enum { CPUS = 256, WINDOWS = 4096 /* kept; more than enough to make a measurement worthless */ };

struct watcher {
    pthread_t thread;
    struct knell__live_away *away;
    int cpu;
    int64_t longest;
};

struct knell__live_away {
    int64_t delta, nap;
    _Atomic bool over;
    pthread_mutex_t lock;
    struct knell__away window[WINDOWS];
    size_t windows;
    unsigned watchers;
    struct watcher watcher[CPUS];
    int64_t sampled;
    long stolen[CPUS]; /* in ticks, at the last sample */
    double steal_s;
};

static void note_window(struct knell__live_away *away, struct knell__away window)
{
    pthread_mutex_lock(&away->lock);
    if (away->windows < WINDOWS)
        away->window[away->windows++] = window;
    pthread_mutex_unlock(&away->lock);
}

/* ---- threads ------------------------------------------------------------------------------------------------------------- */

/* An absence may begin anywhere in a nap: what is seen of it is shorter by up to one. */
static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    struct knell__live_away *away = watcher->away;
    while (!atomic_load(&away->over)) {
        int64_t before = knell__live_clock();
        nanosleep(&(struct timespec){.tv_nsec = away->nap}, NULL);
        int64_t now = knell__live_clock(), late = now - before - away->nap;
        watcher->longest = late > watcher->longest ? late : watcher->longest;
        if (late > away->delta / 2 - away->nap)
            note_window(away, (struct knell__away){.begin = before, .end = now, .cpu = watcher->cpu});
    }
    return NULL;
}

/* Only before all others in line: an ordinary thread wakes late also because it is not its turn. */
static bool start_watcher(struct knell__live_away *away, int cpu)
{
    struct watcher *watcher = &away->watcher[away->watchers];
    pthread_attr_t attributes;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    *watcher = (struct watcher){.away = away, .cpu = cpu};
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes,
                               &(struct sched_param){.sched_priority = sched_get_priority_min(SCHED_FIFO)});
    bool started = pthread_create(&watcher->thread, &attributes, watch, watcher) == 0;
    pthread_attr_destroy(&attributes);
    away->watchers += started;
    return started;
}

/* ---- the system's account ------------------------------------------------------------------------------------------------ */

static void judge_stolen(struct knell__live_away *away, int cpu, long stolen, int64_t now)
{
    double seconds = (double)(stolen - away->stolen[cpu]) / (double)sysconf(_SC_CLK_TCK);
    away->stolen[cpu] = stolen;
    if (!away->sampled)
        return;
    away->steal_s = seconds > away->steal_s ? seconds : away->steal_s;
    if (seconds > (double)away->delta * 0.5e-9)
        note_window(away, (struct knell__away){.begin = away->sampled, .end = now, .cpu = cpu, .stolen = true});
}

/* "cpu3 user nice system idle iowait irq softirq steal ..." */
static void sample(struct knell__live_away *away, FILE *file, int64_t now)
{
    char line[512];
    int cpu;
    long stolen;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "cpu%d %*d %*d %*d %*d %*d %*d %*d %ld", &cpu, &stolen) == 2 && cpu >= 0 && cpu < CPUS)
            judge_stolen(away, cpu, stolen, now);
}

void knell__live_away_look(struct knell__live_away *away)
{
    int64_t now = knell__live_clock(), period = away->delta > 100 * MS ? away->delta : 100 * MS;
    if (now - away->sampled < period)
        return;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return;
    sample(away, file, now);
    fclose(file);
    away->sampled = now;
}

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

/* Short beside delta, but no more often than a thousand times a second, so as not to be a load itself. */
static int64_t nap_for(int64_t delta)
{
    int64_t nap = delta / 20 < MS ? MS : delta / 20;
    nap = nap > 10 * MS ? 10 * MS : nap;
    return nap < delta / 8 ? nap : delta / 8;
}

struct knell__live_away *knell__live_away_open(int64_t delta)
{
    struct knell__live_away *away = calloc(1, sizeof *away);
    cpu_set_t ours;
    if (!away)
        return NULL;
    away->delta = delta;
    away->nap = nap_for(delta);
    pthread_mutex_init(&away->lock, NULL);
    if (sched_getaffinity(0, sizeof ours, &ours) == 0)
        for (int cpu = 0; cpu < CPUS; cpu++)
            if (CPU_ISSET(cpu, &ours) && !start_watcher(away, cpu))
                break;
    knell__live_away_look(away);
    return away;
}

void knell__live_away_close(struct knell__live_away *away, struct knell__live_log *log)
{
    atomic_store(&away->over, true);
    for (unsigned i = 0; i < away->watchers; i++) {
        pthread_join(away->watcher[i].thread, NULL);
        double seconds = (double)away->watcher[i].longest / 1e9;
        log->longest_s = seconds > log->longest_s ? seconds : log->longest_s;
    }
    log->watched = away->watchers > 0;
    log->steal_s = away->steal_s;
    log->away = calloc(away->windows + 1, sizeof *log->away);
    log->aways = log->away ? away->windows : 0;
    if (log->away)
        memcpy(log->away, away->window, log->aways * sizeof *log->away);
    pthread_mutex_destroy(&away->lock);
    free(away);
}
