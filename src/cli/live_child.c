/* live_child: one process of `knell live`: starts a detector, passes on what it is told, leaves when the parent says so or
 * is no more. */
#include "cli/live.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int64_t now_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void write_note(const struct knell__live_child *child, struct knell__live_note *note)
{
    knell__live_notes_write(child->notes, child->rank, note);
}

static void on_fact(void *context, const struct knell_fact *fact)
{
    struct knell__live_note note = {.word = KNELL__LIVE_FAILED};
    if (fact->type != KNELL_FACT_FAILED)
        return;
    note.as.failed.rank = fact->rank;
    note.as.failed.by = fact->by;
    note.as.failed.why = fact->why;
    write_note(context, &note);
}

static void count(const struct knell__live_child *child, struct knell_runtime *runtime, int64_t begin, int64_t cpu)
{
    struct knell_runtime_counters counters;
    struct knell__live_note note = {.word = KNELL__LIVE_COUNTED};
    if (knell_runtime_counters(runtime, &counters) != 0)
        return;
    note.as.counted.datagrams = counters.datagrams_sent;
    note.as.counted.bytes = counters.bytes_sent;
    note.as.counted.missed = counters.core.heartbeats_missed;
    note.as.counted.starved = counters.starved_most;
    note.as.counted.cpu = now_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    note.as.counted.span = now_of(CLOCK_MONOTONIC) - begin;
    write_note(child, &note);
}

static void wait_for_end(const struct knell__live_child *child)
{
    struct pollfd stop = {.fd = child->stop, .events = POLLIN};
    while (poll(&stop, 1, 1000) <= 0)
        if (getppid() != child->parent)
            _exit(KNELL_EXIT_FAILED);
}

/* Hosts of this one machine differ by name and by address. */
static void place(const struct knell__live_child *child, struct knell_runtime_config *config, char address[32], char name[32])
{
    const struct knell__live_plan *plan = child->plan;
    int host = (int)(child->rank * plan->hosts / plan->nodes);
    if (plan->hosts == 1)
        return;
    snprintf(address, 32, "127.0.0.%d", host + 1);
    snprintf(name, 32, "live-%d", host);
    config->bind = address;
    config->host = name;
}

/* So that nobody's farewell is in another's counts: many processes take a while to be scheduled once each. */
static void let_others_count(const struct knell__live_plan *plan)
{
    int64_t ms = plan->nodes * 2 < 500 ? plan->nodes * 2 : 500;
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

_Noreturn void knell__live_child(const struct knell__live_child *child)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct knell__live_note started = {.word = KNELL__LIVE_STARTED}, broken = {.word = KNELL__LIVE_BROKEN};
    struct knell_runtime *runtime;
    char address[32], name[32];
    /* Whatever becomes of the parent, this ends with it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != child->parent)
        _exit(KNELL_EXIT_FAILED);
    signal(SIGINT, SIG_IGN); /* ctrl-C is for the parent to act on */
    config.rank = child->rank;
    config.ranks = (uint32_t)child->plan->nodes;
    config.eta = child->plan->eta;
    config.delta = child->plan->delta;
    config.key = child->key;
    config.key_size = child->key_size;
    config.rendezvous = child->rendezvous;
    config.rendezvous_fd = child->rank == 0 ? child->listening : -1;
    config.rendezvous_wait = child->plan->wait;
    config.no_shortcuts = child->plan->no_shortcuts;
    place(child, &config, address, name);
    config.on_fact = on_fact;
    config.on_fact_context = (void *)child;
    if (child->rank != 0)
        close(child->listening);
    if (knell_runtime_start(&config, &runtime, knell__live_notes_why(child->notes, child->rank)) != 0) {
        write_note(child, &broken);
        _exit(KNELL_EXIT_FAILED);
    }
    int64_t begin = now_of(CLOCK_MONOTONIC), cpu = now_of(CLOCK_PROCESS_CPUTIME_ID);
    write_note(child, &started);
    wait_for_end(child);
    count(child, runtime, begin, cpu);
    let_others_count(child->plan);
    knell_runtime_stop(runtime);
    _exit(KNELL_EXIT_OK);
}
