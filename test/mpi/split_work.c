/* split_work: ranks work until they are told to stop, and after each death shrink and go on with whoever is left. Argument: a folder that
 * all hosts have, also those that the network does not join: there
 *
 *     over          is made by the test: it is time to end
 *     turns.0       how many pieces of work are done, by rank 0
 *     left.RANK     with how many this rank goes on, after each shrink
 *     done.RANK     with how many it came to the end
 *
 * Says "ready" when the network may split. */
#include "check.h"

#include <fcntl.h>
#include <stdbool.h>

enum { SECONDS = 100 };

static const char *folder;

/* Whole or not at all. */
static void note(const char *what, int number, int value)
{
    char path[256], made[280];
    snprintf(path, sizeof path, "%s/%s.%d", folder, what, number);
    snprintf(made, sizeof made, "%s.new", path);
    FILE *file = fopen(made, "we");
    CHECK(file && fprintf(file, "%d\n", value) > 0 && fclose(file) == 0 && rename(made, path) == 0);
}

static bool is_time(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s/over", folder);
    return access(path, F_OK) == 0;
}

/* One piece of work, and whether all who live have done it. */
static bool works(MPI_Comm comm, bool *over)
{
    int size, mine[2] = {1, is_time()}, sum[2] = {0, 0};
    OK(MPI_Comm_size(comm, &size));
    int done = CODE(MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, comm)) == MPI_SUCCESS;
    CHECK(!done || sum[0] == size);
    int is_whole = CODE(MPIX_Comm_agree(comm, &done)) == MPI_SUCCESS;
    *over = sum[1] > 0;
    return is_whole && done;
}

/* After what went wrong some are dead, and may be more than one shrink knows of. */
static MPI_Comm go_on(MPI_Comm comm)
{
    int size;
    MPIX_Comm_revoke(comm);
    comm = shrunk(comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    OK(MPI_Comm_size(comm, &size));
    note("left", me, size);
    return comm;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, SECONDS);
    MPI_Comm comm = MPI_COMM_WORLD;
    bool over = false;
    int size, turns = 0;
    folder = argc > 1 ? argv[1] : ".";
    OK(MPI_Barrier(comm));
    if (me == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    while (!over)
        if (!works(comm, &over)) {
            over = false;
            comm = go_on(comm);
        } else if (me == 0) {
            note("turns", 0, ++turns);
        }
    OK(MPI_Comm_size(comm, &size));
    note("done", me, size);
    return end();
}
