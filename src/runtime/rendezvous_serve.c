/* rendezvous_serve: rank 0's part of rendezvous.h: one loop over all who have come, none of whom can hold up the others. */
#include "os/clock.h"
#include "runtime/rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    STRANGERS = 16, /* connections beyond one per rank that may be open at a time */
    NAMED = 8,      /* missing ranks that are named */
    ROUND_HELLO = sizeof(struct knell__hello) + KNELL__FRAME_TAG,
    ROUND_READY = 1 + KNELL__FRAME_TAG,
};
#define TELL_ERROR_NS INT64_C(1000000000) /* to tell everybody what went wrong */

struct visitor {
    int fd;          /* -1: nobody */
    uint32_t polled; /* where it is in the list for poll */
    knell_rank rank;
    size_t got;
    uint8_t challenge[KNELL__NONCE];
    uint8_t bytes[ROUND_HELLO];
    struct knell__hello hello;
    bool ready, board;
};

struct server {
    const struct knell__key *key;
    struct knell__terms terms;
    knell_time deadline;
    int listening;
    struct visitor *visitor; /* any number of slots beyond one per rank */
    struct pollfd *poll;
    uint32_t slots, wrong_keys;
    uint32_t heard; /* honest hellos, also of those who are wrong */
    uint32_t greeted, ready;
    struct knell__answer answer; /* once something is wrong */
};

static void turn_away(struct visitor *visitor)
{
    close(visitor->fd);
    visitor->fd = -1;
}

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

static void let_in(struct server *server)
{
    int fd = accept4(server->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE)
            fail_full(server);
        if (errno != EAGAIN)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* it stays readable */
        return;
    }
    for (uint32_t i = 0; i < server->slots; i++) {
        struct visitor *visitor = &server->visitor[i];
        if (visitor->fd >= 0)
            continue;
        *visitor = (struct visitor){.fd = fd, .rank = KNELL_NOBODY};
        randombytes_buf(visitor->challenge, sizeof visitor->challenge);
        if (send(fd, visitor->challenge, sizeof visitor->challenge, MSG_NOSIGNAL) != sizeof visitor->challenge)
            turn_away(visitor);
        return;
    }
    close(fd);
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
           : a->tree_bits != b->tree_bits      ? "tree_bits"
           : flags                             ? "flags of another version"
                                               : NULL;
}

static void check_hello(struct server *server, struct visitor *visitor)
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
    for (uint32_t i = 0; i < server->slots; i++)
        if (&server->visitor[i] != visitor && server->visitor[i].fd >= 0 && server->visitor[i].rank == hello->rank) {
            snprintf(what, sizeof what, "rank %u came twice", hello->rank);
            fail(server, KNELL_EPEER, what);
        }
    visitor->rank = hello->rank;
    server->greeted++;
}

static void take_hello(struct server *server, struct visitor *visitor)
{
    uint8_t tag[KNELL__FRAME_TAG];
    size_t size = sizeof visitor->hello;
    knell__rendezvous_tag(server->key, 'H', visitor->challenge, visitor->bytes, size, tag);
    memcpy(&visitor->hello, visitor->bytes, size);
    if (sodium_memcmp(tag, visitor->bytes + size, sizeof tag) != 0 ||
        memcmp(visitor->hello.magic, knell__rendezvous_magic, sizeof visitor->hello.magic) != 0) {
        server->wrong_keys++;
        visitor->hello.magic[0] = '\0';
        turn_away(visitor);
        return;
    }
    server->heard++;
    check_hello(server, visitor);
}

static void take_ready(struct server *server, struct visitor *visitor)
{
    uint8_t tag[KNELL__FRAME_TAG];
    knell__rendezvous_tag(server->key, 'R', visitor->hello.nonce, visitor->bytes, 1, tag);
    if (visitor->ready || visitor->rank == KNELL_NOBODY || sodium_memcmp(tag, visitor->bytes + 1, sizeof tag) != 0)
        return;
    visitor->ready = true;
    visitor->board = visitor->bytes[0] == 1;
    server->ready++;
}

static void listen_to(struct server *server, struct visitor *visitor)
{
    char what[64];
    bool greeted = visitor->hello.magic[0] != '\0';
    size_t wanted = greeted ? ROUND_READY : ROUND_HELLO;
    ssize_t got = recv(visitor->fd, visitor->bytes + visitor->got, wanted - visitor->got, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        if (visitor->rank != KNELL_NOBODY) {
            snprintf(what, sizeof what, "rank %u went away while all met", visitor->rank);
            fail(server, KNELL_EPEER, what);
        }
        turn_away(visitor);
        return;
    }
    visitor->got += (size_t)got;
    if (visitor->got < wanted)
        return;
    visitor->got = 0;
    if (greeted)
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
        for (uint32_t i = 0; i < server->slots && !here; i++)
            here = server->visitor[i].fd >= 0 && server->visitor[i].rank == rank;
        if (!here)
            used += snprintf(what + used, sizeof what - (size_t)used, "%s %u", named++ ? "," : "", rank);
    }
    if (missing > named)
        used += snprintf(what + used, sizeof what - (size_t)used, " and %u more", missing - named);
    if (server->wrong_keys)
        snprintf(what + used, sizeof what - (size_t)used, "; %u came with a wrong key", server->wrong_keys);
    fail(server, KNELL_ETIME, what);
}

/* Only who is there: more entries than the process may have descriptors are refused. Returns their number. */
static nfds_t list_for_poll(struct server *server)
{
    uint32_t count = 0;
    server->poll[count++] = (struct pollfd){.fd = server->listening, .events = POLLIN};
    for (uint32_t i = 0; i < server->slots; i++) {
        struct visitor *visitor = &server->visitor[i];
        visitor->polled = count;
        if (visitor->fd >= 0)
            server->poll[count++] = (struct pollfd){.fd = visitor->fd, .events = POLLIN};
    }
    return count;
}

/* Serves until *count has reached all ranks, or the deadline. */
static void gather(struct server *server, const uint32_t *count)
{
    while (*count < server->terms.ranks) {
        knell_time left = server->deadline - knell__clock_now();
        if (left <= 0) {
            fail_late(server);
            return;
        }
        if (poll(server->poll, list_for_poll(server), (int)(left / 1000000 < 500 ? left / 1000000 + 1 : 500)) <= 0)
            continue;
        for (uint32_t i = 0; i < server->slots; i++)
            if (server->visitor[i].fd >= 0 && server->poll[server->visitor[i].polled].revents)
                listen_to(server, &server->visitor[i]);
        if (server->poll[0].revents)
            let_in(server); /* last: until here every visitor is in the list */
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
    for (uint32_t i = 0; i < server->slots; i++) {
        struct visitor *visitor = &server->visitor[i];
        if (visitor->fd < 0 || visitor->hello.magic[0] == '\0')
            continue;
        knell__rendezvous_tag(server->key, label, visitor->hello.nonce, whole, whole_size, whole + whole_size);
        knell__rendezvous_write(visitor->fd, whole, whole_size + KNELL__FRAME_TAG, knell__clock_now() + TELL_ERROR_NS);
    }
    free(whole);
}

static void send_table(struct server *server, struct knell__rendezvous_point *table)
{
    for (uint32_t i = 0; i < server->slots; i++)
        if (server->visitor[i].fd >= 0 && server->visitor[i].rank != KNELL_NOBODY)
            table[server->visitor[i].rank] = server->visitor[i].hello.place;
    answer_all(server, 'T', table, server->terms.ranks * sizeof *table);
}

/* A host has a board when all its processes could map it. */
static void send_go(struct server *server, const struct knell__rendezvous_point *table, uint8_t *boards)
{
    uint32_t ranks = server->terms.ranks;
    memset(boards, 1, ranks);
    for (uint32_t i = 0; i < server->slots; i++) {
        const struct visitor *visitor = &server->visitor[i];
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
    for (uint32_t i = 0; i < server->slots; i++)
        server->visitor[i].fd = -1;
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
    struct server server = {
        .key = key, .terms = *terms, .deadline = deadline, .listening = listening, .slots = terms->ranks + STRANGERS};
    struct knell__rendezvous_point *table = calloc(terms->ranks, sizeof *table);
    uint8_t *boards = calloc(terms->ranks, 1);
    server.visitor = calloc(server.slots, sizeof *server.visitor);
    server.poll = calloc(server.slots + 1, sizeof *server.poll);
    if (table && boards && server.visitor && server.poll) {
        serve(&server, table, boards);
        for (uint32_t i = 0; i < server.slots; i++)
            if (server.visitor[i].fd >= 0)
                close(server.visitor[i].fd);
    }
    free(server.poll);
    free(server.visitor);
    free(boards);
    free(table);
}
