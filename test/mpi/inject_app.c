/* inject_app: for inject.sh, what scenarios do to a program beyond killing it.
 * alltoall FILE  no call but MPI_Alltoall, each noted in FILE.RANK before it is made, until somebody has died
 * shrink WANTED  the same without notes, shrinking after each death, until WANTED are left; they make 200 calls more
 * all FILE       four ranks. 60 steps, in which rank 1 has its variables changed, rank 2 is stopped and gets a signal, and rank 3 has its
 *                faults paused: it notes in FILE that it got through, and dies. Then rank 0 sends messages, notes each, and dies at one.
 * time CALLS     how long a local call takes, in microseconds */
#include "check.h"

#include <inttypes.h>
#include <knell/faults.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

static void work(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static FILE *notes_of(const char *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s.%d", file, me);
    FILE *notes = fopen(path, "w");
    CHECK(notes);
    setbuf(notes, NULL);
    return notes;
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------- */

static int exchange(MPI_Comm comm)
{
    int mine[16] = {0}, theirs[16];
    return MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
}

static int alltoall(const char *file)
{
    FILE *notes = notes_of(file);
    do {
        work(1);
        fputc('.', notes);
    } while (exchange(MPI_COMM_WORLD) == MPI_SUCCESS);
    OK(MPI_Barrier(shrunk(MPI_COMM_WORLD)));
    return end();
}

static int shrink(int wanted)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int size = all;
    while (size > wanted) {
        work(1);
        if (exchange(comm) == MPI_SUCCESS)
            continue;
        MPIX_Comm_revoke(comm);
        comm = shrunk(comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        OK(MPI_Comm_size(comm, &size));
    }
    for (int i = 0; i < 200; i++)
        OK(exchange(comm));
    return end();
}

static int take_time(int calls)
{
    int flag;
    int64_t begin = now_ms();
    for (int i = 0; i < calls; i++)
        OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    printf("%.3f us a call\n", 1e3 * (double)(now_ms() - begin) / calls);
    return end();
}

/* ---- all ------------------------------------------------------------------------------------------------------------------- */

enum { STEPS = 60 };
static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

/* One step: true if it took as long as a stop lasts. */
static bool step(void)
{
    int64_t begin = now_ms();
    work(10);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return now_ms() - begin >= 250;
}

/* The scenario: at the first call with $iteration == 20, $residual = 7 and one bit of $mask is flipped; at 40, $iteration = 1000. */
static void be_changed(void)
{
    static int iteration;
    static double residual = 1.5;
    static unsigned char mask;
    int nowhere = 0;
    KNELL_VARIABLE(iteration);
    KNELL_VARIABLE(residual);
    KNELL_VARIABLE(mask);
    KNELL_VARIABLE(nowhere);
    for (int i = 1; i <= STEPS; i++) {
        iteration = i;
        step();
        CHECK(residual == (i < 20 ? 1.5 : 7));
        CHECK(__builtin_popcount(mask) == (i < 20 ? 0 : 1));
        CHECK(iteration == (i == 40 ? 1000 : i));
    }
}

/* Twice for 300 ms, and a signal. The others wait for it in the barrier. */
static void be_stopped(void)
{
    int gaps = 0;
    signal(SIGUSR1, count_signal);
    for (int i = 1; i <= STEPS; i++)
        gaps += step();
    CHECK(gaps == 2);
    CHECK(signals == 1);
}

static int spared_notes;

static void note_signal(int number)
{
    (void)number;
    signals++;
    CHECK(write(spared_notes, "#", 1) == 1);
}

/* A signal and a death, both of which come at the last resume. */
static void be_spared(const char *file)
{
    FILE *notes = notes_of(file);
    spared_notes = fileno(notes);
    signal(SIGUSR1, note_signal);
    for (int i = 1; i <= STEPS; i++)
        step();
    fputc('.', notes);
    knell_faults_pause();
    knell_faults_resume(); /* of the inner pair */
    CHECK(signals == 0);
    fputc('.', notes);
    knell_faults_resume();
    fputc('!', notes); /* too late */
}

static void send_until_dead(const char *file)
{
    static const struct {
        int to, tag;
    } message[] = {{1, 5}, {2, 5}, {1, 7}, {2, 7}, {2, 8}};
    FILE *notes = notes_of(file);
    for (int i = 0; i < 5; i++) {
        fputc('.', notes);
        OK(MPI_Send(&i, 1, MPI_INT, message[i].to, message[i].tag, MPI_COMM_WORLD));
    }
}

static void receive_until_dead(void)
{
    int got;
    OK(MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (me == 1)
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    learn_death(MPI_COMM_WORLD, 0);
}

static int all_of_it(const char *file)
{
    if (me == 3)
        knell_faults_pause();
    meet(MPI_COMM_WORLD);
    switch (me) {
    case 1:
        be_changed();
        break;
    case 2:
        be_stopped();
        break;
    case 3:
        be_spared(file);
        break;
    default:
        for (int i = 1; i <= STEPS; i++)
            step();
    }
    learn_death(MPI_COMM_WORLD, 3);
    if (me == 0)
        send_until_dead(file);
    else
        receive_until_dead();
    int size = 0;
    OK(MPI_Comm_size(shrunk(MPI_COMM_WORLD), &size));
    CHECK(size == 2);
    return end();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";
    if (strcmp(mode, "all") == 0)
        knell_faults_pause(); /* before MPI_Init, too */
    begin(&argc, &argv, 60);
    if (strcmp(mode, "all") == 0)
        knell_faults_resume();
    if (strcmp(mode, "alltoall") == 0)
        return alltoall(argv[2]);
    if (strcmp(mode, "shrink") == 0)
        return shrink(atoi(argv[2]));
    if (strcmp(mode, "time") == 0)
        return take_time(atoi(argv[2]));
    return strcmp(mode, "all") == 0 ? all_of_it(argv[2]) : end();
}
