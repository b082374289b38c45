/* knell/runtime.h: the failure detector in a living process.
 *
 * One thread of its own drives one node of the core (knell/core.h) over its own sockets and, within a host, a page of
 * shared memory and the kernel's word on who has ended. The program around it may compute, sleep or block: heartbeats do
 * not depend on it. No MPI is needed.
 *
 *      struct knell_runtime_config config = knell_runtime_config_default();
 *      config.rank = 3; config.ranks = 8; config.rendezvous = "127.0.0.1:7100";
 *      config.key = secret; config.key_size = sizeof secret;
 *      struct knell_runtime *runtime;
 *      char why[KNELL_RUNTIME_WHY];
 *      if (knell_runtime_start(&config, &runtime, why) != 0) ... "why" is one sentence
 *      while (knell_runtime_poll(runtime, &fact) == 1) ...
 *      knell_runtime_stop(runtime);
 *
 * Threads. Any thread may call any function; knell_runtime_stop must be the last call. Facts are taken by one thread at
 * a time.
 *
 * Signals. The detector's thread blocks all of them.
 *
 * Fork. A child of fork() has no detector: every call on the runtime it inherited returns KNELL_ESTOPPED, and
 * knell_runtime_stop frees what memory the child has of it. The parent goes on undisturbed.
 *
 * Time is CLOCK_MONOTONIC of this host, in nanoseconds (knell_time).
 *
 * What it promises is what docs/design/protocol.md promises. What it does not do: survive a partition that heals, unless on_split
 * is KNELL_SPLIT_END (else a cut host's processes must be ended before the link comes back), let processes join later, or keep secrets: datagrams are
 * authenticated, not encrypted. */
#ifndef KNELL_RUNTIME_H
#define KNELL_RUNTIME_H

#include <knell/core.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- configuration --------------------------------------------------------------------------------------------------- */

/* Room for one sentence that says what went wrong. */
#define KNELL_RUNTIME_WHY 240

/* Keys of the job: at least so many bytes, at most so many. */
#define KNELL_RUNTIME_KEY_MIN 16
#define KNELL_RUNTIME_KEY_MAX 64

/* The exit status of a process that the others hold for dead. */
#define KNELL_RUNTIME_EXIT_FENCED 113

/* And of one on the smaller side of a network that split. */
#define KNELL_RUNTIME_EXIT_SPLIT 114

enum knell_fencing {
    KNELL_FENCE_EXIT, /* say so on standard error and end the process, as "perfect" demands; the default */
    KNELL_FENCE_TELL, /* only tell KNELL_FACT_FENCED or KNELL_FACT_SPLIT: the program ends itself, or plays dead */
};

/* Called in a thread of the detector's, one fact at a time, without any lock held. It may call everything here but poll and stop, and should be
 * quick: heartbeats wait for it. */
typedef void knell_on_fact(void *context, const struct knell_fact *fact);

/* Is offered a message of an agreement. True: it will bring it to all of `to`, who give it to knell_runtime_hear. False: datagrams do.
 * Called in whichever thread takes the step, with the runtime's lock held: it must not call the runtime. */
typedef bool knell_carry(void *context, uint64_t group, enum knell_kind kind, const knell_rank *to, uint32_t count,
                         const void *bytes, size_t size);

/* The same in all processes, but for `rank`, `bind` and what is about this process alone. Everything is copied. */
struct knell_runtime_config {
    knell_rank rank;
    uint32_t ranks;   /* 2 or more */
    knell_time eta;   /* heartbeat period */
    knell_time delta; /* suspicion timeout; at least eta + tau, better 3 eta + tau: datagrams get lost */
    knell_time tau;   /* bound on one message; 0: 1 ms, or half of delta - eta when that is less */
    /* How deaths are spread. Within a host, over the circulant and with shortcuts, a board that all read takes the place of the
     * overlay: architecture.md, "News". */
    enum knell_overlay overlay;
    bool latest_only;              /* as in struct knell_config: for programs that repair every
                       * communicator after each stabilisation, when all know all deaths */
    knell_combine *const *combine; /* as in struct knell_config; must live as long as the runtime */
    uint32_t combine_count;
    uint32_t tree_bits; /* as in struct knell_config */
    /* KNELL_SPLIT_END: when others fall silent, the processes here go on only if they are more, or as many and the lowest rank is
     * among them; else all of them end (`fencing`), and the one of the lowest rank says so. Not counted are processes whose end is
     * certain: the kernel of their host saw it, or they said it; nor those that an agreement of all who live has left behind. */
    enum knell_split on_split;

    const void *key; /* the job's secret, the same for all */
    size_t key_size;

    /* Where the processes meet: "address:port" or "[address]:port", where rank 0 listens; or "file:PATH", which rank 0
     * writes and removes again. Nothing listens there once all have met. */
    const char *rendezvous;
    int rendezvous_fd; /* rank 0: a socket that listens there already, closed by start unless KNELL_EINVAL; -1 */
    knell_time rendezvous_wait; /* how long to wait for the others */
    const char *bind;           /* the address datagrams are received at; NULL: 127.0.0.1 */
    /* Processes with the same name share a host; NULL: found out (boot id, namespaces of processes and clocks). */
    const char *host;
    bool no_shortcuts; /* neither shared memory nor the kernel's word: the ring of datagrams alone */
    /* Where the process may (CAP_SYS_NICE or RLIMIT_RTPRIO), the detector's threads run at the lowest real-time priority:
     * they need a few microseconds a period, but those on time. Callbacks run there too and must be short. Set, they stay
     * ordinary threads. */
    bool ordinary_priority;

    enum knell_fencing fencing;
    knell_on_fact *on_fact; /* instead of knell_runtime_poll; NULL: facts wait to be polled */
    void *on_fact_context;
    /* Instead of both: called at once, in whichever thread learned the fact, with the runtime's lock held. It must not call
     * the runtime. What the fact points to lives during the call. */
    knell_on_fact *on_fact_at_once;
    /* Processes that are declared dead are not ended: they play dead (knell_runtime_trigger). */
    bool spare_the_dead;
    /* A way of the program's own for agreements in groups where nobody is gone, or NULL. All must have it or none. Who has
     * proposed must take in what comes by it; those who are through need not: with the first death datagrams take over. */
    knell_carry *carry;
    void *carry_context;
};

/* eta 100 ms, delta 500 ms, rendezvous_wait 10 s, rendezvous_fd -1; all else zero. */
struct knell_runtime_config knell_runtime_config_default(void);

/* 1, with a sentence in `text` (of KNELL_RUNTIME_WHY bytes), when delta survives fewer than two lost heartbeats in a row; else
 * 0. It matters where they go over UDP: between hosts, or with no_shortcuts. Nobody is kept from starting so. */
int knell_runtime_advice(const struct knell_runtime_config *config, char *text);

/* ---- life ------------------------------------------------------------------------------------------------------------ */

struct knell_runtime;

/* Meets the others, then starts to watch and to be watched. Returns when all have met. On an error nothing is left
 * behind and `why` (of KNELL_RUNTIME_WHY bytes) has one sentence: KNELL_EINVAL (the configuration), KNELL_ETIME (not all
 * came), KNELL_EPEER (they came with different ideas: number of processes, times, key, a rank twice), KNELL_ESYSTEM. */
int knell_runtime_start(const struct knell_runtime_config *config, struct knell_runtime **runtime, char *why);

/* Leaves cleanly and frees everything: the others are told "left", not "failed". Returns when those told have heard it, at
 * the latest after max(2 delta, 1 s). */
void knell_runtime_stop(struct knell_runtime *runtime);

/* ---- facts ----------------------------------------------------------------------------------------------------------- */

/* Takes the oldest fact: 1 with *fact set, 0 when there is none. What the fact points to lives until the next poll. Facts
 * nobody takes are kept up to 16 MiB; then the oldest are dropped and counted. */
int knell_runtime_poll(struct knell_runtime *runtime, struct knell_fact *fact);

/* Readable while facts wait (for poll, select, epoll). Only to be waited on. */
int knell_runtime_fd(const struct knell_runtime *runtime);

/* ---- what is known --------------------------------------------------------------------------------------------------- */

/* 1: failed or left, 0: not known to be; or an error. */
int knell_runtime_is_gone(struct knell_runtime *runtime, knell_rank rank);

/* The gone as sorted ranges. *count is how many there are, also with KNELL_ESPACE when `room` is less. */
int knell_runtime_view(struct knell_runtime *runtime, struct knell_range *range, size_t room, size_t *count);

/* Digest of the gone members of a group: what `acked` of a proposal wants. 0: none. */
uint64_t knell_runtime_failures(struct knell_runtime *runtime, uint64_t group);

/* What has been counted since the start. */
struct knell_runtime_counters {
    struct knell_counters core;
    uint64_t datagrams_sent;
    uint64_t datagrams_received;
    uint64_t bytes_sent; /* of datagrams, without the headers of the system */
    uint64_t bytes_received;
    uint64_t board_beats;      /* heartbeats stored on the shared-memory board */
    uint64_t board_news;       /* broadcasts read from it */
    uint64_t repeated;         /* control datagrams sent again */
    uint64_t duplicates;       /* control datagrams that had come before */
    uint64_t stale_heartbeats; /* older than one already heard */
    uint64_t refused_format;   /* not a datagram of ours */
    uint64_t refused_tag;      /* a wrong key or changed on the way */
    uint64_t lost_full;        /* messages given up for want of memory */
    uint64_t facts_lost;       /* facts that nobody took */
    uint64_t doubts;  /* suspicions put off: the silent emitter is of this host and neither stopped nor ended, or a
                                * debugger stopped it */
    uint64_t starved; /* times this thread ran late by more than eta / 2 */
    knell_time starved_most; /* the longest */
    uint64_t wakeups;
};
int knell_runtime_counters(struct knell_runtime *runtime, struct knell_runtime_counters *counters);

/* ---- wishes ---------------------------------------------------------------------------------------------------------- */

/* An outside source tells the detector that `rank` is dead, before silence would. It is believed: the rank is declared dead to all,
 * and ends if it lives, so that a mistake costs a process and never gives two opinions. `why` says how sure the source is:
 *   KNELL_WHY_KERNEL    the operating system saw the process end;
 *   KNELL_WHY_HARDWARE  its machine is known to be off, say by its baseboard controller;
 *   KNELL_WHY_OPERATOR  a person, a resource manager or a monitor does not hear of it: no more sure than silence.
 * The first two are certain: with KNELL_SPLIT_END such a process is not counted as one that may live on the other side of a split.
 * So say them only of a process that cannot run any more, and has been told to this side before the sides fell silent to each other. */
int knell_runtime_suspect(struct knell_runtime *runtime, knell_rank rank, enum knell_why why);

/* `rank` is process `pid` of this host: its end is seen at once should it be this process's part to watch it. */
int knell_runtime_watch_pid(struct knell_runtime *runtime, knell_rank rank, pid_t pid);

/* Registers a group of sorted members, copied; KNELL_WORLD is always there. All members register it. */
int knell_runtime_group(struct knell_runtime *runtime, uint64_t id, const knell_rank *member, uint32_t size);
int knell_runtime_drop(struct knell_runtime *runtime, uint64_t id);

/* As KNELL_EVENT_PROPOSE: the decision comes as a fact. */
int knell_runtime_propose(struct knell_runtime *runtime, uint64_t group, enum knell_kind kind, uint8_t operation,
                          const void *value, uint32_t size, uint64_t acked);
int knell_runtime_revoke(struct knell_runtime *runtime, uint64_t group);

/* What the `carry` of rank `from` was given. KNELL_EWIRE: it is not. */
int knell_runtime_hear(struct knell_runtime *runtime, knell_rank from, const void *bytes, size_t size);

/* Has this process declared dead at once, as if it had died: for experiments. It hears and says nothing any more. */
int knell_runtime_trigger(struct knell_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
