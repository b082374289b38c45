/* log: the memory that the driver and all members of a run share.
 *
 * Members stamp what they learn themselves and the driver reads it afterwards: it shares the processors with those it measures and
 * must not be woken by every record. A page for all, then a part of LIVE_PART bytes for each rank. The Go member knows the
 * same numbers (swim/member.go).
 *
 * Every member finds the log at descriptor LIVE_LOG_FD and an eventfd at LIVE_READY_FD, to which it adds one for each step it has
 * done. It is told to do the next step by SIGUSR1, and to store its counters by SIGUSR2. */
#ifndef KNELL_BENCH_LIVE_LOG_H
#define KNELL_BENCH_LIVE_LOG_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_LOG_FD = 3, LIVE_READY_FD = 4, LIVE_HEAD = 4096, LIVE_PART = 16384, LIVE_RECORDS = (LIVE_PART - 128) / 16 };

/* When (CLOCK_MONOTONIC, ns) this member held `rank` for dead. */
struct live_record {
    int64_t when;
    uint32_t rank;
    uint32_t spare;
};

struct live_part {
    _Atomic uint32_t records; /* all there were; those beyond LIVE_RECORDS are only counted */
    uint32_t spare;
    int64_t stepped;   /* when the step began that SIGUSR1 asked for */
    double result;     /* of the work it asked for, per second */
    uint64_t missed;   /* heartbeats of the emitter that did not come in time */
    uint64_t starved;  /* times the detector ran late by more than eta / 2 */
    int64_t late_most; /* by how much, ns */
    uint64_t repeated; /* control messages */
    uint64_t unused[9];
    struct live_record record[LIVE_RECORDS];
};
_Static_assert(offsetof(struct live_part, record) == 128, "as the Go member has it");
_Static_assert(sizeof(struct live_part) == LIVE_PART, "as the Go member has it");

struct live_log {
    _Atomic int64_t at;  /* the moment to do the step at; 0: at once */
    _Atomic int64_t eta; /* of the detector beside the work of this step; 0: none */
    char head[LIVE_HEAD - 2 * sizeof(int64_t)];
    struct live_part part[];
};

/* The log of so many ranks; NULL with errno set. */
struct live_log *live_log_map(int fd, uint32_t ranks);
size_t live_log_size(uint32_t ranks);

/* For members: add to the own part, and say that a step is done. */
void live_log_record(struct live_part *part, uint32_t rank);
void live_log_ready(void);

int64_t live_now(void);
void live_sleep_until(int64_t when);

#endif
