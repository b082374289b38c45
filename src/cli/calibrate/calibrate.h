/* calibrate.h: what the files of `knell calibrate` share. The command measures how late heartbeats are on this
 * platform and proposes eta and delta.
 *
 *     calibrate.c  options, order of the measurement     host.c    processes of this host, on a ring
 *     datagram.c   one datagram with its times           peer.c    two hosts: one sends, the other answers
 *     stat.c       quantiles, tail, proposal: pure       report.c  text and JSON
 *     steal.c      time that the hypervisor took
 *
 * The latency of a heartbeat is counted from the moment it is due at a sleeping sender to the moment the receiver
 * has read it: the timer's lateness, the journey, and the wake-up of a sleeping receiver. The protocol and `knell
 * plan` call a bound on it tau. */
#ifndef KNELL_CLI_CALIBRATE_CALIBRATE_H
#define KNELL_CLI_CALIBRATE_CALIBRATE_H

#include "cli/common/options.h"
#include "runtime/address.h"
#include "runtime/frame.h"

#include <knell/runtime.h>

#include <stdio.h>

struct calibrate_plan {
    int64_t ranks, job_ranks; /* ranks of the measurement; of the planned job */
    int64_t every, duration, job, wait;
    int64_t eta; /* 0: the command proposes one */
    double risk;
    const char *listen, *peer, *key_file, *out;
    bool json;
    uint8_t key[KNELL_RUNTIME_KEY_MAX];
    size_t key_size;
};

/* One heartbeat, in nanoseconds. */
struct calibrate_lateness {
    int64_t total; /* from due to read */
    int64_t timer; /* from due to sent */
};

struct calibrate_sample {
    struct calibrate_lateness *one;
    size_t count;
    uint64_t sent, refused;       /* refused: datagrams that were not ours */
    double steal_s, steal_s_most; /* in all; the most within a tenth of a second */
};

/* The command; returns the exit status. */
int calibrate_command(int argc, char **argv);

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* Each returns an exit status, after a complaint. The caller frees sample->one. */
int calibrate_host(const struct usage *usage, const struct calibrate_plan *plan, struct calibrate_sample *sample);
int calibrate_peer(const struct usage *usage, const struct calibrate_plan *plan, struct calibrate_sample *sample);
int calibrate_listen(const struct usage *usage, const struct calibrate_plan *plan);

/* The processor time that the hypervisor took since the machine started, in seconds, over all processors. */
double calibrate_steal_s(void);
/* Adds the time taken between begin and the last look to the sample's steal_s. */
struct calibrate_steal {
    double begin, last;
};
void calibrate_steal_begin(struct calibrate_steal *steal);
void calibrate_steal_look(struct calibrate_steal *steal, struct calibrate_sample *sample); /* every 0.1 s */

/* ---- one datagram ------------------------------------------------------------------------------------------------ */

struct calibrate_datagram {
    int64_t due, sent; /* by the sender's clock */
    uint32_t number;
};
enum { CALIBRATE_DATAGRAM_SIZE = KNELL__FRAME_HEAD + 24 + KNELL__FRAME_TAG };

/* `kind` is KNELL__FRAME_BEAT or KNELL__FRAME_BYE. False: the socket did not take it. */
bool calibrate_datagram_send(const struct knell__key *key, int fd, knell_rank from, knell_rank to,
                             enum knell__frame_kind kind, const struct calibrate_datagram *timed,
                             const struct knell__address *address);
/* Receives a datagram for `self` that waits in the socket. 1: received, with the sender's address in *from unless
 * NULL; 0: none waits; -1: it was not ours. */
int calibrate_datagram_receive(const struct knell__key *key, int fd, knell_rank self, uint32_t ranks, uint8_t *kind,
                               struct calibrate_datagram *timed, struct knell__address *from);

/* ---- judging: pure ----------------------------------------------------------------------------------------------- */

struct calibrate_quantiles {
    double min, median, p99, p999, p9999,
        max; /* seconds; a quantile with fewer than one sample beyond it is the maximum */
};

/* The values are sorted in place. */
struct calibrate_quantiles calibrate_quantiles_of(int64_t *value, size_t count);

/* The value that a share of `beyond` of the sorted values exceeds. It is measured if at least ten samples exceed it.
 * Otherwise it is an estimate: an exponential tail is fitted to the largest hundredth of the samples, and the
 * estimate is at least the largest value seen. power_law_s is the estimate for a tail that falls as a power (Hill's
 * estimator). */
struct calibrate_tail {
    double at_s, power_law_s;
    bool measured;
};
struct calibrate_tail calibrate_tail_of(const int64_t *sorted, size_t count, double beyond);

struct calibrate_proposal {
    struct calibrate_tail tau;
    double tau_s, eta_s, delta_s;
    double beyond; /* share of heartbeats that may be later than tau */
    unsigned lost; /* heartbeats in a row that may be lost */
};

/* From the sorted totals and the plan. eta is the plan's, or the shortest of 10, 20, 50, 100, ... ms with eta >= 3
 * tau; delta = (lost + 1) eta + tau, with lost at least 2. */
struct calibrate_proposal calibrate_propose(const int64_t *sorted, size_t count, double loss,
                                            const struct calibrate_plan *plan);

/* ---- reporting --------------------------------------------------------------------------------------------------- */

struct calibrate_result {
    struct calibrate_quantiles total, timer, journey;
    struct calibrate_proposal proposal;
    const int64_t *sorted; /* totals */
    double loss;
};
void calibrate_text(FILE *out, const struct calibrate_plan *plan, const struct calibrate_sample *sample,
                    const struct calibrate_result *found);
void calibrate_json(FILE *out, const struct calibrate_plan *plan, const struct calibrate_sample *sample,
                    const struct calibrate_result *found);

#endif
