/* run_job: the life of a job, as the parent sees it: reports come in, the scenario acts, signals and time limits end it. */
#include "cli/ending.h"
#include "cli/output.h"
#include "cli/run.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t knell__run_clock(void)
{
    return knell__clock_now();
}

void knell__run_kill(struct knell__run_job *job, int rank, int signal)
{
    if (job->rank[rank].pid > 0)
        kill(job->rank[rank].pid, signal);
}

/* ---- reports --------------------------------------------------------------------------------------------------------------- */

static void has_started(struct knell__run_job *job, struct knell__run_rank *rank, const struct job_report *report)
{
    if (!rank->started)
        job->started++;
    rank->started = true;
    rank->pid = (pid_t)report->value;
}

/* From here on its number may be another's. */
static void has_ended(struct knell__run_job *job, struct knell__run_rank *rank, const struct job_report *report)
{
    if (rank->ended)
        return; /* told already, or seen: the scenario hears of one end once */
    job->ended++;
    rank->ended = true;
    job->last_finished = rank->finished;
    rank->pid = 0;
    rank->status = (int)report->value;
    if (!rank->finished && !rank->died)
        rank->died = report->when;
    if (job->fail)
        knell__run_fail_ended(job->fail, report->process, rank->status == 0);
}

static void is_ready(struct knell__run_job *job, struct knell__run_rank *rank, const struct job_report *report)
{
    if (!rank->ready)
        job->ready++;
    rank->ready = true;
    if (job->begin || job->ready < (uint32_t)job->plan->ranks)
        return;
    job->begin = job->fail ? knell__run_clock() : report->when; /* a scenario has held them until now */
    if (job->fail)
        knell__run_fail_begin(job->fail);
}

static void has_aborted(struct knell__run_job *job, const struct job_report *report)
{
    if (job->aborted || job->timed_out || job->stopped_by) /* then it is of our doing */
        return;
    job->aborted = true;
    job->aborted_by_handler = report->code != 0;
    job->abort_code = (int)report->value;
    job->aborted_by = report->process;
    job->aborted_at = report->when;
}

static void has_counted(struct knell__run_job *job, const struct job_report *report)
{
    job->counted++;
    job->missed += (uint64_t)report->value;
    job->late_most = report->took > job->late_most ? report->took : job->late_most;
}

static void take(struct knell__run_job *job, const struct job_report *report)
{
    struct knell__run_rank *rank = &job->rank[report->process];
    switch (report->word) {
    case JOB_WORD_STARTED:
        has_started(job, rank, report);
        break;
    case JOB_WORD_ENDED:
        has_ended(job, rank, report);
        break;
    case JOB_WORD_INIT:
        rank->init = true;
        break;
    case JOB_WORD_READY:
        is_ready(job, rank, report);
        break;
    case JOB_WORD_FINISHED:
        rank->finished = true;
        break;
    case JOB_WORD_ABORTED:
        has_aborted(job, report);
        break;
    case JOB_WORD_GHOST:
        rank->ghost = true;
        rank->died = report->when;
        break;
    case JOB_WORD_AT:
        if (job->fail)
            knell__run_fail_at(job->fail, report->process, (int)report->value, report->code);
        break;
    case JOB_WORD_COUNTED:
        has_counted(job, report);
        break;
    case JOB_WORD_CHANGED:
        if (job->fail)
            knell__run_fail_changed(job->fail, report->process, (int)report->value);
        break;
    case JOB_WORD_INSIDE:
        rank->told = true;
        rank->inside = (int)report->value;
        break;
    default:
        break;
    }
}

static void keep(struct knell__run_job *job, const struct job_report *report)
{
    if (job->reports == job->room) {
        size_t room = job->room ? 2 * job->room : 256;
        struct job_report *more = realloc(job->report, room * sizeof *more);
        if (!more)
            return;
        job->report = more;
        job->room = room;
    }
    job->report[job->reports++] = *report;
}

void knell__run_read_reports(struct knell__run_job *job)
{
    struct job_report report;
    while (read(job->place.reports, &report, sizeof report) == (ssize_t)sizeof report) {
        if (report.process < 0 || report.process >= job->plan->ranks)
            continue;
        if (report.word != JOB_WORD_AT && report.word != JOB_WORD_CHANGED)
            keep(job, &report);
        take(job, &report);
        knell__run_log_report(job, &report);
    }
}

/* ---- waiting --------------------------------------------------------------------------------------------------------------- */

/* A rank whose supervisor has ended, killed as by hydra at MPI_Abort, or just after it told of the rank's end. What both of them said
 * before lies in the pipe: read first, it tells whether the rank had passed MPI_Finalize, and whether its end is news. */
static void orphan_ended(struct knell__run_job *job, pid_t pid, int status)
{
    knell__run_read_reports(job);
    for (int i = 0; i < job->plan->ranks; i++)
        if (job->rank[i].pid == pid && !job->rank[i].ended)
            has_ended(job, &job->rank[i],
                      &(struct job_report){.process = i, .value = status, .when = knell__run_clock()});
}

void knell__run_reap(struct knell__run_job *job)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == job->launcher) {
            job->launcher = 0;
            job->launcher_status = status;
        } else {
            orphan_ended(job, pid, status);
        }
}

static void read_signals(struct knell__run_job *job, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            job->stopped_by = (int)info.ssi_signo;
    knell__run_reap(job);
}

void knell__run_wait(struct knell__run_job *job, int signals, int64_t until)
{
    struct pollfd fds[] = {{.fd = job->place.reports, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    int64_t left = until == KNELL_NEVER ? -1 : until - knell__run_clock();
    struct timespec wait = {left / INT64_C(1000000000), left % INT64_C(1000000000)};
    if (until != KNELL_NEVER && left < 0)
        wait = (struct timespec){0};
    ppoll(fds, 2, until == KNELL_NEVER ? NULL : &wait, NULL);
    knell__run_read_reports(job);
    read_signals(job, signals);
}

/* ---- the job's course ------------------------------------------------------------------------------------------------------ */

/* One rank has ended without MPI, and others wait for it inside MPI_Init, which nothing can release. */
static bool cannot_begin(const struct knell__run_job *job)
{
    bool waiting = false, gone = false;
    for (int64_t i = 0; i < job->plan->ranks; i++) {
        const struct knell__run_rank *rank = &job->rank[i];
        waiting |= rank->init && !rank->ready && !rank->ended;
        gone |= rank->ended && !rank->ready;
    }
    return waiting && gone;
}

bool knell__run_all_ended(const struct knell__run_job *job)
{
    bool all = true;
    for (int64_t i = 0; i < job->plan->ranks && all; i++)
        all = job->rank[i].ended || job->rank[i].ghost;
    return all;
}

static bool is_over(const struct knell__run_job *job)
{
    return knell__run_all_ended(job) || job->launcher == 0 || job->aborted || job->stopped_by || job->timed_out ||
           job->broken;
}

/* What the ranks said before it ended may lie unread. Killed, it takes them with it, and they may be gone before we know of either. */
static bool is_lost(struct knell__run_job *job)
{
    knell__run_read_reports(job);
    knell__run_reap(job);
    bool took_them = WIFSIGNALED(job->launcher_status) && !job->last_finished;
    return job->launcher == 0 && (!knell__run_all_ended(job) || took_them) && !job->aborted && !job->stopped_by &&
           !job->timed_out;
}

static void follow(struct knell__run_job *job, int signals)
{
    int64_t limit = job->plan->timeout ? job->launched + job->plan->timeout : KNELL_NEVER;
    while (!is_over(job)) {
        int64_t next = job->fail && job->begin ? knell__run_fail_act(job->fail) : KNELL_NEVER,
                look = knell__run_look_for_stuck(job);
        next = look < next ? look : next;
        knell__run_wait(job, signals, next < limit ? next : limit);
        job->timed_out = knell__run_clock() >= limit && !knell__run_all_ended(job);
        job->broken = cannot_begin(job);
    }
    job->lost = is_lost(job);
    job->end = knell__run_clock();
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

static int block_signals(void)
{
    sigset_t set;
    knell__ending_signals(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int launch(struct knell__run_job *job)
{
    struct knell__run_command command;
    if (!knell__run_command_make(job->plan, job->place.path, &command))
        return knell__cli_broken(job->plan->usage, "no memory for the command");
    job->launched = job->log.zero = knell__run_clock();
    job->launcher = knell__run_command_start(&command, job->plan->json ? STDERR_FILENO : STDOUT_FILENO);
    knell__run_command_free(&command);
    return job->launcher > 0 ? KNELL_EXIT_OK : knell__cli_broken(job->plan->usage, "fork: %s", strerror(errno));
}

static int prepare(struct knell__run_job *job)
{
    const struct knell__run_plan *plan = job->plan;
    int status = KNELL_EXIT_OK;
    job->place.reports = job->place.lock = -1;
    job->rank = calloc((size_t)plan->ranks, sizeof *job->rank);
    if (!job->rank)
        return knell__cli_broken(plan->usage, "no memory for the ranks");
    job->fail = knell__run_fail_open(job, &status);
    if (status == KNELL_EXIT_OK && plan->log)
        status = knell__log_open(&job->log, plan->usage, plan->log);
    if (status == KNELL_EXIT_OK)
        status = knell__run_place_open(plan, &job->place);
    if (status == KNELL_EXIT_OK && job->fail)
        knell__run_fail_place(job->fail);
    return status;
}

/* The job's status, unless it cannot be told. */
static int write_json(const struct knell__run_job *job, int status)
{
    struct knell_output out;
    int written = knell_output_begin(&out, job->plan->usage);
    if (written != KNELL_EXIT_OK)
        return written;
    knell__run_json(job, status, out.f);
    written = knell_output_commit(&out, job->plan->usage);
    return written == KNELL_EXIT_OK ? status : written;
}

int knell__run(const struct knell__run_plan *plan)
{
    struct knell__run_job job = {.plan = plan};
    int status = prepare(&job);
    if (status == KNELL_EXIT_OK) {
        int signals = block_signals();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        status = launch(&job);
        if (status == KNELL_EXIT_OK) {
            follow(&job, signals);
            knell__run_keep_states(&job);
            if (job.timed_out || job.stopped_by)
                knell__run_ask_where(&job, signals);
            if (job.timed_out || job.stopped_by)
                knell__run_where(&job, stderr);
            knell__run_end(&job, signals);
            status = knell__run_status(&job);
            if (job.aborted_by_handler)
                knell__run_fatal(&job, stderr);
            if (plan->json)
                status = write_json(&job, status);
            else if (!plan->quiet)
                knell__run_timeline(&job, stderr);
        }
        close(signals);
    }
    knell__run_fail_close(job.fail);
    knell__run_place_close(&job.place);
    if (knell__log_close(&job.log, plan->usage) != KNELL_EXIT_OK)
        status = KNELL_EXIT_FAILED;
    free(job.rank);
    free(job.report);
    return status;
}
