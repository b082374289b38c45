/* combi: the fault-tolerant combination technique. A solver that needs no checkpoint: what a dead rank had is left out, and
 * the rest is weighted anew. docs/use/combination.md explains it; job.h says who speaks with whom.
 *
 * knell run -n 9 --kill 4@MPI_Bcast#7 -- combi --dim 2 --min 3,3 --max 8,8 --groups 4 */
#include "job.h"

/* True: the job is over, and all know it. */
static bool over(struct job *j, int *status)
{
    int printed = 1;
    if (size_of(j->all) == 1 && job_round(j) < j->option.rounds) { /* a manager without groups */
        j->state[STATE_ROUND] = j->option.rounds;
        j->state[STATE_ESTIMATE] = INFINITY;
    }
    if (job_round(j) < j->option.rounds)
        return false;
    if (j->me.role == MANAGER)
        *status = answer(j);
    fflush(stdout);
    return MPIX_Comm_agree(j->all, &printed) == MPI_SUCCESS; /* a failure: whoever should have printed may be dead */
}

static int run(struct job *j)
{
    int status = 0;
    j->began = MPI_Wtime();
    job_begin(j);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* what is made from it inherits this */
    j->all = MPI_COMM_WORLD;
    j->team = MPI_COMM_NULL;
    for (rebuild(j); !over(j, &status); rebuild(j)) {
        if (job_round(j) < j->option.rounds) /* else somebody died while the answer was printed */
            (j->me.role == MANAGER ? manage : serve)(j);
        MPIX_Comm_revoke(j->all); /* whoever is here wants all to meet */
    }
    if (j->team != MPI_COMM_NULL)
        MPI_Comm_free(&j->team);
    MPI_Comm_free(&j->all);
    job_drop_grids(j);
    free(j->state);
    return status;
}

int main(int argc, char **argv)
{
    static struct job job;
    int status = 2;
    MPI_Init(&argc, &argv);
    job.world_size = size_of(MPI_COMM_WORLD);
    const char *wrong = options_parse(&job.option, argc, argv, job.world_size);
    if (!wrong && !scheme_make(&job.scheme, job.option.dim, job.option.min, job.option.max[0] - job.option.min[0]))
        wrong = "there are too many grids between --min and --max";
    if (!wrong)
        status = run(&job);
    else if (rank_in(MPI_COMM_WORLD) == 0)
        fprintf(stderr, "combi: %s\n", wrong);
    MPI_Finalize();
    return status;
}
