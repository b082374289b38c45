/* job: the combined solution, with which every round begins, and the words that ranks say. */
#include "job.h"

int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int size_of(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

int seal_of(const void *data, size_t size)
{
    unsigned seal = 0x5ea1;
    for (size_t i = 0; i < size; i++)
        seal = seal * 31 + ((const unsigned char *)data)[i];
    return (int)(seal >> 1);
}

static double seal_of_message(const struct job *j, const double *message)
{
    int state = message[0] == STATE ? seal_of(message + WORDS, (size_t)j->state_length * sizeof *message) : 0;
    return seal_of(message, (WORDS - 1) * sizeof *message) ^ state;
}

bool is_sealed(const struct job *j, const double *message)
{
    return message[WORDS - 1] == seal_of_message(j, message);
}

int say(const struct job *j, int to, enum word word, int grid)
{
    int more = word == STATE ? j->state_length : word == GRID ? (int)j->grid[grid].points : 0;
    double *message = malloc((size_t)(WORDS + more) * sizeof *message);
    message[0] = word, message[1] = grid, message[2] = job_round(j);
    if (more > 0)
        memcpy(message + WORDS, word == STATE ? j->state : j->value[grid], (size_t)more * sizeof *message);
    message[WORDS - 1] = seal_of_message(j, message);
    int code = MPI_Send(message, WORDS, MPI_DOUBLE, to, word < DONE ? TAG_ORDER : TAG_NEWS, j->all);
    if (code == MPI_SUCCESS)
        code = MPI_Send(message + WORDS, more, MPI_DOUBLE, to, TAG_BODY, j->all);
    free(message);
    return code;
}

int job_round(const struct job *j)
{
    return (int)j->state[STATE_ROUND];
}

void job_drop_grids(struct job *j)
{
    for (int grid = 0; grid < j->scheme.count; grid++) {
        free(j->value[grid]);
        j->value[grid] = NULL;
    }
}

void job_set_state(struct job *j, const double *state)
{
    if ((int)state[STATE_ROUND] != job_round(j))
        job_drop_grids(j);
    memcpy(j->state, state, (size_t)j->state_length * sizeof *state);
}

void job_combine(struct job *j, const int *weight)
{
    for (int grid = 0; grid < j->scheme.count; grid++) {
        j->state[STATE_HEAD + grid] = weight[grid];
        if (weight[grid] != 0)
            memcpy(j->begin[grid], j->value[grid], (size_t)j->grid[grid].points * sizeof(double));
    }
    job_drop_grids(j);
}

/* The exact solution at time 0, on all grids, combined. */
void job_begin(struct job *j)
{
    int count = j->scheme.count;
    bool whole[GRIDS_MOST];
    double x[DIM_MOST];
    memset(whole, true, sizeof whole);
    weights_of(&j->scheme, whole, j->classic);
    j->span = (double)END_TIME / j->option.rounds;
    j->state_length = STATE_HEAD + count;
    for (int grid = 0; grid < count; grid++) {
        struct grid *g = &j->grid[grid];
        grid_make(g, j->scheme.dim, j->scheme.level[grid]);
        j->cost[grid] = pde_cost(g, j->span);
        j->state_length += (int)g->points;
        j->value[grid] = malloc((size_t)g->points * sizeof(double));
        for (long p = 0; p < g->points; p++) {
            grid_point(g, p, x);
            j->value[grid][p] = pde_exact(g->dim, x, 0);
        }
    }
    j->state = calloc((size_t)j->state_length, sizeof *j->state);
    j->solution = (struct combination){count, j->grid, j->state + STATE_HEAD, j->begin};
    for (int grid = 0; grid < count; grid++)
        j->begin[grid] = grid == 0 ? j->state + STATE_HEAD + count : j->begin[grid - 1] + j->grid[grid - 1].points;
    job_combine(j, j->classic);
}
