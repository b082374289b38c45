/* rendezvous_serve: rank 0's part of rendezvous.h: one loop over all who have come, none of whom can hold up the others. */
#include "os/clock.h"
#include "runtime/rendezvous_door.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    NAMED = 8, /* missing ranks that are named */
    ROUND_HELLO = sizeof(struct knell__hello) + KNELL__FRAME_TAG,
    ROUND_READY = 1 + KNELL__FRAME_TAG,
};
#define TELL_ERROR_NS INT64_C(1000000000) /* to tell everybody what went wrong */

struct server {
    const struct knell__key *key;
    struct knell__terms terms;
    knell_time deadline;
    struct knell__door door;
    uint32_t wrong_keys;
    uint32_t heard; /* honest hellos, also of those who are wrong */
    uint32_t greeted, ready;
    struct knell__answer answer; /* once something is wrong */
};

/* The first thing that is wrong is told to all, also to those who are still on their way. */
static void fail(struct server *server, int error, const char *what)
{
    knell_time soon = knell__clock_now() + TELL_ERROR_NS;
    if (server->answer.error)
        return;
    server->deadline = soon < server->deadline ? soon : server->deadline;
    server->answer.error = error;
    snprintf(server->answer.why, sizeof server->answer.why, "%s", what);
}

/* ---- what comes in --------------------------------------------------------------------------------------------------- */

/* One descriptor for each process is needed, for as long as all meet. */
static void fail_full(struct server *server)
{
    char what[KNELL_RUNTIME_WHY];
    snprintf(what, sizeof what,
             "rank 0 may not open as many descriptors as %u processes need to meet: raise its limit (ulimit -n)",
             server->terms.ranks);
    fail(server, KNELL_ESYSTEM, what);
}

/* What differs, first of all; NULL: nothing does. */
static const char *difference(const struct knell__terms *a, const struct knell__terms *b)
{
    unsigned flags = a->flags ^ b->flags;
    return a->eta != b->eta                    ? "eta"
           : a->delta != b->delta              ? "delta"
           : a->tau != b->tau                  ? "tau"
           : flags & KNELL__TERMS_HBA          ? "overlay"
           : flags & KNELL__TERMS_LATEST_ONLY  ? "latest_only"
           : flags & KNELL__TERMS_NO_SHORTCUTS ? "shortcuts"
           : flags & KNELL__TERMS_SPLIT_END    ? "on_split"
           : a->tree_bits != b->tree_bits      ? "tree_bits"
           : flags                             ? "flags of another version"
                                               : NULL;
}

static void check_hello(struct server *server, struct knell__visitor *visitor)
{
    const struct knell__hello *hello = &visitor->hello;
    char what[KNELL_RUNTIME_WHY];
    if (hello->terms.ranks != server->terms.ranks || hello->rank >= server->terms.ranks) {
        snprintf(what, sizeof what, "rank %u says there are %u processes, rank 0 says %u", hello->rank,
                 hello->terms.ranks, server->terms.ranks);
        fail(server, KNELL_EPEER, what);
        return;
    }
    const char *differs = difference(&hello->terms, &server->terms);
    if (differs) {
        snprintf(what, sizeof what, "rank %u and rank 0 are configured differently: %s", hello->rank, differs);
        fail(server, KNELL_EPEER, what);
        return;
    }
    for (uint32_t i = 0; i < server->door.slots; i++)
        if (&server->door.visitor[i] != visitor && server->door.visitor[i].fd >= 0 &&
            server->door.visitor[i].rank == hello->rank) {
            snprintf(what, sizeof what, "rank %u came twice", hello->rank);
            fail(server, KNELL_EPEER, what);
        }
    visitor->rank = hello->rank;
    server->greeted++;
}

static void take_hello(struct server *server, struct knell__visitor *visitor)
{
    uint8_t tag[KNELL__FRAME_TAG];
    size_t size = sizeof visitor->hello;
    knell__rendezvous_tag(server->key, 'H', visitor->challenge, visitor->bytes, size, tag);
    memcpy(&visitor->hello, visitor->bytes, size);
    if (sodium_memcmp(tag, visitor->bytes + size, sizeof tag) != 0 ||
        memcmp(visitor->hello.magic, knell__rendezvous_magic, sizeof visitor->hello.magic) != 0) {
        server->wrong_keys++;
        knell__door_turn_away(visitor);
        return;
    }
    visitor->known = true;
    server->heard++;
    check_hello(server, visitor);
}

static void take_ready(struct server *server, struct knell__visitor *visitor)
{
    uint8_t tag[KNELL__FRAME_TAG];
    knell__rendezvous_tag(server->key, 'R', visitor->hello.nonce, visitor->bytes, 1, tag);
    if (visitor->ready || visitor->rank == KNELL_NOBODY || sodium_memcmp(tag, visitor->bytes + 1, sizeof tag) != 0)
        return;
    visitor->ready = true;
    visitor->board = visitor->bytes[0] == 1;
    server->ready++;
}

static void listen_to(struct server *server, struct knell__visitor *visitor)
{
    char what[64];
    size_t wanted = visitor->known ? ROUND_READY : ROUND_HELLO;
    ssize_t got = recv(visitor->fd, visitor->bytes + visitor->got, wanted - visitor->got, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        if (visitor->rank != KNELL_NOBODY) {
            snprintf(what, sizeof what, "rank %u went away while all met", visitor->rank);
            fail(server, KNELL_EPEER, what);
        }
        knell__door_turn_away(visitor);
        return;
    }
    visitor->got += (size_t)got;
    if (visitor->got < wanted)
        return;
    visitor->got = 0;
    if (visitor->known)
        take_ready(server, visitor);
    else
        take_hello(server, visitor);
}

/* Who did not come, and that somebody with a wrong key did. */
static void fail_late(struct server *server)
{
    char what[KNELL_RUNTIME_WHY];
    uint32_t named = 0, missing = server->terms.ranks - server->greeted;
    if (missing == 0) {
        snprintf(what, sizeof what, "%u processes came but were not ready in time",
                 server->terms.ranks - server->ready);
        fail(server, KNELL_ETIME, what);
        return;
    }
    int used =
        snprintf(what, sizeof what, "%u of %u processes did not come in time: rank", missing, server->terms.ranks);
    for (knell_rank rank = 0; rank < server->terms.ranks && named < NAMED && named < missing; rank++) {
        bool here = false;
        for (uint32_t i = 0; i < server->door.slots && !here; i++)
            here = server->door.visitor[i].fd >= 0 && server->door.visitor[i].rank == rank;
        if (!here)
            used += snprintf(what + used, sizeof what - (size_t)used, "%s %u", named++ ? "," : "", rank);
    }
    if (missing > named)
        used += snprintf(what + used, sizeof what - (size_t)used, " and %u more", missing - named);
    if (server->wrong_keys)
        snprintf(what + used, sizeof what - (size_t)used, "; %u came with a wrong key", server->wrong_keys);
    fail(server, KNELL_ETIME, what);
}

/* Serves until *count has reached all ranks, or the deadline. */
static void gather(struct server *server, const uint32_t *count)
{
    while (*count < server->terms.ranks) {
        if (server->deadline <= knell__clock_now()) {
            fail_late(server);
            return;
        }
        if (!knell__door_wait(&server->door, server->deadline))
            continue;
        for (uint32_t i = 0; i < server->door.slots; i++)
            if (knell__door_is_heard(&server->door, &server->door.visitor[i]))
                listen_to(server, &server->door.visitor[i]);
        if (knell__door_let_in(&server->door) != 0) /* last: until here every visitor is in the list */
            fail_full(server);
    }
}

/* ---- what goes out --------------------------------------------------------------------------------------------------- */

/* The answer, with `size` bytes after it when all is well. */
static void answer_all(struct server *server, char label, const void *bytes, size_t size)
{
    size_t whole_size = sizeof server->answer + (server->answer.error ? 0 : size);
    uint8_t *whole = malloc(whole_size + KNELL__FRAME_TAG);
    if (!whole)
        return; /* the clients' deadlines tell them */
    memcpy(whole, &server->answer, sizeof server->answer);
    memcpy(whole + sizeof server->answer, bytes, whole_size - sizeof server->answer);
    for (uint32_t i = 0; i < server->door.slots; i++) {
        struct knell__visitor *visitor = &server->door.visitor[i];
        if (visitor->fd < 0 || !visitor->known)
            continue;
        knell__rendezvous_tag(server->key, label, visitor->hello.nonce, whole, whole_size, whole + whole_size);
        knell__rendezvous_write(visitor->fd, whole, whole_size + KNELL__FRAME_TAG, knell__clock_now() + TELL_ERROR_NS);
    }
    free(whole);
}

static void send_table(struct server *server, struct knell__rendezvous_point *table)
{
    for (uint32_t i = 0; i < server->door.slots; i++)
        if (server->door.visitor[i].fd >= 0 && server->door.visitor[i].rank != KNELL_NOBODY)
            table[server->door.visitor[i].rank] = server->door.visitor[i].hello.place;
    answer_all(server, 'T', table, server->terms.ranks * sizeof *table);
}

/* A host has a board when all its processes could map it. */
static void send_go(struct server *server, const struct knell__rendezvous_point *table, uint8_t *boards)
{
    uint32_t ranks = server->terms.ranks;
    memset(boards, 1, ranks);
    for (uint32_t i = 0; i < server->door.slots; i++) {
        const struct knell__visitor *visitor = &server->door.visitor[i];
        if (visitor->fd < 0 || visitor->rank == KNELL_NOBODY || visitor->board)
            continue;
        for (uint32_t rank = 0; rank < ranks; rank++)
            if (memcmp(table[rank].host, table[visitor->rank].host, KNELL__HOST_ID) == 0)
                boards[rank] = 0;
    }
    answer_all(server, 'G', boards, ranks);
}

static void serve(struct server *server, struct knell__rendezvous_point *table, uint8_t *boards)
{
    gather(server, &server->heard);
    send_table(server, table);
    if (server->answer.error)
        return;
    gather(server, &server->ready);
    send_go(server, table, boards);
}

void knell__rendezvous_serve(const struct knell__key *key, const struct knell__terms *terms, int listening,
                             knell_time deadline)
{
    struct server server = {.key = key, .terms = *terms, .deadline = deadline};
    struct knell__rendezvous_point *table = calloc(terms->ranks, sizeof *table);
    uint8_t *boards = calloc(terms->ranks, 1);
    if (table && boards && knell__door_open(&server.door, terms->ranks, listening) == 0) {
        serve(&server, table, boards);
        knell__door_close(&server.door);
    }
    free(boards);
    free(table);
}
