/* ghost.c: see ghost.h. */
#include "mpi/inject/ghost.h"
#include "mpi/abandon/drain.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/base/settings.h"
#include "mpi/detector/neighbours.h"
#include "mpi/detector/side.h"
#include "mpi/inject/shield.h"
#include "mpi/native/native.h"
#include "mpi/report/tell.h"
#include "os/clock.h"
#include "os/futex.h"

#include <knell/mpix.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The living tell the ghosts to go by a message of this tag on the MPI's own world, which is used for nothing else. */
enum { RELEASE = 1, RELEASE_MS = 2000 };

enum { ALIVE, GHOST, LEAVING };
static struct {
    _Atomic int state; /* ALIVE, GHOST, LEAVING */
    _Atomic bool is_known, is_served;
    _Atomic knell_time died;
} ghost;

static knell_time delay(void)
{
    const char *text = settings_get("KNELL_GHOST_DELAY_NS");
    return text ? strtoll(text, NULL, 10) : 0;
}

static void rest(knell_time how_long)
{
    struct timespec time = {how_long / INT64_C(1000000000), how_long % INT64_C(1000000000)};
    nanosleep(&time, NULL);
}

/* ---- dying ----------------------------------------------------------------------------------------------------------------- */

/* From here on its threads park at their next call, or where they wait. False: it is too late, the process leaves. */
static bool become_ghost(void)
{
    int was = ALIVE;
    if (!atomic_compare_exchange_strong(&ghost.state, &was, GHOST))
        return was == GHOST;
    atomic_store(&ghost.died, knell__clock_now());
    tell_word(JOB_WORD_GHOST, 0);
    layer_park_by(ghost_park);
    atomic_fetch_or(&layer_attention, ATTENTION_GHOST);
    return true;
}

/* The detector of a process that was killed would have needed its time: so does a ghost's. */
static void make_known(void)
{
    if (knell__clock_now() - atomic_load(&ghost.died) >= delay() && !atomic_exchange(&ghost.is_known, true))
        side_trigger();
}

static bool is_released(void)
{
    int flag = 0;
    native.iprobe(MPI_ANY_SOURCE, RELEASE, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return flag;
}

/* The thread may have died before an operation that it would have posted with a lock of those that drain_turn needs; what they protect is
 * whole at such a point. */
static void give_back(void)
{
    static const enum lock needed[] = {LOCK_NOTICES, LOCK_MATCHING};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (lock_is_mine(needed[i]))
            lock_give(needed[i]);
}

/* One thread keeps the MPI below going, the first that comes: with MPI_THREAD_FUNNELED no other may. It takes what the others
 * had sent here and give up. */
_Noreturn void ghost_park(void)
{
    bool serves = !atomic_exchange(&ghost.is_served, true);
    layer_guard++;
    give_back();
    for (;;) {
        make_known();
        if (serves && is_released())
            _exit(EXIT_SUCCESS);
        if (!serves || !drain_turn())
            rest(1000000);
    }
}

_Noreturn void ghost_die_now(void)
{
    bool in_mpi = !(atomic_load(&layer_attention) & ATTENTION_OFF);
    if (self.ghosts && in_mpi && become_ghost())
        ghost_park();
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

__attribute__((visibility("default"))) void knell_kill_me(void)
{
    ghost_die_now();
}

/* ---- from outside ---------------------------------------------------------------------------------------------------------- */

static void *listen_for_halt(void *word)
{
    _Atomic uint32_t *halt = word;
    while (atomic_load(halt) == 0)
        knell__futex_wait(halt, 0);
    shield_wait();
    if (!become_ghost())
        return NULL;
    rest(delay());
    make_known();
    return NULL;
}

/* A thread of its own: the program may compute for long, and is dead to the others at once all the same. */
void ghost_listen(_Atomic uint32_t *halt)
{
    pthread_t thread;
    sigset_t all, before;
    if (!self.ghosts)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, listen_for_halt, halt) == 0)
        pthread_detach(thread);
    else
        layer_say("no thread to die by: deaths of this process come at its calls only");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the end --------------------------------------------------------------------------------------------------------------- */

void ghost_leave(void)
{
    int was = ALIVE;
    if (!atomic_compare_exchange_strong(&ghost.state, &was, LEAVING) && was == GHOST)
        ghost_park();
}

bool ghost_has_left(void)
{
    return self.ghosts && atomic_load(&ghost.state) == LEAVING;
}

static bool ghosts_are_there(void)
{
    for (int i = 0; i < side_deaths(); i++)
        if (neighbour_is_there(side_death_at(i)))
            return true;
    return false;
}

/* Over some transports the word goes out only while its sender keeps the MPI going. Not for ever: a ghost may have been stopped. */
static void see_them_go(void)
{
    for (knell_time end = knell__clock_now() + RELEASE_MS * INT64_C(1000000);
         ghosts_are_there() && knell__clock_now() < end; sched_yield())
        is_released();
}

/* Each of the living tells all of the dead: whoever decided the last agreement knew them all. Among them may be some that are no ghosts:
 * a message to those may be an error, and the program's handler is not to hear of it. */
void ghost_release_all(void)
{
    MPI_Request request;
    if (!self.ghosts || side_deaths() == 0)
        return;
    native.comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < side_deaths(); i++)
        if (native.isend(NULL, 0, MPI_BYTE, side_death_at(i), RELEASE, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
            native.request_free(&request);
    see_them_go();
}
