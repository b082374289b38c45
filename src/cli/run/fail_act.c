/* fail_act.c: see fail.h. In real mode halt is SIGKILL and stop is SIGSTOP; in ghost mode the desk carries the
 * order. A rank that has raised its shield (knell_faults_pause) receives signals and its death when it lowers the
 * shield. */
#include "cli/run/fail.h"
#include "os/clock.h"
#include "os/futex.h"

#include <signal.h>
#include <unistd.h>

void run_fail_release(struct run_fail *fail, int rank)
{
    struct job_desk *desk = run_desk(&fail->job->directory, rank);
    if (!fail->slot[rank].held)
        return;
    fail->slot[rank].held = fail->slot[rank].before = false;
    atomic_fetch_add(&desk->answers, 1);
    knell__futex_wake_all(&desk->answers);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* The rank may lower its shield at the same time. Whichever of the two then takes the owed signal sends it. */
static void deliver(struct run_fail *fail, int rank, int number)
{
    struct job_desk *desk = run_desk(&fail->job->directory, rank);
    uint64_t bit = UINT64_C(1) << (number - 1);
    if (atomic_load(&desk->shield) == JOB_SHIELD_SHUT) {
        atomic_fetch_or(&desk->owed, bit);
        if (atomic_load(&desk->shield) == JOB_SHIELD_SHUT || !(atomic_fetch_and(&desk->owed, ~bit) & bit))
            return;
    }
    run_kill(fail->job, rank, number);
}

static void stop(struct run_fail *fail, int rank, struct job_desk *desk)
{
    if (fail->job->plan->mode == RUN_MODE_REAL)
        deliver(fail, rank, SIGSTOP);
    else if (!fail->slot[rank].held)
        atomic_store(&desk->stopped, 1);
}

static void go_on(struct run_fail *fail, int rank, struct job_desk *desk)
{
    atomic_fetch_and(&desk->owed, ~(UINT64_C(1) << (SIGSTOP - 1)));
    if (fail->job->plan->mode == RUN_MODE_REAL)
        run_kill(fail->job, rank, SIGCONT);
    atomic_store(&desk->stopped, 0);
    knell__futex_wake_all(&desk->stopped);
    run_fail_release(fail, rank);
}

/* ---- deaths ------------------------------------------------------------------------------------------------------ */

static bool strike(struct job_desk *desk)
{
    uint32_t was = JOB_SHIELD_OPEN;
    return atomic_compare_exchange_strong(&desk->shield, &was, JOB_SHIELD_STRUCK);
}

static void order_death(struct job_desk *desk)
{
    atomic_store(&desk->halt, 1);
    knell__futex_wake_all(&desk->halt);
    atomic_store(&desk->stopped, 0);
    knell__futex_wake_all(&desk->stopped);
}

static void halt(struct run_fail *fail, int rank, struct job_desk *desk)
{
    struct run_rank *victim = &fail->job->rank[rank];
    bool real = fail->job->plan->mode == RUN_MODE_REAL, now;
    if (victim->finished)
        return; /* it has completed MPI_Finalize and is no rank any more */
    victim->injected = true;
    fail->faults++;
    now = real && strike(desk);
    if (!now)
        order_death(desk);
    if (now || (real && strike(desk))) { /* or it has lowered its shield meanwhile */
        victim->died = knell__clock_now();
        run_kill(fail->job, rank, SIGKILL);
        return;
    }
    run_fail_release(fail, rank);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* The flip must be on the desk before the answer. */
static void flip_message(struct run_fail *fail, int rank, struct job_desk *desk, const struct knell_fail_action *action)
{
    fail->faults += fail->slot[rank].before;
    if (fail->slot[rank].before && desk->flips < JOB_DESK_FLIPS)
        desk->flip[desk->flips++] = (struct knell_fail_flip){action->value, action->whole, action->key};
    else
        run_log_scenario(fail->job, "no message at hand: nothing is flipped");
}

/* The rank carries out the change at its next call, or before it goes on if it is held. */
static void order(struct run_fail *fail, struct job_desk *desk, const struct knell_fail_action *action)
{
    uint32_t at = atomic_load(&desk->ordered);
    if (!atomic_load(&desk->variable[action->subject].known))
        run_log_scenario(fail->job, "the program has registered no such variable: nothing is changed");
    else if (at - atomic_load(&desk->obeyed) >= JOB_DESK_ORDERS)
        run_log_scenario(fail->job, "too many changes for a rank that makes no calls: this one is left out");
    else {
        desk->order[at % JOB_DESK_ORDERS] =
            (struct job_desk_order){action->subject, action->type == KNELL_FAIL_FLIP, action->value};
        atomic_store(&desk->ordered, at + 1);
        fail->faults++;
    }
}

void run_fail_apply(struct run_fail *fail, int rank, const struct knell_fail_action *action)
{
    struct job_desk *desk = run_desk(&fail->job->directory, rank);
    fail->faults += action->type == KNELL_FAIL_STOP || action->type == KNELL_FAIL_SIGNAL;
    fail->job->rank[rank].struck |=
        action->type == KNELL_FAIL_HALT || action->type == KNELL_FAIL_STOP || action->type == KNELL_FAIL_SIGNAL;
    switch (action->type) {
    case KNELL_FAIL_HALT:
        halt(fail, rank, desk);
        break;
    case KNELL_FAIL_STOP:
        stop(fail, rank, desk);
        break;
    case KNELL_FAIL_CONTINUE:
        go_on(fail, rank, desk);
        break;
    case KNELL_FAIL_SIGNAL:
        deliver(fail, rank, (int)action->value);
        break;
    case KNELL_FAIL_SET:
        order(fail, desk, action);
        break;
    case KNELL_FAIL_FLIP:
        if (action->subject == KNELL_FAIL_NO_SUBJECT)
            flip_message(fail, rank, desk, action);
        else
            order(fail, desk, action);
        break;
    default:
        break;
    }
}
