/* machine: what the machine did while something was measured: packets, pressure, stolen time; and loads to measure under. */
#ifndef KNELL_BENCH_LIVE_MACHINE_H
#define KNELL_BENCH_LIVE_MACHINE_H

#include <stdint.h>

/* A network of this program's own, so that nothing else is in its counts, and a watcher on every processor: a thread that sleeps 4 ms
 * at a time in real time. When it wakes late, no process of this machine could have run. Ends the program if it may not. */
void machine_begin(void);

/* Prints "bench-live: ..." and ends the program; members end with it. */
_Noreturn void machine_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct machine_mark {
    int64_t when;
    uint64_t datagrams, segments; /* sent, of UDP and TCP */
    uint64_t pressure_us;         /* some process waited for a processor */
    uint64_t steal_ms;            /* taken by the hypervisor, over all processors */
};

struct machine_span {
    double seconds;
    double datagrams_s, segments_s;
    double pressure; /* percent of the time */
    double steal_ms;
    double steal_most_ms; /* within a tenth of a second */
    double away_ms;       /* the most a watcher woke late */
};

struct machine_mark machine_mark(void); /* forgets the most there was */
struct machine_span machine_since(const struct machine_mark *mark);

/* What else runs: nothing, or two processes per processor that only compute, at the nice level of everybody. They are of this program's
 * session, or of one of their own: where the kernel groups processes by session (autogroup), that is a great difference. */
enum machine_load { MACHINE_IDLE, MACHINE_BURNERS, MACHINE_BURNERS_APART, MACHINE_LOADS };
void machine_burn(enum machine_load load);
const char *machine_load_name(void);      /* of the one there is */
int machine_load_named(const char *name); /* -1: none is */

#endif
