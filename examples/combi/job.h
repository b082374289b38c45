/* job: what a rank knows, and what ranks say to each other.
 *
 * One rank is the manager. The others are in groups; the first rank of a group is its master. The manager speaks with
 * masters, over `all`; a master speaks with its workers, over `team`. Nobody else speaks.
 *
 *                       manager            over all: orders down, news up
 *                     /    |    \
 *                master  master  master
 *                  |       |       |       over team: a task and its data, rows of neighbours, the result
 *               workers workers workers
 *
 * A death in a group is the group's matter: it mends itself, and says so to the manager (group.c). The other groups hear
 * nothing. The death of the manager is everybody's matter: all meet in rebuild.c, and the lowest master is the manager. */
#ifndef COMBI_JOB_H
#define COMBI_JOB_H

#include "grid.h"

#include <math.h>
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, RANKS_MOST = 1024, GROUPS_MOST = 64, END_TIME = 1 }; /* the solution is wanted at END_TIME */
enum recover { RECOVER_CHEAPER, RECOVER_WEIGHTS, RECOVER_RECOMPUTE };
enum hurt { HURT_REMOVE, HURT_SHRINK }; /* a group that lost a rank is removed, or goes on with those it has */
enum notice {
    NOTICE_WATCH,
    NOTICE_REPORT
}; /* the manager looks out for dead workers, or waits for the group's report */

struct options {
    int dim, min[DIM_MOST], max[DIM_MOST], groups, rounds, recover, hurt, notice;
    int compare;         /* with a run without faults, which the manager does alone when it has the answer */
    const char *picture; /* PREFIX-scheme.svg, PREFIX-solution.svg; NULL: none */
};

const char *options_parse(struct options *o, int argc, char **argv, int ranks); /* NULL, or what is wrong */

/* What a rank says of itself when all meet. `who` is its rank in the world. */
enum role { WORKER, MASTER, MANAGER };
struct card {
    int who, role, group, team_size, round, state, here[GRIDS_MOST], seal; /* state: its seal */
};
enum { CARD_INTS = sizeof(struct card) / sizeof(int), CARD_SEALED = sizeof(struct card) - sizeof(int) };

/* What outlives any death: the manager and all masters have it. The first numbers of `state` are these, then comes the
 * combined solution at the beginning of the round: the weights of all grids, and the values of all. */
enum { STATE_ROUND, STATE_ESTIMATE, STATE_LEFT_OUT, STATE_AGAIN, STATE_HEAD };

struct job {
    struct options option;
    struct scheme scheme;
    struct grid grid[GRIDS_MOST]; /* those of the scheme */
    double cost[GRIDS_MOST];      /* of each in one round */
    int classic[GRIDS_MOST];      /* its weight if nothing is lost */
    double span, began;           /* of one round; when the job began */
    int state_length, world_size;

    MPI_Comm all, team;           /* all living ranks; my group, or null */
    int manager;                  /* its rank in `all` */
    struct card me;               /* group NONE: I am the manager, or my group was removed */
    struct card card[RANKS_MOST]; /* of each rank in `all`, at the last meeting; `group` is what was decided there */

    double *state, *begin[GRIDS_MOST]; /* where each grid is in it */
    struct combination solution;       /* that in `state` */
    double *value[GRIDS_MOST];         /* grids of this round that were solved and are here; NULL: not here */
};

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);
int job_round(const struct job *j);

/* The state at time 0; that of another moment, which makes the grids of this round worthless; the solved grids, combined. */
void job_begin(struct job *j);
void job_set_state(struct job *j, const double *state);
void job_combine(struct job *j, const int *weight);
void job_drop_grids(struct job *j);

/* Orders of the manager, and from DONE on news of masters: {word, grid, round, seal}, then the state, a grid, or nothing. */
enum word { SOLVE, COLLECT, STATE, DONE, GRID, REPORT, AGAIN };
enum { WORDS = 4, TAG_ORDER = 11, TAG_NEWS, TAG_BODY };
int say(const struct job *j, int to, enum word word, int grid);

/* Wrong bits in a grid are found by comparing; in words, and in a state, they must not lead anybody astray: a seal shows them. */
int seal_of(const void *data, size_t size);
bool is_sealed(const struct job *j, const double *message);

/* u_t + a . grad u = nu lap u on the unit cube, periodic. Its solution is known: a hill that wanders and becomes flat. */
double pde_exact(int dim, const double *x, double t);
double pde_cost(const struct grid *g, double span); /* of a grid for a span of time: its points times all steps */

/* Advances a rank's rows of a grid by a span of time. `u` has two rows more: the first and the last, for the neighbours'. */
int pde_advance(const struct grid *g, double span, double *u, long rows, MPI_Comm team);

/* Solves one grid of the round, with all ranks of the team; `value`, at rank 0, is the grid. */
int solve_grid(const struct job *j, int grid, double *value, MPI_Comm team);

void rebuild(struct job *j);     /* all living ranks meet, and are a job again */
void manage(struct job *j);      /* returns when `all` is to be rebuilt */
void serve(struct job *j);       /* the same */
int answer(const struct job *j); /* status: 0 right, 1 worse than estimated, 3 nothing is left */

/* What was planned and, if some is lost, what it became; the solution, of three dimensions at the middle of the third. */
void picture_scheme(const struct job *j, const int *weight, const bool *lost);
void picture_solution(const struct job *j, double error);

#endif
