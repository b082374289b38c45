/* options: the command line. */
#ifndef COMBI_OPTIONS_H
#define COMBI_OPTIONS_H

#include "levels.h"

enum recover { RECOVER_CHEAPER, RECOVER_WEIGHTS, RECOVER_RECOMPUTE };
enum hurt { HURT_REMOVE, HURT_SHRINK }; /* a group that lost a rank: it is removed, or goes on with those it has */
enum notice {
    NOTICE_WATCH,
    NOTICE_REPORT
}; /* who tells the manager of a dead worker: the MPI, or the group's master */

struct options {
    int dim, min[DIM_MOST], max[DIM_MOST], groups, rounds;
    double end; /* the time at which the solution is wanted */
    int recover, hurt, notice;
    bool compare;        /* with a run without faults, which the manager does alone when it has the answer */
    const char *picture; /* PREFIX-scheme.svg, PREFIX-solution.svg; NULL: none */
};

/* NULL, or what is wrong. */
const char *options_parse(struct options *o, int argc, char **argv, int ranks);

#endif
