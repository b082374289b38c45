/* mpirun.h: `knell mpirun`: the command line of mpirun or mpiexec, done by `knell run`.
 *
 *     mpirun.c    the help, and the start of `knell run`
 *     words.c     from mpirun's words to those of `knell run` and to the environment */
#ifndef KNELL_CLI_MPIRUN_MPIRUN_H
#define KNELL_CLI_MPIRUN_MPIRUN_H

#include "cli/common/options.h"

/* The command; returns the exit status. */
int mpirun_command(int argc, char **argv);

/* The command line of `knell run`. */
struct mpirun_plan {
    const struct usage *usage;
    const char *ranks; /* NULL: not given */
    char **word;       /* its options */
    size_t words;
    char **program; /* and its arguments, ended by NULL */
    bool help, version;
    const char *mpi;             /* for the version; NULL: not given */
    bool has_hosts;              /* others than this one */
    const char *rsh, *interface; /* to them; NULL: not given */
};

/* Reads mpirun's words: fills the plan, sets variables, changes the directory. -1, or an exit status after a complaint. `plan->word` has
 * room for three times as many words as there are. */
int mpirun_read(struct mpirun_plan *plan, char **argv);

#endif
