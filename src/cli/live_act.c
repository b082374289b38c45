/* live_act: what the parent of `knell live` does to its processes, and when it did it. */
#include "cli/live_run.h"
#include "os/clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

int64_t knell__live_clock(void)
{
    return knell__clock_now();
}

struct knell__injection *knell__injections_add(struct knell__injections *injections, struct knell__injection injection)
{
    if (injections->count == injections->room) {
        size_t room = injections->room ? 2 * injections->room : 64;
        struct knell__injection *grown = realloc(injections->item, room * sizeof *grown);
        if (!grown)
            return NULL;
        injections->item = grown;
        injections->room = room;
    }
    injections->item[injections->count] = injection;
    return &injections->item[injections->count++];
}

static void __attribute__((format(printf, 3, 4)))
show(const struct knell__live_run *run, int64_t when, const char *format, ...)
{
    va_list arguments;
    if (!run->show)
        return;
    fprintf(run->show, "%10.4f s  ", (double)(when - run->log->begin) * 1e-9);
    va_start(arguments, format);
    vfprintf(run->show, format, arguments);
    va_end(arguments);
    fputc('\n', run->show);
}

static void signal_one(struct knell__live_run *run, knell_rank rank, int number)
{
    pid_t pid = run->process[rank].pid;
    if (pid > 0)
        kill(pid, number);
}

void knell__live_kill(struct knell__live_run *run, struct knell__injection *injection)
{
    injection->done = knell__live_clock();
    signal_one(run, injection->rank, SIGKILL);
    show(run, injection->done, "rank %" PRIu32 " killed", injection->rank);
}

void knell__live_stop(struct knell__live_run *run, struct knell__injection *injection)
{
    injection->done = knell__live_clock();
    signal_one(run, injection->rank, SIGSTOP);
    run->process[injection->rank].stopped = true;
    show(run, injection->done, "rank %" PRIu32 " stopped", injection->rank);
}

void knell__live_resume(struct knell__live_run *run, struct knell__injection *injection)
{
    injection->resumed = knell__live_clock();
    signal_one(run, injection->rank, SIGCONT);
    run->process[injection->rank].stopped = false;
    show(run, injection->resumed, "rank %" PRIu32 " resumed", injection->rank);
}

/* The whole host: each of its processes is a victim at the same moment. */
static void cut(struct knell__live_run *run, const struct knell__injection *first)
{
    int host = knell__live_host_of(run->plan, first->rank);
    int64_t when = knell__live_hosts_cut(&run->hosts, host);
    if (when < 0) {
        run->status = knell__cli_broken(run->usage, "host %d cannot be cut off", host + 1);
        return;
    }
    for (int64_t rank = 0; rank < run->plan->ranks; rank++)
        run->process[rank].cut |= knell__live_host_of(run->plan, (knell_rank)rank) == host;
    for (size_t i = 0; i < run->plan->injections.count; i++) {
        struct knell__injection *other = &run->plan->injections.item[i];
        if (other->kind == KNELL__LIVE_CUT && knell__live_host_of(run->plan, other->rank) == host)
            other->done = when;
    }
    show(run, when, "host %d cut off", host + 1);
}

static void begin(struct knell__live_run *run, struct knell__injection *injection)
{
    switch (injection->kind) {
    case KNELL__LIVE_KILL:
        knell__live_kill(run, injection);
        break;
    case KNELL__LIVE_STOP:
        knell__live_stop(run, injection);
        break;
    case KNELL__LIVE_CUT:
        cut(run, injection);
        break;
    }
}

/* When something is to be done about it next, by the clock. */
static int64_t due(const struct knell__live_run *run, const struct knell__injection *injection)
{
    if (!injection->done)
        return run->log->begin + injection->at;
    return injection->lasts && !injection->resumed ? injection->done + injection->lasts : INT64_MAX;
}

int64_t knell__live_act(struct knell__live_run *run)
{
    int64_t next = run->log->begin + run->plan->duration;
    for (size_t i = 0; i < run->plan->injections.count && run->status == KNELL_EXIT_OK; i++) {
        struct knell__injection *injection = &run->plan->injections.item[i];
        if (due(run, injection) <= knell__live_clock()) {
            if (injection->done)
                knell__live_resume(run, injection);
            else
                begin(run, injection);
        }
        int64_t when = due(run, injection);
        next = when < next ? when : next;
    }
    return next;
}
