/* failures: one job, several deaths at once (detector paper, figures 9 and 10). All agree a few times; then FAILURES ranks, chosen by
 * SEED, die at the same moment, the others learn of all of them, and agree again. One line of CSV:
 *
 *      ranks, failures, during,
 *      first_us, last_us      from the deaths until the first and the last survivor knows of all of them
 *      agree_us               the agreement after that: from the last one in to the last one out
 *      again_us, calm_us      one of the TIMES agreements after it, and before the deaths
 *
 *      bench-mpi-failures-openmpi FILE real|stop|ghost DURING FAILURES SEED          as ranks, with the layer preloaded: see bench/mpi/run
 *
 * DURING anysource, as the paper has it: all wait for a message from anybody, which fails at a death; who does not know of all of
 * them then acknowledges and waits again. DURING agree: all agree, over and over, until they agree that all know.
 * real: SIGKILL, which the kernel tells of. stop: SIGSTOP, which only silence tells of, after delta. ghost: by their own word. */
#include "dying.h"

#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60, TIMES = 20, TAG = 7, SETTLED_MS = 500 };

struct notes {
    int64_t died;
    int64_t calm_in[DYING_MOST], calm_out[DYING_MOST], knew[DYING_MOST], agree_in[DYING_MOST], agree_out[DYING_MOST],
        again_out[DYING_MOST];
};
static struct notes *notes;
static int rank, ranks, failures;
static bool dies[DYING_MOST];
static const MPI_Comm world = MPI_COMM_WORLD;

/* ---- who dies ---------------------------------------------------------------------------------------------------------------- */

/* Not rank 0, which tells the result: the same ones in every rank. */
static void choose(unsigned seed)
{
    for (int chosen = 0; chosen < failures;) {
        seed = seed * 1664525u + 1013904223u;
        int candidate = 1 + (int)((seed >> 8) % (unsigned)(ranks - 1));
        chosen += !dies[candidate];
        dies[candidate] = true;
    }
}

static void order_deaths(const struct dying_killer *killer)
{
    pid_t mine = getpid(), pids[DYING_MOST], victims[DYING_MOST];
    int count = 0;
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, pids, sizeof mine, MPI_BYTE, 0, world);
    MPI_Barrier(world);
    for (int i = 0; i < ranks; i++)
        if (dies[i])
            victims[count++] = pids[i];
    if (killer->order >= 0)
        dying_order(killer, victims, count);
}

/* All ghosts at the moment that rank 0 has chosen. */
static int64_t common_moment(void)
{
    int64_t moment = dying_now() + DYING_SOON_MS * INT64_C(1000000) + dying_moment();
    MPI_Bcast(&moment, sizeof moment, MPI_BYTE, 0, world);
    return moment;
}

/* ---- learning of it ---------------------------------------------------------------------------------------------------------- */

static bool knows_all(void)
{
    MPI_Group dead;
    int count = 0;
    MPIX_Comm_failure_ack(world);
    MPIX_Comm_failure_get_acked(world, &dead);
    MPI_Group_size(dead, &count);
    MPI_Group_free(&dead);
    return count >= failures;
}

static bool by_anysource(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, world, MPI_STATUS_IGNORE);
    return knows_all();
}

/* What is agreed on is the same for all: nobody goes on alone. */
static bool by_agreement(void)
{
    int all = knows_all();
    MPIX_Comm_agree(world, &all);
    return all;
}

/* Who is to be killed goes on until it is. A ghost that waits for a message would not see the time. */
static _Noreturn void until_death(bool (*learn)(void), bool ghost, int64_t moment)
{
    while (!ghost || dying_now() < moment)
        if (!ghost || learn == by_agreement)
            learn();
    notes->died = moment;
    knell_kill_me();
    abort();
}

/* ---- agreements -------------------------------------------------------------------------------------------------------------- */

static void agree(int times)
{
    for (int i = 0; i < times; i++) {
        int flag = 1;
        MPIX_Comm_agree(world, &flag);
    }
}

static void agree_calmly(void)
{
    agree(2);
    notes->calm_in[rank] = dying_now();
    agree(TIMES);
    notes->calm_out[rank] = dying_now();
}

/* Who has not been heard yet is given five seconds, not delta: until everybody has sent some heartbeats (eta 100 ms). */
static void until_all_are_heard(void)
{
    int64_t until = dying_now() + SETTLED_MS * INT64_C(1000000);
    int settled = 0;
    while (!settled) {
        settled = dying_now() >= until;
        MPIX_Comm_agree(world, &settled);
    }
}

static void agree_after(void)
{
    notes->agree_in[rank] = dying_now();
    agree(1);
    notes->agree_out[rank] = dying_now();
    agree(TIMES);
    notes->again_out[rank] = dying_now();
}

/* ---- the end ------------------------------------------------------------------------------------------------------------------ */

static int64_t last(const int64_t *times)
{
    int64_t found = times[0];
    for (int i = 1; i < ranks; i++)
        found = !dies[i] && times[i] > found ? times[i] : found;
    return found;
}

static int64_t first(const int64_t *times)
{
    int64_t found = times[0];
    for (int i = 1; i < ranks; i++)
        found = !dies[i] && times[i] < found ? times[i] : found;
    return found;
}

static double us(int64_t ns)
{
    return 1e-3 * (double)ns;
}

static void report(const char *during)
{
    printf("%d,%d,%s,%.1f,%.1f,%.1f,%.1f,%.1f\n", ranks, failures, during, us(first(notes->knew) - notes->died),
           us(last(notes->knew) - notes->died), us(last(notes->agree_out) - last(notes->agree_in)),
           us(last(notes->again_out) - last(notes->agree_out)) / TIMES,
           us(last(notes->calm_out) - last(notes->calm_in)) / TIMES);
    fflush(stdout);
}

static struct dying_killer hire(const char *mode)
{
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    if (!notes || !number || strcmp(number, "0") != 0 || !strcmp(mode, "ghost"))
        return (struct dying_killer){.order = -1};
    return dying_hire(!strcmp(mode, "stop") ? SIGSTOP : SIGKILL, &notes->died);
}

int main(int argc, char **argv)
{
    MPI_Comm survivors;
    notes = argc == 6 ? dying_map(argv[1], sizeof *notes) : NULL;
    struct dying_killer killer = notes ? hire(argv[2]) : (struct dying_killer){.order = -1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    failures = notes ? atoi(argv[4]) : 0;
    if (failures < 1 || failures > ranks - 2 || ranks > DYING_MOST)
        dying_give_up(
            "usage: bench-mpi-failures FILE real|stop|ghost DURING FAILURES SEED, as 3 to 64 ranks of which two live");
    bool ghost = !strcmp(argv[2], "ghost");
    bool (*learn)(void) = !strcmp(argv[3], "agree") ? by_agreement : by_anysource;
    choose((unsigned)atoi(argv[5]));
    dying_limit(LIMIT_S);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    dying_at = "agreements before";
    if (!strcmp(argv[2], "stop"))
        until_all_are_heard();
    agree_calmly();
    order_deaths(&killer);
    int64_t moment = ghost ? common_moment() : 0;
    dying_at = argv[3];
    if (dies[rank])
        until_death(learn, ghost, moment);
    while (!learn())
        ;
    notes->knew[rank] = dying_now();
    dying_at = "agreements after";
    agree_after();
    dying_at = "the end";
    MPIX_Comm_shrink(world, &survivors);
    MPI_Barrier(survivors); /* all times are noted */
    if (rank == 0)
        report(argv[3]);
    dying_dismiss(&killer);
    MPI_Finalize();
    return 0;
}
