/* fail_act.c: see fail.h. In real mode halt is SIGKILL and stop is SIGSTOP; in ghost mode the desk carries the
 * order. A rank that has raised its shield (knell_faults_pause) receives signals and its death when it lowers the
 * shield. */
#include "cli/run/fail.h"

#include <signal.h>
#include <unistd.h>

void run_fail_release(struct run_fail *fail, int rank)
{
    if (!fail->slot[rank].held)
        return;
    fail->slot[rank].held = fail->slot[rank].before = false;
    atomic_fetch_add(&run_desk(fail->job, rank)->answers, 1);
    run_desk_send(fail->job, rank);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static void stop(struct run_fail *fail, int rank, struct job_desk_orders *desk)
{
    if (fail->job->plan->mode == RUN_MODE_REAL)
        run_kill_mind_shield(fail->job, rank, SIGSTOP);
    else if (!fail->slot[rank].held)
        atomic_store(&desk->stopped, 1);
}

static void go_on(struct run_fail *fail, int rank, struct job_desk_orders *desk)
{
    if (fail->job->plan->mode == RUN_MODE_REAL)
        run_kill(fail->job, rank, SIGCONT);
    atomic_store(&desk->stopped, 0);
    run_fail_release(fail, rank);
}

/* ---- deaths ------------------------------------------------------------------------------------------------------ */

static void order_death(struct job_desk_orders *desk)
{
    atomic_store(&desk->halt, 1);
    atomic_store(&desk->stopped, 0);
}

static void halt(struct run_fail *fail, int rank, struct job_desk_orders *desk)
{
    struct run_rank *victim = &fail->job->rank[rank];
    bool real = fail->job->plan->mode == RUN_MODE_REAL, now;
    int64_t when;
    if (victim->finished)
        return; /* it has completed MPI_Finalize and is no rank any more */
    victim->injected = true;
    fail->faults++;
    now = real && run_desk_strike(fail->job, rank, &when);
    if (!now)
        order_death(desk);
    if (now || (real && run_desk_strike(fail->job, rank, &when))) /* or it has lowered its shield meanwhile */
        victim->died = when;
    else
        run_fail_release(fail, rank);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* The flip must be on the desk before the answer. */
static void flip_message(struct run_fail *fail, int rank, struct job_desk_orders *desk,
                         const struct knell_fail_action *action)
{
    fail->faults += fail->slot[rank].before;
    if (fail->slot[rank].before && desk->flips < JOB_DESK_FLIPS)
        desk->flip[desk->flips++] = (struct knell_fail_flip){action->value, action->whole, action->key};
    else
        run_log_scenario(fail->job, "no message at hand: nothing is flipped");
}

/* The rank carries out the change at its next call, or before it goes on if it is held. */
static void order(struct run_fail *fail, int rank, struct job_desk_orders *desk, const struct knell_fail_action *action)
{
    const struct job_desk_seen *seen = run_seen(fail->job, rank);
    uint32_t at = atomic_load(&desk->ordered);
    if (!atomic_load(&seen->variable[action->subject].known))
        run_log_scenario(fail->job, "the program has registered no such variable: nothing is changed");
    else if (at - atomic_load(&seen->obeyed) >= JOB_DESK_ORDERS)
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
    struct job_desk_orders *desk = run_desk(fail->job, rank);
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
        run_kill_mind_shield(fail->job, rank, (int)action->value);
        break;
    case KNELL_FAIL_SET:
        order(fail, rank, desk, action);
        break;
    case KNELL_FAIL_FLIP:
        if (action->subject == KNELL_FAIL_NO_SUBJECT)
            flip_message(fail, rank, desk, action);
        else
            order(fail, rank, desk, action);
        break;
    default:
        break;
    }
}
