/* launch.h: the launcher's command line with the environment of the ranks: the settings with which each MPI goes on after a death
 * (docs/design/mpi.md).
 *
 *     launch.c          what all have in common; starts it
 *     launch_openmpi.c  Open MPI, mpirun
 *     launch_mpich.c    MPICH, mpiexec
 *     slurm.c           srun, for both */
#ifndef KNELL_CLI_RUN_LAUNCH_H
#define KNELL_CLI_RUN_LAUNCH_H

#include "cli/run/run.h"

enum { RUN_LAUNCH_WORDS = 128 }; /* more than our own words; those of the program come on top */
/* The command to execute; it owns the texts. */
struct run_launch {
    size_t words;
    char **word;
};

/* What ranks of a job under `knell run` are told of it. */
struct run_launch_job {
    const char *directory; /* for files of the MPIs */
    const char *address;   /* for their supervisors */
    bool records;          /* what they write is kept */
};

/* `job` NULL: a plain mpirun without `knell run`, so ranks report to no process. */
bool run_launch_make(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command);
void run_launch_print(const struct run_launch *command, FILE *out);
/* What the launcher and the program write goes to the descriptors `output` and `errors`; the key is in their environment. */
pid_t run_launch_start(const struct run_launch *command, const char *key, int output, int errors);
void run_launch_free(struct run_launch *command);

/* ---- for the launchers ------------------------------------------------------------------------------------------- */

void run_launch_add(struct run_launch *command, const char *word);
void run_launch_add_all(struct run_launch *command, const char *const *words); /* ended by NULL */
/* The hosts of the plan, after this option. */
void run_launch_add_hosts(const struct run_plan *plan, const char *option, struct run_launch *command);
/* Sets a variable for the ranks only: the launcher itself must not load the layer. */
void run_launch_give(const struct run_plan *plan, struct run_launch *command, const char *name, const char *value);
/* A variable that the user has set is left alone; the launcher passes it on. */
void run_launch_give_unless_set(const struct run_plan *plan, struct run_launch *command, const char *name,
                                const char *value);

/* Their own words; `job` as for run_launch_make. */
void run_launch_openmpi(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command);
void run_launch_mpich(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command);
void run_launch_slurm(const struct run_plan *plan, const char *ranks, struct run_launch *command);

#endif
