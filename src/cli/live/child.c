/* child.c: one process of `knell live`. It starts a detector, notes what the detector reports, writes its counters
 * when the parent asks, and leaves when all have done so or the parent is gone. */
#include "cli/live/live.h"
#include "os/clock.h"

#include <dirent.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct self {
    const struct live_child *child;
    struct knell_runtime *_Atomic runtime; /* NULL while the detector starts */
    int64_t begin, cpu;
    int descriptors;
    long kib;
};

static void write_note(const struct self *self, struct live_note *note)
{
    live_notes_write(self->child->notes, self->child->rank, note);
}

static void on_fact(void *context, const struct knell_fact *fact)
{
    struct self *self = context;
    struct live_note note = {.word = LIVE_NOTE_FAILED};
    struct knell_runtime_counters counters;
    struct knell_runtime *runtime = self->runtime;
    if (fact->type != KNELL_FACT_FAILED)
        return;
    note.as.failed.rank = fact->rank;
    note.as.failed.by = fact->by;
    note.as.failed.why = fact->why;
    if (runtime && knell_runtime_counters(runtime, &counters) == 0) {
        note.as.failed.starved = (uint32_t)counters.starved;
        note.as.failed.starved_most = counters.starved_most;
    }
    write_note(self, &note);
}

/* ---- resources of the process ------------------------------------------------------------------------------------ */

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* The private memory of this process in KiB: neither mapped files nor shared memory. */
static long count_memory(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    long kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

static void begin_counting(struct self *self)
{
    self->begin = knell__clock_now();
    self->cpu = knell__clock_used();
}

static void count(const struct self *self, int64_t end, int64_t cpu)
{
    struct knell_runtime_counters counters;
    struct live_note note = {.word = LIVE_NOTE_COUNTED};
    if (knell_runtime_counters(self->runtime, &counters) != 0)
        return;
    note.as.counted.datagrams = counters.datagrams_sent;
    note.as.counted.bytes = counters.bytes_sent;
    note.as.counted.missed = counters.core.heartbeats_missed;
    note.as.counted.broadcasts = counters.core.broadcasts_started;
    note.as.counted.forwarded = counters.core.broadcasts_forwarded;
    note.as.counted.starved = counters.starved_most;
    note.as.counted.cpu = cpu - self->cpu;
    note.as.counted.span = end - self->begin;
    note.as.counted.descriptors_grown = count_descriptors() - self->descriptors;
    note.as.counted.kib_grown = (int32_t)(count_memory() - self->kib);
    write_note(self, &note);
}

/* Notes which ranks the detector considers gone. The counters come after this, as the last note. */
static void tell_view(const struct self *self)
{
    size_t room = (size_t)self->child->plan->ranks, ranges;
    struct knell_range *range = calloc(room, sizeof *range);
    if (!range || knell_runtime_view(self->runtime, range, room, &ranges) != 0)
        ranges = 0;
    for (size_t i = 0; i < ranges; i++) {
        struct live_note note = {.word = LIVE_NOTE_GONE, .as.gone = range[i]};
        write_note(self, &note);
    }
    free(range);
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

/* Waits until the parent closes its end, or dies; its death ends this process anyway. */
static void wait_for(int fd)
{
    struct pollfd closed = {.fd = fd, .events = POLLIN};
    while (poll(&closed, 1, -1) <= 0)
        ;
}

static void configure(struct self *self, struct knell_runtime_config *config)
{
    const struct live_child *child = self->child;
    *config = knell_runtime_config_default();
    config->rank = child->rank;
    config->ranks = (uint32_t)child->plan->ranks;
    config->eta = child->plan->eta;
    config->delta = child->plan->delta;
    config->key = child->key;
    config->key_size = child->key_size;
    config->rendezvous = child->rendezvous;
    config->rendezvous_fd = child->rank == 0 ? child->listening : -1;
    config->rendezvous_wait = child->plan->wait;
    config->bind = child->bind;
    config->host = child->host;
    config->overlay = (enum knell_overlay)child->plan->overlay;
    config->latest_only = child->plan->latest_only;
    config->no_shortcuts = child->plan->no_shortcuts;
    config->ordinary_priority = child->plan->ordinary;
    config->on_fact = on_fact;
    config->on_fact_context = self;
}

_Noreturn void live_child_run(const struct live_child *child)
{
    struct self self = {.child = child};
    struct knell_runtime_config config;
    struct live_note started = {.word = LIVE_NOTE_STARTED}, broken = {.word = LIVE_NOTE_BROKEN};
    struct knell_runtime *runtime;
    if (child->rank != 0)
        close(child->listening);
    configure(&self, &config);
    if (knell_runtime_start(&config, &runtime, live_notes_why(child->notes, child->rank)) != 0) {
        write_note(&self, &broken);
        _exit(EXIT_FAILED);
    }
    self.runtime = runtime;
    self.descriptors = count_descriptors();
    self.kib = count_memory();
    begin_counting(&self);
    write_note(&self, &started);
    wait_for(child->stop);
    int64_t end = knell__clock_now(), cpu = knell__clock_used();
    tell_view(&self);
    count(&self, end, cpu);
    wait_for(child->leave);
    knell_runtime_stop(runtime);
    _exit(EXIT_OK);
}
