/* ring_fail.h: `knell sim ring --fail FILE`: its options, and the command once they are parsed. */
#ifndef KNELL_CLI_SIM_RING_FAIL_H
#define KNELL_CLI_SIM_RING_FAIL_H

#include "cli/sim/options.h"
#include "cli/scenario/scenario.h"
#include "sim/world.h"

struct ring_fail {
    const char *file; /* NULL: no scenario */
    struct texts defines;
    const char *log;  /* NULL: standard output, for a single run as text */
    int64_t until_ns; /* 0: the default */
    bool timeline;
    struct knell_config config;
    enum knell_network network;
    struct sim_options sim;
};

#define RING_FAIL_OPTIONS(f)                                                                                   \
    OPT_TEXT("fail", "FILE", &(f)->file, "a FAIL scenario injects faults instead; see docs/use/scenarios.md"), \
        SCENARIO_OPTION_DEFINE(&(f)->defines),                                                                 \
        OPT_DURATION("until", "T", &(f)->until_ns, 1, DURATION_MAX_NS / 2,                                     \
                     "--fail: ends runs that have not ended by themselves", .fallback_help = "1000 delta"),    \
        OPT_TEXT("log", "FILE", &(f)->log, "--fail: writes what the scenario does in every run here",          \
                 .fallback_help = "shown if --runs is 1")

/* Checks that the options fit together: some need a scenario, others exclude one. EXIT_OK, or EXIT_USAGE after a
 * complaint. */
int ring_fail_check(const struct usage *usage, const struct ring_fail *fail, const struct option *options, size_t n);

/* Returns the exit status. */
int ring_fail_run(const struct usage *usage, struct ring_fail *fail);

#endif
