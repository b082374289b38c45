/* answer: the error of what came out, beside the estimate, and beside that of a run without faults. */
#include "job.h"

/* The whole run once more, alone and without faults. */
static double error_without_faults(const struct job *j)
{
    static struct job alone;
    alone = *j;
    memset(alone.value, 0, sizeof alone.value);
    job_begin(&alone); /* a state of its own */
    for (int round = 0; round < alone.option.rounds; round++) {
        for (int grid = 0; grid < alone.scheme.count; grid++)
            if (alone.classic[grid] != 0) {
                alone.value[grid] = malloc((size_t)alone.grid[grid].points * sizeof(double));
                solve_grid(&alone, grid, alone.value[grid], MPI_COMM_SELF);
            }
        job_combine(&alone, alone.classic);
    }
    double error = combination_distance(&alone.solution, pde_exact, END_TIME);
    free(alone.state);
    return error;
}

int answer(const struct job *j)
{
    double estimate = j->state[STATE_ESTIMATE], error = combination_distance(&j->solution, pde_exact, END_TIME);
    if (isinf(estimate)) {
        printf("no combination is left: %d of %d ranks live\n", size_of(j->all), j->world_size);
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
