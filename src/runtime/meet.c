/* meet: from a configuration to a table of all processes: own socket and board, rendezvous, who shares this host, the ring's
 * order. */
#include "os/pages.h"
#include "runtime/host.h"
#include "runtime/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- this host ------------------------------------------------------------------------------------------------------- */

static int find_place(struct knell_runtime *runtime, struct knell__rendezvous_point *me, char *why)
{
    const char *text = runtime->config.bind ? runtime->config.bind : "127.0.0.1";
    struct knell__address address, beats, bound;
    if (knell__address_parse_host(text, &address) != 0)
        return knell__runtime_fail(why, KNELL_EINVAL, "bind %s: not a numeric address", text);
    runtime->control = knell__address_bind_datagrams(&address, &bound);
    runtime->beats = knell__address_bind_datagrams(&address, &beats);
    if (runtime->control < 0 || runtime->beats < 0 ||
        !knell__ears_add(runtime->ears, runtime->control, KNELL__HEARD_CONTROL))
        return knell__runtime_fail(why, KNELL_ESYSTEM, "bind %s: %s", text, strerror(errno));
    if (!runtime->config.no_shortcuts)
        runtime->board_fd = knell__board_create(runtime->config.ranks); /* without one there is the ring */
    struct knell__process self = knell__process_self();
    memset(me, 0, sizeof *me);
    memcpy(me->address, &bound.as, bound.size);
    me->address_size = (uint16_t)bound.size;
    me->beats_port = knell__address_port(&beats);
    me->pid = self.pid;
    me->started = self.started;
    me->board_fd = runtime->board_fd < 0 ? -1 : runtime->board_fd;
    randombytes_buf(me->nonce, sizeof me->nonce);
    knell__host_id(runtime->config.host, me->host);
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* Heartbeats of another clock are translated by when they came, and they are heard later than that. */
static void ask_for_stamps(const struct knell_runtime *runtime)
{
    int yes = 1;
    setsockopt(runtime->beats, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes); /* without: later by up to eta */
}

static int take_table(struct knell_runtime *runtime, const struct knell__rendezvous_point *table, char *why)
{
    uint32_t ranks = runtime->config.ranks;
    knell_rank wrong;
    runtime->own_directory = knell__pages_take(knell__directory_size(ranks));
    if (!runtime->own_directory)
        return knell__runtime_fail(why, KNELL_ESYSTEM, "no memory for %u processes", ranks);
    runtime->directory = knell__directory_at(runtime->own_directory, ranks);
    if (knell__directory_fill(&runtime->directory, table, runtime->config.rank, &wrong) != 0)
        return knell__runtime_fail(why, KNELL_EPEER, "rank %u has an address of no known form", wrong);
    return 0;
}

/* The board of a host is that of its first process, which also writes the directory, before all are told to go. */
static bool map_board(struct knell_runtime *runtime, const struct knell__rendezvous_point *table)
{
    uint32_t first = 0, self = runtime->config.rank, ranks = runtime->config.ranks;
    if (runtime->board_fd < 0)
        return false;
    while (!runtime->directory.member[first].local)
        first++;
    int fd = first == self ? runtime->board_fd : knell__board_open(table[first].pid, table[first].board_fd);
    if (fd < 0)
        return false;
    bool mapped = knell__board_map(&runtime->board, fd, ranks) == 0;
    if (mapped && first == self)
        memcpy(knell__board_directory(&runtime->board), runtime->own_directory, knell__directory_size(ranks));
    if (fd != runtime->board_fd)
        close(fd);
    return mapped;
}

/* All of this host have the board, or none uses it. */
static void settle(struct knell_runtime *runtime, bool board)
{
    runtime->shortcuts = board;
    if (board) {
        knell__pages_give(runtime->own_directory, knell__directory_size(runtime->config.ranks));
        runtime->own_directory = NULL;
        runtime->directory = knell__directory_at(knell__board_directory(&runtime->board), runtime->config.ranks);
    } else {
        knell__board_unmap(&runtime->board);
    }
    bool several = knell__directory_has_several_hosts(&runtime->directory);
    runtime->beats_come = several || !board;
    if (several) {
        ask_for_stamps(runtime);
        runtime->core.ring_order = runtime->directory.order;
        runtime->core.ring_position = runtime->directory.position;
    }
}

/* ---- rank 0 listens ---------------------------------------------------------------------------------------------------- */

struct host {
    pthread_t thread;
    const struct knell__rendezvous *meet;
    int listening;
    const char *file; /* to be removed */
};

/* Appears at once and whole. */
static int write_file(const char *path, const struct knell__address *address)
{
    char name[4096], text[KNELL__ADDRESS_TEXT];
    if (snprintf(name, sizeof name, "%s.%ld", path, (long)getpid()) >= (int)sizeof name)
        return KNELL_ESYSTEM;
    FILE *file = fopen(name, "we");
    if (!file)
        return KNELL_ESYSTEM;
    bool written = fprintf(file, "%s\n", knell__address_text(address, text)) > 0;
    if (fclose(file) == 0 && written && rename(name, path) == 0)
        return 0;
    unlink(name);
    return KNELL_ESYSTEM;
}

static int open_door(struct knell_runtime *runtime, struct host *host)
{
    const struct knell_runtime_config *config = &runtime->config;
    bool file = strncmp(config->rendezvous, "file:", 5) == 0;
    struct knell__address address, bound;
    if (config->rendezvous_fd >= 0) {
        host->listening = config->rendezvous_fd;
        return 0;
    }
    if (file)
        knell__address_parse_host(config->bind ? config->bind : "127.0.0.1", &address);
    else
        knell__address_parse(config->rendezvous, &address);
    host->listening = knell__address_listen(&address, &bound);
    if (host->listening < 0 || (file && write_file(config->rendezvous + 5, &bound) != 0))
        return knell__runtime_fail(host->meet->why, KNELL_ESYSTEM, "rendezvous %s: %s", config->rendezvous,
                                   strerror(errno));
    host->file = file ? config->rendezvous + 5 : NULL;
    return 0;
}

static void *receive_all(void *argument)
{
    struct host *host = argument;
    knell__rendezvous_serve(host->meet->key, &host->meet->terms, host->listening, host->meet->deadline);
    return NULL;
}

static void close_door(struct host *host)
{
    if (host->listening >= 0)
        close(host->listening);
    if (host->file)
        unlink(host->file);
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

static int join_others(struct knell_runtime *runtime, const struct knell__rendezvous *meet,
                       const struct knell__rendezvous_point *me, struct knell__rendezvous_point *table, uint8_t *boards)
{
    char *why = meet->why;
    int fd = knell__rendezvous_join(meet, runtime->config.rendezvous, me, table);
    if (fd < 0)
        return fd;
    int error = take_table(runtime, table, why);
    if (!error)
        error = knell__rendezvous_ready(meet, fd, map_board(runtime, table), boards);
    if (!error)
        settle(runtime, boards[runtime->config.rank]);
    close(fd);
    return error;
}

static struct knell__terms terms_of(const struct knell_config *core, bool no_shortcuts)
{
    struct knell__terms terms;
    memset(&terms, 0, sizeof terms);
    terms.ranks = core->ranks;
    terms.flags = (uint16_t)((no_shortcuts ? KNELL__TERMS_NO_SHORTCUTS : 0) |
                             (core->overlay == KNELL_OVERLAY_HBA ? KNELL__TERMS_HBA : 0) |
                             (core->latest_only ? KNELL__TERMS_LATEST_ONLY : 0) |
                             (core->on_split == KNELL_SPLIT_END ? KNELL__TERMS_SPLIT_END : 0));
    terms.tree_bits = (uint16_t)core->tree_bits;
    terms.eta = core->eta;
    terms.delta = core->delta;
    terms.tau = core->tau;
    return terms;
}

static int meet_all(struct knell_runtime *runtime, struct knell__rendezvous *meet,
                    const struct knell__rendezvous_point *me, struct knell__rendezvous_point *table, uint8_t *boards)
{
    struct host host = {.meet = meet, .listening = -1};
    bool serving = false;
    int error = runtime->config.rank == 0 ? open_door(runtime, &host) : 0;
    if (!error && runtime->config.rank == 0) {
        serving = pthread_create(&host.thread, NULL, receive_all, &host) == 0;
        if (!serving)
            error = knell__runtime_fail(meet->why, KNELL_ESYSTEM, "no thread for the rendezvous");
    }
    if (!error) {
        struct knell__rendezvous mine = *meet;
        mine.deadline += INT64_C(500000000); /* who is missing is said by the server, at its deadline */
        error = join_others(runtime, &mine, me, table, boards);
    }
    if (serving)
        pthread_join(host.thread, NULL);
    close_door(&host);
    return error;
}

int knell__meet(struct knell_runtime *runtime, char *why)
{
    uint32_t ranks = runtime->config.ranks;
    struct knell__rendezvous_point me, *table = knell__pages_take(ranks * sizeof *table);
    uint8_t *boards = calloc(ranks, 1);
    struct knell__rendezvous meet = {
        .key = &runtime->key,
        .terms = terms_of(&runtime->core, runtime->config.no_shortcuts),
        .rank = runtime->config.rank,
        .deadline = knell__clock_now() + runtime->config.rendezvous_wait,
        .why = why,
    };
    randombytes_buf(meet.nonce, sizeof meet.nonce);
    bool room = table && boards;
    int error = room ? find_place(runtime, &me, why) : knell__runtime_fail(why, KNELL_ESYSTEM, "no memory");
    if (room && !error)
        error = meet_all(runtime, &meet, &me, table, boards);
    /* From here on a key of this job alone: what another job with the same secret has said is of no use. */
    if (!error && knell__key_derive(&runtime->key, table, ranks * sizeof *table) != 0)
        error = knell__runtime_fail(why, KNELL_ESYSTEM, "libsodium cannot be used");
    if (runtime->board_fd >= 0)
        close(runtime->board_fd); /* mapped or not: from here on nobody opens it */
    runtime->board_fd = -1;
    knell__pages_give(table, ranks * sizeof *table);
    free(boards);
    return error;
}
