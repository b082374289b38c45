/* start: from a configuration to a running detector, and back to nothing. */
#include "os/pages.h"
#include "os/thread.h"
#include "runtime/crowd.h"
#include "runtime/state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { JOIN_SLOTS = 8 };

struct knell_runtime_config knell_runtime_config_default(void)
{
    return (struct knell_runtime_config){
        .eta = 100 * MS,
        .delta = 500 * MS,
        .rendezvous_fd = -1,
        .rendezvous_wait = 10000 * MS,
    };
}

int knell__runtime_fail(char *why, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, KNELL_RUNTIME_WHY, format, arguments);
    va_end(arguments);
    return error;
}

/* ---- checking ---------------------------------------------------------------------------------------------------------- */

static struct knell_config core_config(const struct knell_runtime_config *config)
{
    knell_time half = (config->delta - config->eta) / 2, tau = half < MS ? half : MS;
    return (struct knell_config){
        .ranks = config->ranks,
        .eta = config->eta,
        .delta = config->delta,
        .tau = config->tau ? config->tau
               : tau > 0   ? tau
                           : 1,
        .overlay = config->overlay,
        .latest_only = config->latest_only,
        .beats = KNELL_BEATS_SENT, /* the board is one of the ways to send: drive.c */
        .combine = config->combine,
        .combine_count = config->combine_count,
        .tree_bits = config->tree_bits,
        .on_split = config->on_split,
    };
}

static int check(const struct knell_runtime_config *config, char *why)
{
    struct knell_config core = core_config(config);
    struct knell__address address;
    const char *sentence;
    if (knell_config_check(&core, &sentence) != 0)
        return knell__runtime_fail(why, KNELL_EINVAL, "%s", sentence);
    if (config->rank >= config->ranks)
        return knell__runtime_fail(why, KNELL_EINVAL, "rank %u of %u: must be below their number", config->rank,
                                   config->ranks);
    if (!config->key || config->key_size < KNELL_RUNTIME_KEY_MIN || config->key_size > KNELL_RUNTIME_KEY_MAX)
        return knell__runtime_fail(why, KNELL_EINVAL, "key: %zu bytes given, %d to %d needed",
                                   config->key ? config->key_size : (size_t)0, KNELL_RUNTIME_KEY_MIN,
                                   KNELL_RUNTIME_KEY_MAX);
    if (!config->rendezvous)
        return knell__runtime_fail(why, KNELL_EINVAL, "rendezvous: an address or file:PATH is needed");
    if (strncmp(config->rendezvous, "file:", 5) != 0 && knell__address_parse(config->rendezvous, &address) != 0)
        return knell__runtime_fail(why, KNELL_EINVAL, "rendezvous %.80s: neither address:port in numbers nor file:PATH",
                                   config->rendezvous);
    if (config->rendezvous_wait <= 0)
        return knell__runtime_fail(why, KNELL_EINVAL, "rendezvous_wait: must be more than nothing");
    return 0;
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

static int make_node(struct knell_runtime *runtime)
{
    struct knell_limits limits = knell_limits_default();
    uint32_t ranges = 4 * (runtime->config.ranks / 2 + 1);
    void *memory = malloc(knell_node_size(&limits)), *join = calloc(1, knell_wire_join_size(JOIN_SLOTS, ranges));
    if (memory && join &&
        knell_node_init(memory, &limits, &runtime->core, runtime->config.rank, &runtime->core_counters,
                        &runtime->node) == 0 &&
        knell_wire_join_init(join, runtime->config.ranks, JOIN_SLOTS, ranges, &runtime->join) == 0)
        return 0;
    runtime->node = NULL;
    free(memory);
    free(join);
    return KNELL_ESYSTEM;
}

static knell_time longer(knell_time a, knell_time b)
{
    return a > b ? a : b;
}

/* Everything whose size is known before the others are. */
static int make_parts(struct knell_runtime *runtime, char *why)
{
    runtime->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    runtime->facts_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    runtime->ears = knell__ears_open();
    if (runtime->wake < 0 || runtime->facts_fd < 0 || runtime->ears < 0 ||
        !knell__ears_add(runtime->ears, runtime->wake, KNELL__HEARD_WISH))
        return knell__runtime_fail(why, KNELL_ESYSTEM, "eventfd, epoll: %s", strerror(errno));
    runtime->outbox = calloc(1, sizeof *runtime->outbox);
    runtime->other = knell__pages_take(runtime->config.ranks * sizeof *runtime->other);
    if (!runtime->outbox || !runtime->other || make_node(runtime) != 0 || knell__facts_init(&runtime->facts) != 0 ||
        knell__channel_init(&runtime->channel, &runtime->key, runtime->config.rank, runtime->config.ranks, 20 * MS) !=
            0)
        return knell__runtime_fail(why, KNELL_ESYSTEM, "no memory for %u processes", runtime->config.ranks);
    runtime->channel.driver = runtime;
    runtime->channel.emit = knell__outbox_put;
    return 0;
}

static void free_all(struct knell_runtime *runtime)
{
    const int fds[] = {runtime->ears, runtime->control,  runtime->beats,
                       runtime->wake, runtime->facts_fd, runtime->watch_fd};
    for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0 && !runtime->inert)
            close(fds[i]);
    for (struct knell__registered *group = runtime->groups, *next; group; group = next) {
        next = group->next;
        free(group);
    }
    knell__board_unmap(&runtime->board);
    knell__channel_free(&runtime->channel);
    knell__facts_free(&runtime->facts);
    free(runtime->node);
    free(runtime->join);
    free(runtime->outbox);
    knell__pages_give(runtime->other, runtime->config.ranks * sizeof *runtime->other);
    knell__pages_give(runtime->own_directory, knell__directory_size(runtime->config.ranks));
    free(runtime->named);
    pthread_mutex_destroy(&runtime->lock);
    sodium_memzero(&runtime->key, sizeof runtime->key);
    free(runtime);
}

/* An answer takes two journeys and a turn of the other on a processor, for which all detectors that share one may stand in line;
 * other hosts are taken to be like this one. */
static knell_time time_to_repeat(const struct knell_runtime *runtime)
{
    struct knell__crowd crowd;
    knell__crowd_begin(&crowd);
    for (uint32_t i = 0; i < runtime->config.ranks; i++)
        if (runtime->directory.member[i].local)
            knell__crowd_add(&crowd, runtime->directory.member[i].process.pid);
    return longer(longer(20 * MS, 4 * runtime->core.tau), crowd.processes * MS / knell__crowd_processors(&crowd));
}

/* The heartbeats of a host fall on multiples of eta of its clock: one wake-up of the processor serves all its detectors, and
 * what they take from the program they take from all its processes at once. */
static knell_time to_the_grid(const struct knell_runtime *runtime)
{
    knell_time eta = runtime->config.eta;
    return eta - runtime->now % eta;
}

/* The others begin when the word reaches them, on a busy machine not all at once: the first heartbeat may come later. */
static void begin(struct knell_runtime *runtime)
{
    knell__channel_pace(&runtime->channel, time_to_repeat(runtime));
    runtime->now = knell__clock_now();
    runtime->asked = KNELL_NEVER;
    runtime->watch_again = true;
    knell__drive(runtime, &(struct knell_event){
                              .type = KNELL_EVENT_START,
                              .as.start = {to_the_grid(runtime), longer(2 * runtime->config.delta, 5000 * MS)}});
}

static struct knell_runtime *make(const struct knell_runtime_config *config)
{
    struct knell_runtime *runtime = aligned_alloc(64, (sizeof *runtime + 63) & ~(size_t)63);
    if (!runtime)
        return NULL;
    memset(runtime, 0, sizeof *runtime);
    runtime->config = *config;
    runtime->core = core_config(config);
    runtime->ears = runtime->control = runtime->beats = runtime->wake = -1;
    runtime->facts_fd = runtime->watch_fd = runtime->board_fd = -1;
    runtime->watched = KNELL_NOBODY;
    runtime->killed = KNELL_NOBODY;
    knell__lock_make(&runtime->lock);
    return runtime;
}

int knell_runtime_start(const struct knell_runtime_config *config, struct knell_runtime **runtime, char *why)
{
    int error = check(config, why);
    if (error)
        return error;
    struct knell_runtime *made = make(config);
    if (!made)
        return knell__runtime_fail(why, KNELL_ESYSTEM, "no memory");
    error = knell__key_set(&made->key, config->key, config->key_size);
    if (error)
        knell__runtime_fail(why, error, "libsodium cannot be used");
    if (!error)
        error = make_parts(made, why);
    if (!error)
        error = knell__meet(made, why);
    made->config.key = NULL; /* the caller's, and not needed again */
    made->config.rendezvous = made->config.bind = made->config.host = NULL;
    if (!error) {
        knell__fork_register(made);
        begin(made);
        error = knell__thread_start(&made->thread, knell__loop, made);
        if (error) {
            knell__fork_forget(made);
            knell__runtime_fail(why, error, "no thread for the detector");
        } else if (made->shortcuts) {
            knell__local_begin(made);
        }
    }
    if (error)
        free_all(made);
    else
        *runtime = made;
    return error;
}

void knell_runtime_stop(struct knell_runtime *runtime)
{
    if (!runtime)
        return;
    if (!runtime->inert) {
        pthread_mutex_lock(&runtime->lock);
        knell_time now = knell__clock_now();
        runtime->now = now > runtime->now ? now : runtime->now;
        knell__drive(runtime,
                     &(struct knell_event){.type = KNELL_EVENT_LEAVE}); /* refused when fenced: then just end */
        knell__outbox_flush(runtime);
        runtime->leaving = true;
        runtime->linger = runtime->now + longer(2 * runtime->config.delta, 1000 * MS);
        pthread_mutex_unlock(&runtime->lock);
        ssize_t written = write(runtime->wake, &(uint64_t){1}, sizeof(uint64_t));
        (void)written;
        pthread_join(runtime->thread, NULL);
        knell__sentinel_stop(&runtime->sentinel);
        knell__fork_forget(runtime);
    }
    free_all(runtime);
}
