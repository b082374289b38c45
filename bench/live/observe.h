/* observe: one setting of one kind under one load, measured: deaths, quiet windows and stalls. Every row goes into a CSV file with
 * what the machine did meanwhile. */
#ifndef KNELL_BENCH_LIVE_OBSERVE_H
#define KNELL_BENCH_LIVE_OBSERVE_H

#include "judge.h"
#include "series.h"

#include <stdio.h>

struct setting {
    enum crew_kind kind;
    int64_t eta, delta;
};

/* Where and how. */
struct scene {
    FILE *csv;
    uint32_t ranks;
    int signal;      /* SIGSTOP or SIGKILL */
    unsigned deaths; /* of one crew, one after the other */
};
#define SCENE_HEAD                                                                                                \
    "kind,n,load,eta_ms,delta_ms,signal,first_ms,mean_ms,last_ms,missing,false_positives,datagrams_s,segments_s," \
    "cpu_percent,pressure_percent,steal_ms,away_ms"

struct observed {
    struct series first, mean, last;
    struct series undisturbed; /* last, of the deaths during which the machine was never away for a millisecond */
    struct series packets;     /* per second, datagrams and segments, of all members, while nobody dies */
    struct series cpu;         /* percent of a core per member, then */
    struct series pressure;
    double away_ms;           /* the most the machine was away while a crew was measured */
    uint32_t false_positives; /* ranks */
    uint32_t incomplete;      /* deaths that not all survivors knew of in time, or crews that did not start */
};
void observed_free(struct observed *observed);

/* One crew and its deaths. */
void observe_deaths(const struct scene *scene, const struct setting *setting, struct observed *observed);

/* All settings in turn, forth and back, so many times: what drifts hits all alike. */
void observe_in_turn(const struct scene *scene, const struct setting *setting, size_t count, unsigned rounds,
                     struct observed *observed);

/* One crew for so long without a death: how many were falsely held for dead; UINT32_MAX when it did not start. With `hasty` it ends with
 * the first. */
uint32_t observe_window(uint32_t ranks, const struct setting *setting, double seconds, bool hasty,
                        struct machine_span *span, double *cpu_percent);

/* The longest stop, of those between eta / 2 and 80 eta, a factor of 1.2 apart, after which none of `times` members stopped so long was
 * held for dead; in ms. */
double observe_stall(uint32_t ranks, const struct setting *setting, unsigned times);

/* How long until all surely know. */
int64_t observe_limit(const struct setting *setting);

#endif
