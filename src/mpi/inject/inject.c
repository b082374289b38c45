/* inject.c: see inject.h. */
#include "mpi/inject/inject.h"
#include "mpi/base/lock.h"
#include "mpi/base/settings.h"
#include "mpi/inject/flip.h"
#include "mpi/inject/ghost.h"
#include "mpi/inject/inside.h"
#include "mpi/inject/shield.h"
#include "mpi/inject/variables.h"
#include "mpi/report/tell.h"
#include "mpi/wait/where.h"
#include "os/futex.h"

#include <stdlib.h>
#include <unistd.h>

_Static_assert((int)JOB_CALL_END <= (int)JOB_DESK_CALLS, "the desk has no room for all calls");

/* Until `knell run` raises the word above what it was. */
static void sleep_on(_Atomic uint32_t *word, uint32_t was)
{
    while (atomic_load(word) == was)
        knell__futex_wait(word, was);
}

static void obey(struct job_desk *desk)
{
    if (atomic_load(&desk->orders.halt) && !shield_is_shut())
        ghost_die_now();
}

void inject_start(void)
{
    struct job_desk *desk = tell_desk();
    bool wanted = settings_get("KNELL_INJECT") && desk;
    uint32_t was = wanted ? atomic_load(&desk->orders.answers) : 0;
    where_listen();
    if (settings_get("KNELL_CALLS") || (wanted && desk->orders.inside))
        inside_start();
    if (wanted)
        variables_exchange(desk);
    tell_word(JOB_WORD_READY, 0);
    if (!wanted)
        return;
    sleep_on(&desk->orders.answers, was);
    atomic_fetch_or(&layer_attention, ATTENTION_INJECT);
    ghost_listen(&desk->orders.halt);
    obey(desk);
}

/* ---- held ------------------------------------------------------------------------------------------------------------------ */

/* With LOCK_INJECT: one call at a time is held, since the desk has room for one answer. */
static void hold(struct job_desk *desk, struct job_report report)
{
    uint32_t was = atomic_load(&desk->orders.answers);
    tell_report(report);
    sleep_on(&desk->orders.answers, was);
    if (desk->orders.variables)
        variables_exchange(desk);
}

static void hold_before(struct job_desk *desk, enum job_call call, const int64_t *arguments, unsigned count)
{
    lock_take(LOCK_INJECT);
    desk->seen.arguments = count < KNELL_FAIL_ARGUMENTS_MAX ? count : KNELL_FAIL_ARGUMENTS_MAX;
    for (unsigned i = 0; i < desk->seen.arguments; i++)
        desk->seen.argument[i] = arguments[i];
    hold(desk, (struct job_report){.word = JOB_WORD_AT, .value = call, .code = JOB_AT_ENTRY});
    flip_order(call, desk->orders.flip, desk->orders.flips);
    inside_wait_for(call, &desk->orders.stop);
    lock_give(LOCK_INJECT);
    obey(desk);
}

void inject_inside(enum job_call call, const struct job_desk_stop *stop)
{
    struct job_desk *desk = tell_desk();
    lock_take(LOCK_INJECT);
    hold(desk, (struct job_report){.word = JOB_WORD_AT,
                                   .value = call,
                                   .code = JOB_AT_INSIDE,
                                   .peer = (int32_t)stop->function,
                                   .group = stop->count,
                                   .took = (int64_t)stop->operation});
    inside_wait_for(call, &desk->orders.stop);
    lock_give(LOCK_INJECT);
    obey(desk);
}

static void hold_after(struct job_desk *desk, enum job_call call)
{
    lock_take(LOCK_INJECT);
    hold(desk, (struct job_report){.word = JOB_WORD_AT, .value = call, .code = JOB_AT_RETURN});
    lock_give(LOCK_INJECT);
    obey(desk);
}

/* A ghost to be that is stopped: here, with all its threads that come to a call. A halt ends that too. */
static void stay_while_stopped(struct job_desk *desk)
{
    while (atomic_load(&desk->orders.stopped) && !atomic_load(&desk->orders.halt))
        knell__futex_wait(&desk->orders.stopped, 1);
}

static void look_at_variables(struct job_desk *desk)
{
    if (!desk->orders.variables)
        return;
    variables_exchange(desk);
    for (int i; (i = variables_changed(desk)) >= 0;) {
        lock_take(LOCK_INJECT);
        hold(desk, (struct job_report){.word = JOB_WORD_CHANGED, .value = i});
        lock_give(LOCK_INJECT);
        obey(desk);
    }
}

/* ---- at calls -------------------------------------------------------------------------------------------------------------- */

/* One of those at which nothing would happen. */
static bool passes(struct job_desk *desk)
{
    uint32_t left = atomic_load(&desk->pact.left);
    while (left > 0)
        if (atomic_compare_exchange_weak(&desk->pact.left, &left, left - 1))
            return true;
    return false;
}

/* What does not depend on the call; false: no fault strikes now. */
static bool attend(struct job_desk *desk)
{
    if (shield_is_shut())
        return false;
    stay_while_stopped(desk);
    obey(desk);
    look_at_variables(desk);
    return true;
}

void inject_before(enum job_call call, const int64_t *arguments, unsigned count)
{
    struct job_desk *desk = tell_desk();
    if (!attend(desk))
        return;
    unsigned armed = atomic_load(&desk->orders.armed[call]);
    if (armed & JOB_ARMED_MESSAGE)
        flip_expect(call);
    if ((armed & JOB_ARMED_BEFORE) && !passes(desk))
        hold_before(desk, call, arguments, count);
}

void inject_message(enum job_call call)
{
    struct job_desk *desk = tell_desk();
    if (!passes(desk))
        hold_before(desk, call, NULL, 0);
}

void inject_after(enum job_call call)
{
    struct job_desk *desk = tell_desk();
    flip_unused();
    inside_end();
    if (!attend(desk))
        return;
    if ((atomic_load(&desk->orders.armed[call]) & JOB_ARMED_AFTER) && !passes(desk))
        hold_after(desk, call);
}
