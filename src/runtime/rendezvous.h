/* rendezvous.h: how the processes of a job find each other, once, at the start.
 *
 * Rank 0 listens, everybody connects (rank 0 too): each says who and where it is, all get the table; each maps the board of
 * its host and says whether that went well, all get the word to go. Two rounds, so that the processes of a host agree on
 * whether there is a board, and so that all start together.
 *
 *      server                                   client
 *      challenge                        ->
 *                                       <-      hello   + tag over (challenge, hello)
 *      answer, table  + tag over (hello's nonce, ...)   ->
 *                                       <-      ready   + tag
 *      answer, boards + tag             ->
 *
 * Who does not have the key is not let in, cannot pretend to be the rendezvous, and holds a place there for a moment only: who is pushed
 * out by strangers comes again. Every wait ends at a deadline; whoever
 * is missing or wrong is named to all. Afterwards nothing listens any more. */
#ifndef KNELL_RUNTIME_RENDEZVOUS_H
#define KNELL_RUNTIME_RENDEZVOUS_H

#include "runtime/address.h"
#include "runtime/frame.h"
#include "runtime/host.h"

#include <knell/runtime.h>

enum { KNELL__NONCE = 16 };

/* Where a process is. Of fixed layout: it goes over the connection as it is, between machines of one byte order. */
struct knell__rendezvous_point {
    uint8_t address[sizeof(struct sockaddr_in6)];
    uint16_t address_size;
    uint16_t beats_port; /* in network order */
    uint8_t host[KNELL__HOST_ID];
    uint64_t started;
    int32_t pid;
    int32_t board_fd;            /* -1: none */
    uint8_t nonce[KNELL__NONCE]; /* random: no two jobs have the same table */
};

/* What all must agree on. */
enum { KNELL__TERMS_NO_SHORTCUTS = 1, KNELL__TERMS_HBA = 2, KNELL__TERMS_LATEST_ONLY = 4, KNELL__TERMS_SPLIT_END = 8 };
struct knell__terms {
    uint32_t ranks;
    uint16_t flags;
    uint16_t tree_bits;
    int64_t eta, delta, tau;
};

struct knell__rendezvous {
    const struct knell__key *key;
    struct knell__terms terms;
    knell_rank rank;
    uint8_t nonce[KNELL__NONCE]; /* random: no old answer fits */
    knell_time deadline;
    char *why; /* KNELL_RUNTIME_WHY bytes */
};

/* The server's part, on a listening socket; returns when all have gone or nobody is waiting any more. Its failures
 * are told to the clients. */
void knell__rendezvous_serve(const struct knell__key *key, const struct knell__terms *terms, int listening,
                             knell_time deadline);

/* ---- the client's part --------------------------------------------------------------------------------------------- */

/* Connects to where `text` says (see knell_runtime_config.rendezvous) and gets the table. The connection, or an error. */
int knell__rendezvous_join(const struct knell__rendezvous *meet, const char *text,
                           const struct knell__rendezvous_point *me, struct knell__rendezvous_point *table);

/* Says whether the board is there; boards[rank] is whether all of that rank's host have it. Closes nothing. */
int knell__rendezvous_ready(const struct knell__rendezvous *meet, int fd, bool board, uint8_t *boards);

/* Says in meet->why what was wrong; returns `error`. */
int knell__rendezvous_fail(const struct knell__rendezvous *meet, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- what both share ------------------------------------------------------------------------------------------------- */

struct knell__hello {
    char magic[8];
    struct knell__terms terms;
    uint32_t rank;
    uint32_t reserved;
    uint8_t nonce[KNELL__NONCE];
    struct knell__rendezvous_point place;
};

/* An error without a tag, from a server that has more visitors than places: no failure. */
enum { KNELL__COME_AGAIN = -1000 };

struct knell__answer {
    int32_t error;
    char why[KNELL_RUNTIME_WHY];
};

extern const char knell__rendezvous_magic[8];

/* A tag over a label, a nonce and bytes. */
void knell__rendezvous_tag(const struct knell__key *key, char label, const uint8_t nonce[KNELL__NONCE],
                           const void *bytes, size_t size, uint8_t tag[KNELL__FRAME_TAG]);

/* All of it before the deadline: 0; KNELL_ETIME; KNELL_EPEER: closed; KNELL_ESYSTEM. */
int knell__rendezvous_read(int fd, void *bytes, size_t size, knell_time deadline);
int knell__rendezvous_write(int fd, const void *bytes, size_t size, knell_time deadline);

#endif
