/* finalize.c: MPI_Finalize, which ends also when somebody dies in the middle of it.
 *
 * 1. An agreement: all the living are here.
 * 2. If nobody is dead the MPI below is finalized, by a thread of its own. It would wait for ever for one who dies now; the
 *    caller waits for its end or for a death, whichever comes first. The detector is there until then. How long it takes is not the
 *    layer's business: a tool below the layer may write its report there.
 * 3. The process leaves the detector: to those who are still at 2 its end is no death.
 *
 * When the MPI below is not finalized, or not to its end, the process ends without the destructors of its libraries: they count on
 * it, and the thread may still be in there. */
#include "mpi/base/gen/own.h"
#include "mpi/comm/comm.h"
#include "mpi/detector/side.h"
#include "mpi/edge/close.h"
#include "mpi/edge/enter.h"
#include "mpi/inject/ghost.h"
#include "mpi/native/native.h"
#include "mpi/p2p/buffered.h"
#include "mpi/report/supervise.h"
#include "mpi/report/tell.h"
#include "mpi/wait/wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WHOLE_SECOND INT64_C(1000000000)

static _Atomic bool left_alone; /* finalized by us, without the MPI below */

int knell__mpi_finalized(int *flag)
{
    knell__native_ready();
    if (!atomic_load(&left_alone))
        return knell__native.finalized(flag);
    *flag = 1;
    return MPI_SUCCESS;
}

/* ---- the MPI below --------------------------------------------------------------------------------------------------------- */

static _Atomic bool is_over;
static int native_code;

static void finalize_natively(void)
{
    knell__supervisor_hear_goodbye();
    native_code = knell__native.finalize();
    atomic_store(&is_over, true);
    knell__epoch_raise();
}

static void *finalize_with_others(void *unused)
{
    (void)unused;
    knell__native_close_together();
    finalize_natively();
    return NULL;
}

/* Signals are the program's threads' business. */
static bool start_thread(pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, finalize_with_others, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Nobody stops answering the others before all have closed their connections. Only datagrams carry this agreement: the MPI below is the
 * thread's now. */
static void close_together(struct knell__ticket *ticket, bool *asked)
{
    if (!*asked && knell__native_closed_here()) {
        knell__side_propose(ticket);
        *asked = true;
    }
    if (*asked && atomic_load(&ticket->decided))
        knell__native_closed_everywhere();
}

static void leave_natively(pthread_t thread)
{
    knell__say("rank %d died in MPI_Finalize: the MPI below, and tools that end with it, are left where they are",
               knell__death_at(0));
    pthread_detach(thread);
}

/* False: somebody died meanwhile, and the thread stays where it is. */
static bool finalize_unless_dead(void)
{
    static struct knell__ticket ticket = {
        .group = KNELL_WORLD, .kind = KNELL_KIND_AGREE, .fold = KNELL__FOLD_AND, .size = 1};
    pthread_t thread;
    bool asked = false;
    if (knell__self.processes == 1 || !start_thread(&thread)) {
        knell__side_propose(&ticket); /* nobody is to wait for this one */
        finalize_natively();
        return true;
    }
    for (uint32_t epoch = knell__epoch_now(); !atomic_load(&is_over); epoch = knell__epoch_now()) {
        if (knell__deaths() > 0) {
            leave_natively(thread);
            return false;
        }
        close_together(&ticket, &asked);
        knell__heed();
        knell__epoch_sleep(epoch, WHOLE_SECOND);
    }
    pthread_join(thread, NULL);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------------------------------------- */

/* Registered first, so it comes last: after what the program registered, before the destructors of libraries. */
static void end_at_once(int status, void *unused)
{
    (void)unused;
    if (!atomic_load(&left_alone))
        return;
    fflush(NULL);
    _exit(status);
}

__attribute__((constructor)) static void arrange_end(void)
{
    on_exit(end_at_once, NULL);
}

/* What receivers that live throw away is taken before they leave. */
static void finish_given_up(void)
{
    for (unsigned turns = 0; knell__buffered_turn(true);)
        knell__idle(&turns, NULL);
}

/* All the living are here, or have died on the way. They may receive on their way what was sent from here. */
static void last_agreement(void)
{
    struct knell__ticket ticket = {.group = KNELL_WORLD, .kind = KNELL_KIND_AGREE, .fold = KNELL__FOLD_AND, .size = 1};
    knell__side_propose(&ticket);
    for (unsigned turns = 0; !knell__side_decided(&ticket);) {
        knell__buffered_turn(false);
        knell__idle(&turns, NULL);
    }
    free(ticket.dead);
}

/* The standard wants the attributes of MPI_COMM_SELF deleted first, with MPI still there. */
static void delete_attributes(void)
{
    knell__native.comm_free(&knell__selfish.store);
    knell__native.comm_free(&knell__world.store);
}

int knell__mpi_finalize(void)
{
    if (atomic_load(&knell__attention) & KNELL__ATTENTION_OFF)
        return knell__native.finalize();
    (void)KNELL__ENTER(knell__enter_slowly(JOB_CALL_FINALIZE, NULL, 0));
    delete_attributes();
    knell__ghost_leave();
    finish_given_up();
    last_agreement();
    knell__ghosts_release();
    atomic_fetch_or(&knell__attention, KNELL__ATTENTION_OFF);
    /* A ghost counts as dead: what was under way with it may never end either. */
    bool whole = knell__deaths() == 0 && finalize_unless_dead();
    atomic_store(&left_alone, !whole);
    knell__side_stop();
    knell__announce_word(JOB_WORD_FINISHED, 0);
    return whole ? native_code : MPI_SUCCESS;
}
