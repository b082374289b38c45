/* job: what a rank knows, and what ranks say to each other.
 *
 * One rank is the manager. The others are in groups; the first rank of a group is its master. The manager speaks with masters,
 * over `all`; a master speaks with its workers, over `team`. Nobody else speaks.
 *
 *                       manager            over all: orders down, news up
 *                     /    |    \
 *                master  master  master
 *                  |       |       |       over team: a task and its data, rows of neighbours, the result
 *               workers workers workers
 *
 * A death in a group is the group's matter: it mends itself, and says so to the manager (group.c). The other groups hear nothing.
 * The death of the manager is everybody's matter: all meet in rebuild.c, and the lowest master is the manager. */
#ifndef COMBI_JOB_H
#define COMBI_JOB_H

#include "grid.h"

#include <math.h>
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, RANKS_MOST = 1024, GROUPS_MOST = 64 };

/* ---- the command line -------------------------------------------------------------------------------------------- */

enum recover { RECOVER_CHEAPER, RECOVER_WEIGHTS, RECOVER_RECOMPUTE };
/* A group that lost a rank: it is removed, or goes on with those it has. Who tells the manager of a dead worker: its own receive, or
 * the master of the group. */
enum hurt { HURT_REMOVE, HURT_SHRINK };
enum notice { NOTICE_WATCH, NOTICE_REPORT };

struct options {
    int dim, min[DIM_MOST], max[DIM_MOST], groups, rounds;
    double end; /* the time at which the solution is wanted */
    int recover, hurt, notice;
    int compare;         /* with a run without faults, which the manager does alone when it has the answer */
    const char *picture; /* PREFIX-scheme.svg, PREFIX-solution.svg; NULL: none */
};

/* NULL, or what is wrong. */
const char *options_parse(struct options *o, int argc, char **argv, int ranks);

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Orders: the manager to a master. {kind, grid or round, seal}; a STATE is followed by it. News: a master to the manager.
 * {kind, grid, round, seal}; a GRID is followed by its values. */
enum role { WORKER, MASTER, MANAGER };
enum order { ORDER_SOLVE, ORDER_COLLECT, ORDER_STATE };
enum news { NEWS_DONE, NEWS_GRID, NEWS_REPORT };
enum { ORDER_INTS = 3, NEWS_INTS = 4 };
enum tag { TAG_ORDER = 11, TAG_STATE, TAG_NEWS, TAG_GRID }; /* TAG_GRID + the number of the grid */

/* Wrong bits in numbers of the solution are found by comparing; in words they must not lead anybody astray. */
static inline bool is_sealed(const int *words, int count)
{
    int seal = 0x5ea1;
    for (int i = 0; i < count; i++)
        seal ^= words[i];
    return seal == 0;
}

static inline int *sealed(int *words, int count)
{
    words[count - 1] = 0x5ea1;
    for (int i = 0; i < count - 1; i++)
        words[count - 1] ^= words[i];
    return words;
}

/* ---- a rank ------------------------------------------------------------------------------------------------------ */

/* What outlives any death: the manager and all masters have it. The first numbers of `state` are these, then comes the combined
 * solution at the beginning of the round. */
enum { STATE_ROUND, STATE_ESTIMATE, STATE_LEFT_OUT, STATE_AGAIN, STATE_HEAD };

struct job {
    struct options option;
    struct scheme scheme;
    struct sparse sparse;
    struct grid grid[GRIDS_MOST]; /* those of the scheme */
    double cost[GRIDS_MOST];      /* of each in one round */
    double span, began;           /* of one round; when the job began */
    int state_length, world_rank, world_size;

    MPI_Comm all, team;  /* all living ranks; my group, or null */
    int manager;         /* its rank in `all` */
    int group;           /* mine; NONE: I am the manager, or my group was removed */
    int role, team_size; /* of the last meeting, and of the team */
    double *state;
    double *value[GRIDS_MOST];     /* grids of this round that were solved and are here; NULL: not here */
    int holder[GRIDS_MOST];        /* after a rebuild, for the manager: the group whose master has the grid; NONE */
    int group_of[RANKS_MOST];      /* the same: of each rank in `all` */
    int world_rank_of[RANKS_MOST]; /* of each rank in `all` */
};

static inline int job_round(const struct job *j)
{
    return (int)j->state[STATE_ROUND];
}

static inline int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int size_of(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* The state at time 0; that of another moment, which makes the grids of this round worthless. */
void job_begin(struct job *j);
void job_set_state(struct job *j, const double *state);
void job_drop_grids(struct job *j);
double *job_surplus(const struct job *j, double *const *value, int grid); /* to be freed */

/* The weighted sum of grids, as surpluses on the sparse grid; the weights if nothing is lost. */
void job_combine(const struct job *j, double *const *value, const int *weight, double *sparse);
void job_classic(const struct job *j, int *weight);

/* The equation, u_t + a . grad u = nu lap u on the unit cube, periodic; its solution is known: */
/* a hill that wanders and becomes flat. */
double pde_exact(int dim, const double *x, double t);

/* What one grid costs for a span of time: its points times the steps along each axis. */
double pde_cost(const struct grid *g, double span);

/* Advances a rank's part of a grid by a span of time: rows along the slab. `u` has rows + 2 rows; the first and the last are room
 * for the neighbours'. */
int pde_advance(const struct grid *g, double span, double *u, long rows, MPI_Comm team);

/* Roles: each returns when `all` is to be rebuilt. */
void manage(struct job *j);
void serve(struct job *j);

/* All living ranks meet, and are a job again. */
void rebuild(struct job *j);

/* Solves one grid of the round, with all ranks of the team; `value`, at rank 0, is the grid. */
int solve_grid(const struct job *j, int grid, double *value, MPI_Comm team);

/* The manager says what has come out: 0, or 1 if it is worse than it was said to be. */
int answer(const struct job *j);

/* Tables of levels with their weights: what was planned, and beside it, if that is not the same, what it became. */
void picture_scheme(const struct job *j, const int *planned, const int *weight, const bool *lost);

/* The combined solution as a heat map; of three dimensions, the plane through the middle of the third. */
void picture_solution(const struct job *j, double error);

#endif
