/* figures.h: what the files of `knell sim figures` share, figures_*.c: the points of figures 3 to 7 of the detector
 * paper, their files, and the numbers that the paper states.
 *
 * A point is exactly what `knell sim ring --fidelity fast` or `knell sim ping` computes with the same size, runs and
 * seed. */
#ifndef KNELL_CLI_SIM_FIGURES_H
#define KNELL_CLI_SIM_FIGURES_H

#include "cli/sim/options.h"

/* 2^4 .. 2^17, the paper's 256,000, and 20,000 and 100,000, for which it states numbers. */
enum { FIGURES_SIZES = 17 };
extern const uint32_t figures_nodes[FIGURES_SIZES];

/* The scenarios of section 4.1 and the failures of its figures. */
enum figures_case {
    FIGURES_BURST_LOW_NOISE, /* 4(a): floor(log n) - 1 failures within delta */
    FIGURES_BURST_LOW_LAT,   /* 4(b) */
    FIGURES_RANDOM,          /* 5: LowNoise, random failures, 1 year per node */
    FIGURES_CASES,
};
struct figures_setting {
    const char *figure;
    double eta_s, delta_s;
    double mtbf_s; /* 0: a burst */
};
extern const struct figures_setting figures_settings[FIGURES_CASES];
#define FIGURES_TAU_S 1e-6
#define FIGURES_RISK 1e-9
#define FIGURES_YEAR_S (365 * 86400.0)

struct figures_ring {
    struct knell_stat first, stable, failures;
};
struct figures_ping {
    struct knell_stat rounds, queue, messages;
    double within; /* share of runs whose fullest queue is what the paper states or less; 1 where it states nothing */
};
struct figures {
    struct figures_ring ring[FIGURES_CASES][FIGURES_SIZES];
    struct figures_ping ping[FIGURES_SIZES];
    uint64_t runs; /* per point */
    double wall_s;
};

/* Runs everything, with a progress bar that names the figure. 0, or EXIT_FAILED with a complaint. */
int figures_simulate(const struct usage *usage, const struct sim_options *sim, struct figures *figures);

/* The index of that size, which is one of them. */
size_t figures_size(uint32_t nodes);

/* Figure 3 has more and denser points: the sizes before and at each power of two, where floor(log n) jumps, and some in
 * between. 0 past the last. */
uint64_t figures_dense(size_t index);
enum { FIGURES_MTBFS = 5 };
extern const double figures_mtbf_y[FIGURES_MTBFS];

/* Writes DIR/fig3.csv .. DIR/fig7.csv, or says what is wrong. */
int figures_write_csv(const struct usage *usage, const char *dir, const struct figures *figures);

/* Writes DIR/fig3.gp .. DIR/fig7.gp and has gnuplot make DIR/fig3.svg .. of them. EXIT_FAILED with a complaint if
 * gnuplot is not there or fails. */
int figures_plot(const struct usage *usage, const char *dir);

/* DIR/name opened for writing; NULL after a complaint. figures_close returns EXIT_FAILED if anything went
 * wrong since. */
FILE *figures_open(const struct usage *usage, const char *dir, const char *name);
int figures_close(const struct usage *usage, const char *dir, const char *name, FILE *file);

/* A number that the paper states, and ours. The claim holds if ours, plus or minus its confidence interval, is
 * within the slack: half a unit of the last digit stated, or what the note says. If the interval is wider than the
 * slack, the claim is undecided. */
struct claim {
    const char *figure; /* "4(a)", or the section for a number of the text */
    const char *statement;
    const char *unit; /* "" for a count */
    double paper, ours;
    double slack;
    const char *note; /* why the claim does not hold, or what our number means; NULL: no note */
    double ci95;      /* of ours; 0: computed, not simulated */
    bool few;         /* simulated, with too few runs for ci95 to mean anything */
};
enum claim_verdict { CLAIM_BROKEN, CLAIM_HOLDS, CLAIM_UNDECIDED };
enum { CLAIMS_MAX = 32 };
size_t figures_claims(const struct figures *figures, struct claim claims[CLAIMS_MAX]);
enum claim_verdict claim_judge(const struct claim *claim);

#endif
