/* manager: what the manager knows of groups and grids in one round. */
#ifndef COMBI_MANAGER_H
#define COMBI_MANAGER_H

#include "job.h"

enum status {
    NOT_WANTED,
    WANTED, /* to be given to a group */
    GIVEN,  /* a group works on it */
    HELD,   /* solved; its group has it */
    HERE,   /* collected */
    LOST    /* its group was lost, or it is an outlier */
};

struct group {
    int master; /* its rank in `all` */
    int alive;
    bool gone;    /* removed, or all of it is dead */
    bool hurt;    /* its master is dead, its workers have not reported yet */
    bool working; /* has an order */
};

struct manager {
    struct job *j;
    struct group group[GROUPS_MOST];
    int living; /* of the groups */
    bool dead[RANKS_MOST];
    enum status status[GRIDS_MOST];
    int tries[GRIDS_MOST]; /* how often it was given out in this round */
    int at[GRIDS_MOST];    /* the group that solves or has it; NONE: the manager's own, from when it was a master */
    bool downset[GRIDS_MOST];
    int weight[GRIDS_MOST]; /* of the combination */
    MPI_Request ear;        /* the receive of the next news, from any rank */
    int news[NEWS_INTS];
};

/* Hands out grids and hears news until every wanted grid is here or lost. False: no group is left. */
bool gather_grids(struct manager *m);

/* Takes away what lies. */
void drop_outliers(struct manager *m);

/* Chooses weights for what is here. */
enum choice { CHOICE_MADE, CHOICE_WANTS_MORE, CHOICE_NONE_LEFT };
enum choice choose_weights(struct manager *m);

void send_state(struct manager *m, int group);

#endif
