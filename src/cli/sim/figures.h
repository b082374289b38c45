/* figures: figures 3 to 7 of the detector paper: their points, their files and the numbers the paper states with them.
 * The parts of `knell sim figures`; each part is a file, figures_*.c.
 *
 * A point is exactly what `knell sim ring --fidelity fast` or `knell sim ping` gives with the same size, runs and seed. */
#ifndef KNELL_CLI_SIM_FIGURES_H
#define KNELL_CLI_SIM_FIGURES_H

#include "cli/sim/options.h"

/* 2^4 .. 2^17, the paper's 256,000, and 20,000 and 100,000, for which it states numbers. */
enum { KNELL_FIGURES_SIZES = 17 };
extern const uint32_t knell__figures_nodes[KNELL_FIGURES_SIZES];

/* The scenarios of section 4.1 and the failures of its figures. */
enum knell_figures_case {
    KNELL_FIGURES_BURST_LOW_NOISE, /* 4(a): floor(log n) - 1 failures within delta */
    KNELL_FIGURES_BURST_LOW_LAT,   /* 4(b) */
    KNELL_FIGURES_RANDOM,          /* 5: LowNoise, random failures, 1 year per node */
    KNELL_FIGURES_CASES,
};
struct knell_figures_setting {
    const char *figure;
    double eta_s, delta_s;
    double mtbf_s; /* 0: a burst */
};
extern const struct knell_figures_setting knell__figures_settings[KNELL_FIGURES_CASES];
#define KNELL_FIGURES_TAU_S 1e-6
#define KNELL_FIGURES_RISK 1e-9
#define KNELL_YEAR_S (365 * 86400.0)

struct knell_figures_ring {
    struct knell_stat first, stable, failures;
};
struct knell_figures_ping {
    struct knell_stat rounds, queue, messages;
    double within; /* share of runs whose fullest queue is what the paper states or less; 1 where it states nothing */
};
struct knell_figures {
    struct knell_figures_ring ring[KNELL_FIGURES_CASES][KNELL_FIGURES_SIZES];
    struct knell_figures_ping ping[KNELL_FIGURES_SIZES];
    uint64_t runs; /* per point */
    double wall_s;
};

/* Runs everything, with a progress bar that names the figure. 0, or KNELL_EXIT_FAILED with a complaint. */
int knell__figures_simulate(const struct knell_usage *usage, const struct knell_sim_options *sim,
                            struct knell_figures *figures);

/* The index of that size, which is one of them. */
size_t knell__figures_size(uint32_t nodes);

/* Figure 3 has more and denser points: the sizes before and at each power of two, where floor(log n) jumps, and some in
 * between. 0 past the last. */
uint64_t knell__figures_dense(size_t index);
enum { KNELL_FIGURES_MTBFS = 5 };
extern const double knell__figures_mtbf_y[KNELL_FIGURES_MTBFS];

/* Writes DIR/fig3.csv .. DIR/fig7.csv, or says what is wrong. */
int knell__figures_write_csv(const struct knell_usage *usage, const char *dir, const struct knell_figures *figures);

/* Writes DIR/fig3.gp .. DIR/fig7.gp and has gnuplot make DIR/fig3.svg .. of them. KNELL_EXIT_FAILED with a complaint if
 * gnuplot is not there or fails. */
int knell__figures_plot(const struct knell_usage *usage, const char *dir);

/* DIR/name opened for writing; NULL after a complaint. knell__figures_close returns KNELL_EXIT_FAILED if anything went
 * wrong since. */
FILE *knell__figures_open(const struct knell_usage *usage, const char *dir, const char *name);
int knell__figures_close(const struct knell_usage *usage, const char *dir, const char *name, FILE *file);

/* A number the paper states, and ours. It holds when ours, give or take its confidence interval, is within the slack: half
 * a unit of the last digit stated, or what the note says. An interval wider than the slack tells nothing. */
struct knell_claim {
    const char *figure; /* "4(a)", or the section for a number of the text */
    const char *statement;
    const char *unit; /* "" for a count */
    double paper, ours;
    double slack;
    const char *note; /* why it does not hold, or how ours is meant; NULL: nothing to say */
    double ci95;      /* of ours; 0: computed, not simulated */
    bool few;         /* simulated, with too few runs for ci95 to mean anything */
};
enum knell_claim_verdict { KNELL_CLAIM_BROKEN, KNELL_CLAIM_HOLDS, KNELL_CLAIM_UNTOLD };
enum { KNELL_CLAIMS_MAX = 32 };
size_t knell__figures_claims(const struct knell_figures *figures, struct knell_claim claims[KNELL_CLAIMS_MAX]);
enum knell_claim_verdict knell__claim_verdict(const struct knell_claim *claim);

#endif
