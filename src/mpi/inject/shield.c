/* shield.c: see shield.h. `knell run` and the rank agree by one word on the desk: once the rank has shut its shield nobody kills it, and
 * once `knell run` has struck the rank does not go on. */
#include "mpi/inject/shield.h"
#include "mpi/base/lock.h"
#include "mpi/inject/ghost.h"
#include "mpi/report/tell.h"
#include "os/futex.h"

#include <knell/faults.h>
#include <signal.h>
#include <unistd.h>

static unsigned depth;

bool shield_is_shut(void)
{
    struct job_desk *desk = tell_desk();
    return desk && atomic_load(&desk->pact.shield) == JOB_SHIELD_SHUT;
}

void shield_wait(void)
{
    while (shield_is_shut())
        knell__futex_wait(&tell_desk()->pact.shield, JOB_SHIELD_SHUT);
}

static void shut(struct job_desk *desk)
{
    uint32_t was = JOB_SHIELD_OPEN;
    if (!atomic_compare_exchange_strong(&desk->pact.shield, &was, JOB_SHIELD_SHUT))
        for (;;)
            pause(); /* SIGKILL is on its way */
}

/* What was held back meanwhile. */
static void make_up_for_it(struct job_desk *desk)
{
    uint64_t owed = atomic_exchange(&desk->pact.owed, 0);
    for (int number = 1; owed; number++, owed >>= 1)
        if (owed & 1)
            kill(getpid(), number);
    if (atomic_load(&desk->orders.halt))
        ghost_die_now();
}

__attribute__((visibility("default"))) void knell_layer_faults_pause(void)
{
    struct job_desk *desk = tell_desk();
    if (!desk)
        return;
    lock_take(LOCK_SHIELD);
    if (depth++ == 0)
        shut(desk);
    lock_give(LOCK_SHIELD);
}

__attribute__((visibility("default"))) void knell_layer_faults_resume(void)
{
    struct job_desk *desk = tell_desk();
    if (!desk)
        return;
    lock_take(LOCK_SHIELD);
    bool open = depth > 0 && --depth == 0;
    if (open)
        atomic_store(&desk->pact.shield, JOB_SHIELD_OPEN);
    lock_give(LOCK_SHIELD);
    if (!open)
        return;
    knell__futex_wake_all(&desk->pact.shield);
    make_up_for_it(desk);
}
