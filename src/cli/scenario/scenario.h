/* scenario.h: a FAIL scenario as commands read it: from a file, with its -D, and its diagnostics on standard error. */
#ifndef KNELL_CLI_SCENARIO_SCENARIO_H
#define KNELL_CLI_SCENARIO_SCENARIO_H

#include "cli/common/options.h"

#include <knell/fail.h>

#define SCENARIO_OPTION_DEFINE(defines) \
    OPT_TEXTS("define", "NAME=N", defines, "sets a param of the scenario; also -D NAME=N", .brief = {"D"})

struct scenario {
    struct knell_fail_source source; /* text and name are owned */
    void *memory;
    const struct knell_fail_program *program;
    uint32_t errors;
    uint32_t warnings;
    bool silent; /* diagnostics are counted only */
};

/* Rewrites -D X=5, -DX=5 and -o FILE as the long options that the tables know. The caller frees the new argv with
 * free(). NULL: no memory, after a complaint. */
char **scenario_long_options(const struct usage *usage, int argc, char **argv);

/* Reads and compiles. EXIT_OK; EXIT_FAILED after errors in the scenario; EXIT_USAGE if it cannot
 * be read or a -D is malformed. "-" is standard input. */
int scenario_open(const struct usage *usage, const char *file, const struct texts *defines, struct scenario *scenario);
/* The same without a word: for who only wants to know what is in it, before somebody else opens it. */
int scenario_peek(const struct usage *usage, const char *file, const struct texts *defines, struct scenario *scenario);
/* The same for a text in memory, which the scenario then owns. */
int scenario_compile(const struct usage *usage, const char *name, char *text, size_t size, const struct texts *defines,
                     struct scenario *scenario);
void scenario_close(struct scenario *scenario);

/* Reports what the effector cannot do, as errors; EXIT_OK or EXIT_FAILED. */
int scenario_require(struct scenario *scenario, const struct knell_fail_effector *effector);

/* Reads a whole file into memory that the caller frees; NULL after a complaint. */
char *scenario_read_file(const struct usage *usage, const char *file, size_t limit, size_t *size);

#endif
