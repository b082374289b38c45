/* hostile.h: a job of real processes, what they say to each other on the loopback, and a flood at their sockets.
 *
 *   hostile.c        the scenario and what must hold          hostile_job.c    processes with detectors
 *   hostile_wire.c   datagrams overheard on the loopback      hostile_flood.c  datagrams sent at them
 *
 * Nobody here but the members has the key. */
#ifndef KNELL_TEST_HOSTILE_H
#define KNELL_TEST_HOSTILE_H

#include <knell/runtime.h>

#include <netinet/in.h>

enum { MEMBERS = 4, SOCKETS = 4, WIRE_BYTES = 1600, PATIENCE_MS = 30000 };

/* ---- the job ----------------------------------------------------------------------------------------------------------- */

struct report {
    struct knell_runtime_counters counters;
    uint32_t facts; /* but decisions */
    size_t gone;    /* stretches in the view */
};

struct job {
    pid_t pid[MEMBERS]; /* 0: has ended */
    int ask[MEMBERS], answer[MEMBERS];
    in_port_t port[MEMBERS][SOCKETS]; /* in network order; 0: none */
};

/* Each of these says on standard error who did not do what in time, and returns false. */
bool job_start(struct job *job, const char *meeting, const void *key, size_t key_size);
bool job_agree(struct job *job, uint8_t round); /* all who live decide the same, and the right thing */
bool job_report(struct job *job, struct report report[MEMBERS]);
bool job_kill(struct job *job, knell_rank rank); /* returns when all others know */
bool job_end(struct job *job);                   /* leave in peace, with exit status 0 */

/* Private memory of a member, in KiB; 0: not known. */
long job_private_kib(const struct job *job, knell_rank rank);

/* ---- the wire ---------------------------------------------------------------------------------------------------------- */

struct datagram {
    knell_rank to;
    uint8_t socket; /* which of its sockets */
    uint16_t size;
    uint8_t bytes[WIRE_BYTES];
};

enum { OVERHEARD_MAX = 2048 };
struct overheard {
    struct datagram datagram[OVERHEARD_MAX];
    unsigned count, most;
};

/* From here on this process and its children have a loopback of their own, on which nobody else speaks; unless that is not permitted. */
void wire_take_apart(void);
/* A descriptor that hears the loopback; -1: not permitted. */
int wire_open(void);
/* Adds what was said to members of the job since the last call. */
void wire_take(int fd, const struct job *job, struct overheard *all);

/* ---- the flood --------------------------------------------------------------------------------------------------------- */

enum way { RANDOM, FORGED, FLIPPED, TRUNCATED, LENGTHENED, REPLAYED, MISDIRECTED, WAYS };

struct flood {
    uint64_t sent[WAYS];
    uint64_t spoofed; /* of these, with a member's own source address and port */
    uint64_t refused; /* by this host's sockets */
    bool may_spoof;
};

/* `total` datagrams, `rate` a second; returns when they are sent. */
void flood_send(const struct job *job, const struct overheard *all, uint64_t total, uint64_t rate, struct flood *flood);

#endif
