/* act.c: kills, stops, resumes and cuts that the parent of `knell live` carries out, with their times. */
#include "cli/live/run.h"
#include "os/clock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

struct live_injection *live_injections_add(struct live_injections *injections, struct live_injection injection)
{
    if (injections->count == injections->room) {
        size_t room = injections->room ? 2 * injections->room : 64;
        struct live_injection *grown = realloc(injections->item, room * sizeof *grown);
        if (!grown)
            return NULL;
        injections->item = grown;
        injections->room = room;
    }
    injections->item[injections->count] = injection;
    return &injections->item[injections->count++];
}

static void __attribute__((format(printf, 3, 4)))
show(const struct live_run *run, int64_t when, const char *format, ...)
{
    va_list arguments;
    if (!run->show)
        return;
    fprintf(run->show, "%10.4f s  ", (double)(when - run->record->begin) * 1e-9);
    va_start(arguments, format);
    vfprintf(run->show, format, arguments);
    va_end(arguments);
    fputc('\n', run->show);
}

static void signal_one(struct live_run *run, knell_rank rank, int number)
{
    pid_t pid = run->process[rank].pid;
    if (pid > 0)
        kill(pid, number);
}

void live_kill(struct live_run *run, struct live_injection *injection)
{
    injection->done = knell__clock_now();
    signal_one(run, injection->rank, SIGKILL);
    show(run, injection->done, "rank %" PRIu32 " killed", injection->rank);
}

void live_stop(struct live_run *run, struct live_injection *injection)
{
    injection->done = knell__clock_now();
    signal_one(run, injection->rank, SIGSTOP);
    run->process[injection->rank].stopped = true;
    show(run, injection->done, "rank %" PRIu32 " stopped", injection->rank);
}

void live_resume(struct live_run *run, struct live_injection *injection)
{
    injection->resumed = knell__clock_now();
    signal_one(run, injection->rank, SIGCONT);
    run->process[injection->rank].stopped = false;
    show(run, injection->resumed, "rank %" PRIu32 " resumed", injection->rank);
}

/* Cuts off the whole host: all its processes become victims at the same moment. */
static void cut(struct live_run *run, const struct live_injection *first)
{
    int host = live_host_of(run->plan, first->rank);
    int64_t when = live_hosts_cut(&run->hosts, host);
    if (when < 0) {
        run->status = cli_failure(run->usage, "host %d cannot be cut off", host + 1);
        return;
    }
    for (int64_t rank = 0; rank < run->plan->ranks; rank++)
        run->process[rank].cut |= live_host_of(run->plan, (knell_rank)rank) == host;
    for (size_t i = 0; i < run->plan->injections.count; i++) {
        struct live_injection *other = &run->plan->injections.item[i];
        if (other->kind == LIVE_CUT && live_host_of(run->plan, other->rank) == host)
            other->done = when;
    }
    show(run, when, "host %d cut off", host + 1);
}

static void begin(struct live_run *run, struct live_injection *injection)
{
    switch (injection->kind) {
    case LIVE_KILL:
        live_kill(run, injection);
        break;
    case LIVE_STOP:
        live_stop(run, injection);
        break;
    case LIVE_CUT:
        cut(run, injection);
        break;
    }
}

/* When the next action for this injection is due, by the clock. */
static int64_t due(const struct live_run *run, const struct live_injection *injection)
{
    if (!injection->done)
        return run->record->begin + injection->at;
    return injection->lasts && !injection->resumed ? injection->done + injection->lasts : INT64_MAX;
}

int64_t live_act(struct live_run *run)
{
    int64_t next = run->record->begin + run->plan->duration;
    for (size_t i = 0; i < run->plan->injections.count && run->status == EXIT_OK; i++) {
        struct live_injection *injection = &run->plan->injections.item[i];
        if (due(run, injection) <= knell__clock_now()) {
            if (injection->done)
                live_resume(run, injection);
            else
                begin(run, injection);
        }
        int64_t when = due(run, injection);
        next = when < next ? when : next;
    }
    return next;
}
