/* What the subcommands of `knell fail` share: a scenario from a file, with its -D, and its diagnostics on standard
 * error. */
#ifndef KNELL_CLI_SCENARIO_SCENARIO_H
#define KNELL_CLI_SCENARIO_SCENARIO_H

#include "cli/common/options.h"

#include <knell/fail.h>

#define KNELL_FAIL_OPTION_DEFINE(defines) \
    KNELL_OPT_TEXTS("define", "NAME=N", defines, "sets a param of the scenario; also -D NAME=N", .brief = {"D"})

struct knell_scenario {
    struct knell_fail_source source; /* text and name are owned */
    void *memory;
    const struct knell_fail_program *program;
    uint32_t errors;
    uint32_t warnings;
};

/* -D X=5, -DX=5 and -o FILE become the long options that the tables know. The new argv is freed with free(). NULL: no
 * memory, reported. */
char **knell__fail_long_options(const struct knell_usage *usage, int argc, char **argv);

/* Reads and compiles. KNELL_EXIT_OK; KNELL_EXIT_FAILED after errors in the scenario; KNELL_EXIT_USAGE if it cannot
 * be read or a -D is malformed. "-" is standard input. */
int knell__scenario_open(const struct knell_usage *usage, const char *file, const struct knell_texts *defines,
                         struct knell_scenario *scenario);
/* The same for a text in memory, which is the scenario's from here on. */
int knell__scenario_compile(const struct knell_usage *usage, const char *name, char *text, size_t size,
                            const struct knell_texts *defines, struct knell_scenario *scenario);
void knell__scenario_close(struct knell_scenario *scenario);

/* What the effector cannot do, as errors; KNELL_EXIT_OK or KNELL_EXIT_FAILED. */
int knell__scenario_require(struct knell_scenario *scenario, const struct knell_fail_effector *effector);

/* All of a file, in memory to free; NULL: reported. */
char *knell__read_file(const struct knell_usage *usage, const char *file, size_t limit, size_t *size);

#endif
