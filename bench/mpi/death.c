/* death: one job, one death. The last rank dies while all are at `during`, over and over; the survivors learn of it, and `then`
 * agree, shrink or revoke. One line of CSV: ranks, during, then, and microseconds from the death until the first and the last
 * survivor has its error, for what came then alone (the last one in to the last one out), and from the death to that end.
 *
 *      bench-mpi-death-openmpi FILE real|ghost DURING THEN          as ranks, with the layer preloaded: see bench/mpi/run
 *
 * DURING: allreduce, barrier, recv, agree. THEN: agree, shrink, revoke. FILE is where the ranks note their times: all are on one
 * host and have one clock. A real death is a SIGKILL from another process, at some moment nobody has agreed on. */
#include "dying.h"

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 30 };

struct notes {
    int64_t died;
    int64_t learned[DYING_MOST], through[DYING_MOST];
};
static struct notes *notes;
static int rank, ranks, victim;
static MPI_Comm spare; /* to be revoked */

static void order_death(const struct dying_killer *killer)
{
    pid_t mine = getpid(), pids[DYING_MOST];
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, pids, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (killer->order >= 0)
        dying_order(killer, &pids[victim], 1);
}

/* ---- during, then ------------------------------------------------------------------------------------------------------------ */

static int allreduce(void)
{
    double one = 1, sum;
    return MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int barrier(void)
{
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int receive(void)
{
    if (rank == victim)
        return MPI_SUCCESS; /* it sends nothing */
    return MPI_Recv(NULL, 0, MPI_BYTE, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int agree(void)
{
    int flag = 1;
    return MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
}

static int shrink(void)
{
    MPI_Comm smaller;
    return MPIX_Comm_shrink(MPI_COMM_WORLD, &smaller);
}

static int revoke_spare(void)
{
    if (rank == 0)
        return MPIX_Comm_revoke(spare);
    return MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, spare, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {{"allreduce", allreduce}, {"barrier", barrier}, {"recv", receive},
             {"agree", agree},         {"shrink", shrink},   {"revoke", revoke_spare}};

static int (*call_named(const char *name))(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].call;
    dying_give_up("no such call");
    return NULL;
}

/* A ghost dies in the middle of the others' calls, by its own word. */
static void until_death(int (*call)(void), bool ghost)
{
    int64_t end = dying_now() + dying_moment();
    while (call() == MPI_SUCCESS)
        if (ghost && rank == victim && dying_now() >= end) {
            notes->died = dying_now();
            knell_kill_me();
        }
}

/* ---- the end ------------------------------------------------------------------------------------------------------------------ */

static double since(int64_t start, const int64_t *times, bool first)
{
    int64_t found = times[0];
    for (int i = 0; i < ranks; i++)
        if (i != victim && (first ? times[i] < found : times[i] > found))
            found = times[i];
    return 1e-3 * (double)(found - start);
}

static void report(const char *during, const char *then)
{
    double last = since(notes->died, notes->learned, false), end = since(notes->died, notes->through, false);
    printf("%d,%s,%s,%.1f,%.1f,%.1f,%.1f\n", ranks, during, then, since(notes->died, notes->learned, true), last,
           end - last, end);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Comm survivors;
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    bool ghost = argc == 5 && !strcmp(argv[2], "ghost");
    struct dying_killer killer = {.order = -1};
    notes = argc == 5 ? dying_map(argv[1], sizeof *notes) : NULL;
    if (notes && !ghost && number && !strcmp(number, "0"))
        killer = dying_hire(SIGKILL, &notes->died);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    victim = ranks - 1;
    if (!notes || ranks < 2 || ranks > DYING_MOST)
        dying_give_up("usage: bench-mpi-death FILE real|ghost DURING THEN, as 2 to 64 ranks");
    dying_limit(LIMIT_S);
    int (*during)(void) = call_named(argv[3]), (*then)(void) = call_named(argv[4]);
    MPI_Comm_dup(MPI_COMM_WORLD, &spare);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(spare, MPI_ERRORS_RETURN);
    order_death(&killer);
    dying_at = argv[3];
    until_death(during, ghost);
    notes->learned[rank] = dying_now();
    dying_at = argv[4];
    then();
    notes->through[rank] = dying_now();
    dying_at = "the end";
    MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    MPI_Barrier(survivors); /* all times are noted */
    if (rank == 0)
        report(argv[3], argv[4]);
    MPI_Finalize();
    return 0;
}
