/* `knell sim ring --fail FILE`: what of the command line concerns it, and the command from there on. */
#ifndef KNELL_CLI_SIM_RING_FAIL_H
#define KNELL_CLI_SIM_RING_FAIL_H

#include "cli/fail.h"
#include "cli/sim_options.h"
#include "sim/world.h"

struct knell_ring_fail {
    const char *file; /* NULL: no scenario */
    struct knell_texts defines;
    const char *log;  /* NULL: standard output, for a single run as text */
    int64_t until_ns; /* 0: the default */
    bool timeline;
    struct knell_config config;
    enum knell_network network;
    struct knell_sim_options sim;
};

#define KNELL_RING_FAIL_OPTIONS(f)                                                                                \
    KNELL_OPT_TEXT("fail", "FILE", &(f)->file, "a FAIL scenario strikes instead; see docs/use/scenarios.md"),     \
        KNELL_FAIL_OPTION_DEFINE(&(f)->defines),                                                                  \
        KNELL_OPT_DURATION("until", "T", &(f)->until_ns, 1, KNELL_DURATION_MAX_NS / 2,                            \
                           "--fail: ends runs that have not ended by themselves", .fallback_help = "1000 delta"), \
        KNELL_OPT_TEXT("log", "FILE", &(f)->log, "--fail: writes what the scenario does in every run here",       \
                       .fallback_help = "shown if --runs is 1")

/* With the scenario or without: are the others of these options, and those of the rest of the table, in place? */
int knell__ring_fail_check(const struct knell_usage *usage, const struct knell_ring_fail *fail,
                           const struct knell_option *options, size_t n);

/* Returns the exit status. */
int knell__ring_fail_run(const struct knell_usage *usage, struct knell_ring_fail *fail);

#endif
