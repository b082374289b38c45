/* answer: the error of what came out, beside the estimate, and beside that of a run without faults. */
#include "job.h"

/* The exact solution is known here: the root of the mean square of the difference. */
static double error_of(const struct job *j)
{
    double sum = 0, x[DIM_MOST];
    for (int i = 0; i < SAMPLES; i++) {
        sample_point(j->scheme.dim, i, x);
        sum += pow(sparse_at(&j->sparse, j->state + STATE_HEAD, x) - pde_exact(j->scheme.dim, x, j->option.end), 2);
    }
    return sqrt(sum / SAMPLES);
}

/* The whole run once more, alone and without faults. */
static double error_without_faults(const struct job *j)
{
    struct job alone = *j;
    int weight[GRIDS_MOST];
    memset(alone.value, 0, sizeof alone.value);
    job_begin(&alone); /* a state of its own */
    job_classic(&alone, weight);
    for (int round = 0; round < alone.option.rounds; round++) {
        for (int grid = 0; grid < alone.scheme.count; grid++)
            if (weight[grid] != 0) {
                alone.value[grid] = malloc((size_t)alone.grid[grid].points * sizeof(double));
                solve_grid(&alone, grid, alone.value[grid], MPI_COMM_SELF);
            }
        job_combine(&alone, alone.value, weight, alone.state + STATE_HEAD);
        job_drop_grids(&alone);
    }
    double error = error_of(&alone);
    free(alone.state);
    return error;
}

int answer(const struct job *j)
{
    double estimate = j->state[STATE_ESTIMATE], error = error_of(j);
    if (isinf(estimate)) {
        printf("no combination is left: %d of %d ranks live, in round %d of %d\n", size_of(j->all), j->world_size,
               job_round(j) + 1, j->option.rounds);
        return 3;
    }
    printf("%d of %d ranks, %d rounds, %.3f s; grids left out: %.0f, solved again: %.0f\n", size_of(j->all),
           j->world_size, j->option.rounds, MPI_Wtime() - j->began, j->state[STATE_LEFT_OUT], j->state[STATE_AGAIN]);
    printf("answer: estimated error %.2e, true error %.2e: %s\n", estimate, error,
           error <= estimate ? "right" : "WORSE THAN ESTIMATED");
    if (j->option.compare)
        printf("without faults: true error %.2e\n", error_without_faults(j));
    if (j->option.picture)
        picture_solution(j, error);
    return error <= estimate ? 0 : 1; /* 1 also if one of them is no number */
}
