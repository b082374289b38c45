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
#include "mpi/carried/carried.h"
#include "mpi/comm/comm.h"
#include "mpi/detector/side.h"
#include "mpi/edge/close.h"
#include "mpi/edge/enter.h"
#include "mpi/inject/ghost.h"
#include "mpi/native/native.h"
#include "mpi/p2p/buffered.h"
#include "mpi/record/calls.h"
#include "mpi/record/leaks.h"
#include "mpi/report/tell.h"
#include "mpi/wait/wait.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WHOLE_SECOND INT64_C(1000000000)

static struct {
    _Atomic bool left_alone; /* finalized by us, without the MPI below */
    _Atomic bool is_over;
    int native_code;
} end;

int mpi_finalized(int *flag)
{
    native_ready();
    if (!atomic_load(&end.left_alone))
        return native.finalized(flag);
    *flag = 1;
    return MPI_SUCCESS;
}

/* ---- the MPI below --------------------------------------------------------------------------------------------------------- */

static void finalize_natively(void)
{
    tell_goodbye();
    end.native_code = native.finalize();
    atomic_store(&end.is_over, true);
    side_epoch_raise();
}

static void *finalize_with_others(void *unused)
{
    (void)unused;
    close_begin();
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
static void agree_on_close(struct side_ticket *ticket, bool *asked)
{
    if (!*asked && close_is_done_here()) {
        side_propose(ticket);
        *asked = true;
    }
    if (*asked && atomic_load(&ticket->decided))
        close_is_done_everywhere();
}

static void leave_natively(pthread_t thread)
{
    layer_say("rank %d died in MPI_Finalize: the MPI below, and tools that end with it, are left where they are",
              side_death_at(0));
    pthread_detach(thread);
}

/* False: somebody died meanwhile, and the thread stays where it is. */
static bool finalize_unless_dead(void)
{
    static struct side_ticket ticket = {
        .group = KNELL_WORLD, .kind = KNELL_KIND_AGREE, .fold = SIDE_FOLD_AND, .size = 1};
    pthread_t thread;
    bool asked = false;
    if (self.processes == 1 || !start_thread(&thread)) {
        side_propose(&ticket); /* nobody is to wait for this one */
        finalize_natively();
        return true;
    }
    for (uint32_t epoch = side_epoch_now(); !atomic_load(&end.is_over); epoch = side_epoch_now()) {
        if (side_deaths() > 0) {
            leave_natively(thread);
            return false;
        }
        agree_on_close(&ticket, &asked);
        enter_heed();
        side_epoch_sleep(epoch, WHOLE_SECOND);
    }
    pthread_join(thread, NULL);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------------------------------------- */

/* Registered first, so it comes last: after what the program registered, before the destructors of libraries. */
static void end_at_once(int status, void *unused)
{
    (void)unused;
    if (!atomic_load(&end.left_alone))
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
    for (unsigned turns = 0; buffered_turn(true);)
        wait_idle(&turns, NULL);
}

/* All the living are here, or have died on the way. They may receive on their way what was sent from here. */
static void last_agreement(void)
{
    struct side_ticket ticket = {.group = KNELL_WORLD, .kind = KNELL_KIND_AGREE, .fold = SIDE_FOLD_AND, .size = 1};
    side_propose(&ticket);
    for (unsigned turns = 0; !side_decided(&ticket);) {
        buffered_turn(false);
        carried_flush();
        wait_idle(&turns, NULL);
    }
    free(ticket.dead);
}

/* The standard wants the attributes of MPI_COMM_SELF deleted first, with MPI still there. */
static void delete_attributes(void)
{
    native.comm_free(&comm_self.store);
    native.comm_free(&comm_world.store);
}

int mpi_finalize(void)
{
    if (atomic_load(&layer_attention) & ATTENTION_OFF)
        return native.finalize();
    (void)ENTER(enter_slowly(JOB_CALL_FINALIZE, NULL, 0, NULL));
    leaks_tell();
    delete_attributes();
    ghost_leave();
    finish_given_up();
    last_agreement();
    ghost_release_all();
    atomic_fetch_or(&layer_attention, ATTENTION_OFF);
    /* A ghost counts as dead: what was under way with it may never end either. */
    bool whole = side_deaths() == 0 && finalize_unless_dead();
    atomic_store(&end.left_alone, !whole);
    side_stop();
    calls_end(MPI_SUCCESS);
    tell_word(JOB_WORD_FINISHED, 0);
    return whole ? end.native_code : MPI_SUCCESS;
}
