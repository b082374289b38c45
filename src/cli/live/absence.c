/* absence.c: times in which the machine itself was away, so that no detector is blamed for them. Two sources: the
 * time that the hypervisor took, by the kernel's account; and one real-time thread per processor that only sleeps
 * and records when it woke late. */
#include "cli/live/run.h"
#include "os/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS LIVE_MS
enum { CPUS = 256, WINDOWS = 4096 /* at most so many absences are kept; fewer already make a measurement worthless */ };

struct watcher {
    pthread_t thread;
    struct live_watch *watch;
    int cpu;
    int64_t longest;
};

struct live_watch {
    int64_t delta, nap;
    _Atomic bool over;
    pthread_mutex_t lock;
    struct live_absence window[WINDOWS];
    size_t windows;
    unsigned watchers;
    struct watcher watcher[CPUS];
    int64_t sampled;
    long stolen[CPUS]; /* in ticks, at the last sample */
    double steal_s;
};

static void note_window(struct live_watch *watch, struct live_absence window)
{
    pthread_mutex_lock(&watch->lock);
    if (watch->windows < WINDOWS)
        watch->window[watch->windows++] = window;
    pthread_mutex_unlock(&watch->lock);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* An absence may begin anywhere in a nap, so up to one nap of it goes unseen. */
static void *watch_processor(void *argument)
{
    struct watcher *watcher = argument;
    struct live_watch *watch = watcher->watch;
    while (!atomic_load(&watch->over)) {
        int64_t before = knell__clock_now();
        nanosleep(&(struct timespec){.tv_nsec = watch->nap}, NULL);
        int64_t now = knell__clock_now(), late = now - before - watch->nap;
        watcher->longest = late > watcher->longest ? late : watcher->longest;
        if (late > watch->delta / 2 - watch->nap)
            note_window(watch, (struct live_absence){.begin = before, .end = now, .cpu = watcher->cpu});
    }
    return NULL;
}

/* Only with real-time priority: an ordinary thread also wakes late because other threads have their turn. */
static bool start_watcher(struct live_watch *watch, int cpu)
{
    struct watcher *watcher = &watch->watcher[watch->watchers];
    pthread_attr_t attributes;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    *watcher = (struct watcher){.watch = watch, .cpu = cpu};
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes,
                               &(struct sched_param){.sched_priority = sched_get_priority_min(SCHED_FIFO)});
    bool started = pthread_create(&watcher->thread, &attributes, watch_processor, watcher) == 0;
    pthread_attr_destroy(&attributes);
    watch->watchers += started;
    return started;
}

/* ---- the system's account ---------------------------------------------------------------------------------------- */

static void judge_stolen(struct live_watch *watch, int cpu, long stolen, int64_t now)
{
    double seconds = (double)(stolen - watch->stolen[cpu]) / (double)sysconf(_SC_CLK_TCK);
    watch->stolen[cpu] = stolen;
    if (!watch->sampled)
        return;
    watch->steal_s = seconds > watch->steal_s ? seconds : watch->steal_s;
    if (seconds > (double)watch->delta * 0.5e-9)
        note_window(watch, (struct live_absence){.begin = watch->sampled, .end = now, .cpu = cpu, .stolen = true});
}

/* "cpu3 user nice system idle iowait irq softirq steal ..." */
static void sample(struct live_watch *watch, FILE *file, int64_t now)
{
    char line[512];
    int cpu;
    long stolen;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "cpu%d %*d %*d %*d %*d %*d %*d %*d %ld", &cpu, &stolen) == 2 && cpu >= 0 && cpu < CPUS)
            judge_stolen(watch, cpu, stolen, now);
}

void live_watch_look(struct live_watch *watch)
{
    int64_t now = knell__clock_now(), period = watch->delta > 100 * MS ? watch->delta : 100 * MS;
    if (now - watch->sampled < period)
        return;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return;
    sample(watch, file, now);
    fclose(file);
    watch->sampled = now;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Much shorter than delta, but at least a millisecond, so that the watchers are no load themselves. */
static int64_t nap_for(int64_t delta)
{
    int64_t nap = delta / 20 < MS ? MS : delta / 20;
    nap = nap > 10 * MS ? 10 * MS : nap;
    return nap < delta / 8 ? nap : delta / 8;
}

struct live_watch *live_watch_open(int64_t delta)
{
    struct live_watch *watch = calloc(1, sizeof *watch);
    cpu_set_t ours;
    if (!watch)
        return NULL;
    watch->delta = delta;
    watch->nap = nap_for(delta);
    pthread_mutex_init(&watch->lock, NULL);
    if (sched_getaffinity(0, sizeof ours, &ours) == 0)
        for (int cpu = 0; cpu < CPUS; cpu++)
            if (CPU_ISSET(cpu, &ours) && !start_watcher(watch, cpu))
                break;
    live_watch_look(watch);
    return watch;
}

void live_watch_close(struct live_watch *watch, struct live_record *record)
{
    atomic_store(&watch->over, true);
    for (unsigned i = 0; i < watch->watchers; i++) {
        pthread_join(watch->watcher[i].thread, NULL);
        double seconds = (double)watch->watcher[i].longest / 1e9;
        record->longest_s = seconds > record->longest_s ? seconds : record->longest_s;
    }
    record->watched = watch->watchers > 0;
    record->steal_s = watch->steal_s;
    record->absence = calloc(watch->windows + 1, sizeof *record->absence);
    record->absences = record->absence ? watch->windows : 0;
    if (record->absence)
        memcpy(record->absence, watch->window, record->absences * sizeof *record->absence);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
