/* manager: what the manager knows of groups and grids in one round. */
#ifndef COMBI_MANAGER_H
#define COMBI_MANAGER_H

#include "job.h"

/* Of a grid: to be given to a group; a group works on it; has it; it is collected; its group was lost, or it is an outlier. */
enum status { NOT_WANTED, WANTED, GIVEN, HELD, HERE, LOST };

struct group {
    enum { GONE, HURT, IDLE, WORKING } is; /* HURT: its master is dead, its workers have not reported yet */
    int master, alive, round;              /* the master's rank in `all`; how many live; whose state it has */
};

struct manager {
    struct job *j;
    struct group group[GROUPS_MOST];
    bool dead[RANKS_MOST];
    enum status status[GRIDS_MOST];
    int tries[GRIDS_MOST]; /* how often it was given out in this round */
    int at[GRIDS_MOST];    /* the group that solves or has it; NONE: the manager's own, from when it was a master */
    int weight[GRIDS_MOST];
    bool downset[GRIDS_MOST]; /* of the combination */
    MPI_Request ear;          /* the receive of the next news, from any rank */
    double *news;             /* where it is, with room for any */
};

bool gather_grids(struct manager *m);  /* until every wanted grid is here or lost; false: no group is left */
void drop_outliers(struct manager *m); /* takes away what lies */
enum choice { CHOICE_MADE, CHOICE_WANTS_MORE, CHOICE_NONE_LEFT } choose_weights(struct manager *m);

#endif
