/* death: one job, one death. The last rank dies while all are at `during`, over and over; the survivors learn of it, and `then`
 * agree, shrink or revoke. One line of CSV: ranks, during, then, and microseconds from the death until the first and the last
 * survivor has its error, for what came then alone (the last one in to the last one out), and from the death to that end.
 *
 *      bench-mpi-death-openmpi FILE real|ghost DURING THEN          as ranks, with the layer preloaded: see bench/mpi/run
 *
 * DURING: allreduce, barrier, recv, agree. THEN: agree, shrink, revoke. FILE is where the ranks note their times: all are on one
 * host and have one clock. A real death is a SIGKILL from another process, at some moment nobody has agreed on. */
#include <fcntl.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 64, LIMIT_S = 30, SOON_MS = 20 };

struct notes {
    int64_t died;
    int64_t learned[RANKS], through[RANKS];
};
static struct notes *notes;
static int rank, ranks, victim;
static MPI_Comm spare; /* to be revoked */
static const char *volatile at = "the beginning";

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void give_up(const char *why)
{
    fprintf(stderr, "bench-mpi-death: rank %d: %s\n", rank, why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void too_long(int signal)
{
    char line[120];
    (void)signal;
    int size = snprintf(line, sizeof line, "bench-mpi-death: rank %d hangs at %s\n", rank, at);
    ssize_t written = write(2, line, (size_t)size);
    (void)written;
    _exit(99);
}

static struct notes *map(const char *file)
{
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *notes) != 0)
        return NULL;
    void *memory = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- the killer: a child of rank 0's, from before MPI_Init ------------------------------------------------------------------ */

static int killer(void)
{
    int order[2];
    pid_t pid;
    if (pipe(order) != 0)
        return -1;
    if (fork() != 0) {
        close(order[0]);
        return order[1];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(order[1]);
    if (read(order[0], &pid, sizeof pid) == sizeof pid) {
        int64_t late = now() % (SOON_MS * INT64_C(1000000)); /* anywhere in what they do: there is nothing to wait for */
        nanosleep(&(struct timespec){.tv_nsec = late}, NULL);
        notes->died = now();
        kill(pid, SIGKILL);
    }
    _exit(0);
}

static void order_death(int order)
{
    pid_t mine = getpid(), pids[RANKS];
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, pids, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && order >= 0 && write(order, &pids[victim], sizeof mine) != sizeof mine)
        give_up("there is no killer");
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
    give_up("no such call");
    return NULL;
}

/* A ghost dies in the middle of the others' calls, by its own word. */
static void until_death(int (*call)(void), bool ghost)
{
    int64_t end = now() + now() % (SOON_MS * INT64_C(1000000));
    while (call() == MPI_SUCCESS)
        if (ghost && rank == victim && now() >= end) {
            notes->died = now();
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
    printf("%d,%s,%s,%.1f,%.1f,%.1f,%.1f\n", ranks, during, then, since(notes->died, notes->learned, true), last, end - last, end);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Comm survivors;
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    bool ghost = argc == 5 && !strcmp(argv[2], "ghost");
    notes = argc == 5 ? map(argv[1]) : NULL;
    int order = notes && !ghost && number && !strcmp(number, "0") ? killer() : -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    victim = ranks - 1;
    if (!notes || ranks < 2 || ranks > RANKS)
        give_up("usage: bench-mpi-death FILE real|ghost DURING THEN, as 2 to 64 ranks");
    signal(SIGALRM, too_long);
    alarm(LIMIT_S);
    int (*during)(void) = call_named(argv[3]), (*then)(void) = call_named(argv[4]);
    MPI_Comm_dup(MPI_COMM_WORLD, &spare);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(spare, MPI_ERRORS_RETURN);
    order_death(order);
    at = argv[3];
    until_death(during, ghost);
    notes->learned[rank] = now();
    at = argv[4];
    then();
    notes->through[rank] = now();
    at = "the end";
    MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    MPI_Barrier(survivors); /* all times are noted */
    if (rank == 0)
        report(argv[3], argv[4]);
    MPI_Finalize();
    return 0;
}
