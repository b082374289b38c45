/* end.c: the end of a job: asks the ranks where they are, ends every process, and computes the exit status. */
#include "cli/run/run.h"
#include "os/clock.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* How long the launcher may take to see that its job is over, and then to obey. */
#define LAUNCHER_ENDS_NS (2000 * MS)
#define LAUNCHER_OBEYS_NS (1000 * MS)
/* How long the ranks may take to say where they are. */
#define ANSWERS_NS (500 * MS)
/* How long a rank that called MPI_Abort may take to be gone. */
#define ABORTER_ENDS_NS (500 * MS)
/* How long a rank that is known to be dead may take to be gone: it may write its core. */
#define DEAD_END_NS (5000 * MS)

/* ---- where the ranks are ----------------------------------------------------------------------------------------- */

/* May the rank still answer, or answer more precisely? A thread inside a call answers when it next polls. A rank
 * that the scenario holds does not answer. */
static bool may_answer(const struct run_job *job, int number)
{
    const struct run_rank *rank = &job->rank[number];
    bool held = job->fail && run_fail_holds(job->fail, number, &(struct run_fail_hold){0});
    return rank->ready && !rank->ended && !rank->died && !rank->ghost && !held && (!rank->told || rank->inside < 0);
}

void run_ask_where(struct run_job *job, int signals)
{
    int64_t until = knell__clock_now() + ANSWERS_NS;
    bool waiting = true;
    for (int64_t i = 0; i < job->plan->ranks; i++)
        if (may_answer(job, (int)i))
            run_kill(job, (int)i, JOB_ASK_WHERE);
    while (waiting && knell__clock_now() < until) {
        waiting = false;
        for (int64_t i = 0; i < job->plan->ranks; i++)
            waiting |= may_answer(job, (int)i);
        if (waiting)
            run_wait(job, signals, until);
    }
    run_desks_look(job, true);
    run_read_reports(job);
}

/* A rank that others knew to be dead before MPI_Abort has died, even if the report of its end is still under way. */
static bool is_known_dead(const struct run_job *job, int rank)
{
    const struct job_report *first = run_first_to_know(job, rank);
    return first && (!job->aborted || first->when < job->aborted_at);
}

static void keep_state(struct run_job *job, int number)
{
    struct run_rank *rank = &job->rank[number];
    bool dead = !rank->ended && is_known_dead(job, number);
    if (dead && job->plan->address[0]) /* its supervisor has not told its end, and may be lost with it */
        job->links.link[number].is_host_lost = !rank->injected;
    rank->left = !rank->ended && !dead && !rank->ghost;
    if (dead && !rank->died)
        rank->died = run_first_to_know(job, number)->when;
}

void run_keep_states(struct run_job *job)
{
    for (int i = 0; i < job->plan->ranks; i++)
        keep_state(job, i);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void wait_for_launcher(struct run_job *job, int signals, int64_t how_long)
{
    int64_t until = knell__clock_now() + how_long;
    while (job->launcher && knell__clock_now() < until)
        run_wait(job, signals, until);
}

/* Waits for the ranks whose death ended the job: the status of their process says how they died. */
static void wait_for_dead(struct run_job *job, int signals)
{
    int64_t until = knell__clock_now() + DEAD_END_NS;
    for (int i = 0; i < job->plan->ranks; i++)
        while (job->rank[i].died && !job->rank[i].left && !job->rank[i].ended && !job->rank[i].ghost &&
               knell__clock_now() < until)
            run_wait(job, signals, until);
}

/* A launcher that is told to recover leaves the others alive after an MPI_Abort: they are ended as soon as who called it is. */
static void wait_for_aborter(struct run_job *job, int signals)
{
    int64_t until = knell__clock_now() + ABORTER_ENDS_NS;
    while (!job->rank[job->aborted_by].ended && !run_all_ended(job) && knell__clock_now() < until)
        run_wait(job, signals, until);
}

/* A supervisor reports its rank's end when the rank's log is complete. */
static void wait_for_logs(struct run_job *job, int signals)
{
    int64_t until = knell__clock_now() + LAUNCHER_OBEYS_NS;
    for (int i = 0; i < job->plan->ranks; i++)
        while (job->rank[i].started && !job->rank[i].ended && knell__clock_now() < until)
            run_wait(job, signals, until);
}

/* This process is the parent of every orphan (PR_SET_CHILD_SUBREAPER): when it has no child left, no process is
 * left. */
static void kill_children(void)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && fscanf(children, "%d", &pid) == 1)
        kill(pid, SIGKILL);
    if (children)
        fclose(children);
}

void run_end_children(struct run_job *job)
{
    do {
        kill_children();
        run_read_reports(job);
        run_reap(job);
    } while (waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOWAIT) == 0);
}

void run_end(struct run_job *job, int signals)
{
    if (job->launcher && run_all_ended(job) && !job->stopped_by)
        wait_for_launcher(job, signals, LAUNCHER_ENDS_NS);
    if (job->aborted_by_handler)
        wait_for_dead(job, signals);
    else if (job->aborted)
        wait_for_aborter(job, signals);
    run_kill_all(job, SIGSTOP); /* so that no rank reports the death of another */
    run_kill_all(job, SIGKILL);
    if (run_records(job->plan))
        wait_for_logs(job, signals);
    if (job->launcher && job->aborted) /* it ends after passing on the output of the ranks */
        wait_for_launcher(job, signals, LAUNCHER_ENDS_NS);
    if (job->launcher) {
        kill(job->launcher, SIGTERM);
        wait_for_launcher(job, signals, LAUNCHER_OBEYS_NS);
    }
    run_agent_stop(job);
    run_end_children(job);
}

/* ---- the status -------------------------------------------------------------------------------------------------- */

static int status_of(const struct run_rank *rank)
{
    if (rank->ghost)
        return 128 + SIGKILL;
    return WIFSIGNALED(rank->status) ? 128 + WTERMSIG(rank->status) : WEXITSTATUS(rank->status);
}

/* The ranks that reached MPI_Finalize determine the status. If none did, all ranks do, and a ghost counts as killed. */
static int status_of_ranks(const struct run_job *job)
{
    bool any = false;
    int status = 0;
    for (int64_t i = 0; i < job->plan->ranks; i++)
        any |= job->rank[i].finished && !job->rank[i].left;
    for (int64_t i = 0; i < job->plan->ranks && status == 0; i++)
        if (!job->rank[i].left && (job->rank[i].finished || !any))
            status = status_of(&job->rank[i]);
    return status;
}

/* The status of the first rank that died without an injected fault; 0: none did. A rank that exited with status 0
 * without MPI_Finalize has failed too. */
static int status_of_unasked(const struct run_job *job)
{
    int first = -1;
    for (int i = 0; i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i]) && !job->rank[i].injected &&
            (first < 0 || run_died(job, i) < run_died(job, first)))
            first = i;
    int status = first < 0 ? 0 : status_of(&job->rank[first]);
    return first >= 0 && status == 0 ? EXIT_FAILED : status;
}

static int status_of_aborted(const struct run_job *job)
{
    int status = job->aborted_by_handler ? status_of_unasked(job) : 0;
    if (status == 0)
        status = job->abort_code & 0xff;
    return status ? status : EXIT_FAILED;
}

static int status_of_ignored(const struct run_job *job)
{
    int status = status_of_unasked(job);
    return status ? status : EXIT_FAILED;
}

static int first_ended_early(const struct run_job *job)
{
    int rank = 0;
    while (rank + 1 < job->plan->ranks && (job->rank[rank].left || job->rank[rank].ready))
        rank++;
    return rank;
}

/* The launcher ended early: whatever its status was, the job has failed. */
static int status_of_lost(const struct run_job *job)
{
    int status = job->launcher_status;
    if (WIFSIGNALED(status)) {
        cli_failure(job->plan->usage, "%s was ended by signal %d (%s) while ranks were running: the job is lost",
                    job->plan->launcher, WTERMSIG(status), strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    cli_failure(job->plan->usage, "%s ended with status %d while ranks were running: the job is lost",
                job->plan->launcher, WEXITSTATUS(status));
    return WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int run_status(const struct run_job *job)
{
    if (job->stopped_by)
        return 128 + job->stopped_by;
    if (job->timed_out)
        return RUN_TIMED_OUT;
    if (job->started == 0)
        return cli_failure(job->plan->usage, "%s ended with status %d before any rank had started", job->plan->launcher,
                           WIFEXITED(job->launcher_status) ? WEXITSTATUS(job->launcher_status) : 128);
    if (job->broken && !job->aborted) {
        int rank = first_ended_early(job), status = status_of(&job->rank[rank]);
        cli_failure(job->plan->usage,
                    "rank %d ended with status %d before MPI_Init was through: the others would wait "
                    "for it for ever",
                    rank, status);
        return status ? status : EXIT_FAILED;
    }
    if (job->aborted)
        return status_of_aborted(job);
    if (job->ignored.is)
        return status_of_ignored(job);
    if (job->lost)
        return status_of_lost(job);
    int status = status_of_ranks(job);
    return status == 0 && job->plan->status == RUN_STATUS_ALL ? status_of_unasked(job) : status;
}
