/* crew: all members of one run, of either kind: start them, hurt them, end them. */
#ifndef KNELL_BENCH_LIVE_CREW_H
#define KNELL_BENCH_LIVE_CREW_H

#include "log.h"
#include "machine.h"
#include "work.h"

#include <stdbool.h>
#include <sys/types.h>

enum crew_kind {
    CREW_KNELL,   /* as shipped: board and pidfd */
    CREW_UDP,     /* ours, the ring of datagrams alone */
    CREW_UDP_LOW, /* the same without real-time priority, as where it is not permitted */
    CREW_SWIM,    /* memberlist, pure SWIM */
    CREW_PPG,     /* memberlist with push-pull, gossip and TCP pings */
    CREW_OFF,     /* our member without its detector */
    CREW_SLEEPER, /* a process that sleeps eta at a time */
    CREW_EMPTY,   /* a process that waits */
    CREW_KINDS
};
const char *crew_kind_name(enum crew_kind kind);
bool crew_is_swim(enum crew_kind kind);

struct crew_plan {
    enum crew_kind kind;
    uint32_t ranks;
    int64_t eta, delta; /* SWIM: eta is its probe interval, delta is not used */
    enum work_kind
        work; /* what a step does; the detector lives as long as the step then, at the log's eta (as here at first) */
    int64_t work_ns;
    bool pinned; /* rank r to processor r mod their number */
};

struct crew_member {
    pid_t pid;
    int64_t hurt;    /* when it was stopped, killed or told to declare itself dead; 0: not */
    int64_t resumed; /* when it was let run again */
};

struct crew {
    struct crew_plan plan;
    struct crew_member *member;
    struct live_log *log;
    int log_fd, ready_fd;
    int64_t began; /* all know all */
};

/* True when all have started and know each other, and some periods have passed. False, with a line on standard error, when
 * they did not in time: a setting may be too fast for it. */
bool crew_start(struct crew *crew, const struct crew_plan *plan);
void crew_end(struct crew *crew);

/* SIGSTOP, SIGKILL or SIGCONT, with the time before it kept. */
void crew_hurt(struct crew *crew, uint32_t rank, int signal);

/* Asks for the next step of `count` ranks at the moment `at` (0: now) and, if `wait`, for the word that it is done. */
bool crew_step(struct crew *crew, const uint32_t *rank, uint32_t count, int64_t at, bool wait);
bool crew_step_all(struct crew *crew);

/* Has the living members store their counters in the log. */
bool crew_count(struct crew *crew);

/* A rank that was not hurt, at random. */
uint32_t crew_pick(const struct crew *crew);

/* A number below `limit`, at random. */
uint64_t crew_random(uint64_t limit);

/* Seconds of processor all members have had. */
double crew_cpu_s(const struct crew *crew);

#endif
