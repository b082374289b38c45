/* job.c: the course of a job in `knell run`: it reads reports, lets the scenario act, and ends the job on signals
 * and time limits. */
#include "cli/run/launch.h"
#include "cli/common/ending.h"
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

/* How long supervisors without a launcher are listened to. */
#define LAST_WORDS_NS INT64_C(1000000000)

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void has_started(struct run_job *job, struct run_rank *rank)
{
    if (!rank->started)
        job->started++;
    rank->started = true;
}

static void has_ended(struct run_job *job, struct run_rank *rank, const struct job_report *report)
{
    if (rank->ended)
        return; /* known already: the scenario hears of an end once */
    job->ended++;
    rank->ended = true;
    job->last_finished = rank->finished;
    rank->status = (int)report->value;
    if (!rank->finished && !rank->died)
        rank->died = report->when;
    if (job->fail)
        run_fail_ended(job->fail, report->process, rank->status == 0);
    run_told_ended(job, report->process);
}

static void is_ready(struct run_job *job, struct run_rank *rank, const struct job_report *report)
{
    if (!rank->ready)
        job->ready++;
    rank->ready = true;
    if (job->begin || job->ready < (uint32_t)job->plan->ranks)
        return;
    job->begin = job->fail ? knell__clock_now() : report->when; /* a scenario has held them until now */
    if (job->fail)
        run_fail_begin(job->fail);
}

static void has_aborted(struct run_job *job, const struct job_report *report)
{
    if (job->aborted || job->timed_out || job->stopped_by || job->ignored.is) /* then we caused it */
        return;
    job->aborted = true;
    job->aborted_by_handler = report->code != 0;
    job->abort_code = (int)report->value;
    job->aborted_by = report->process;
    job->aborted_at = report->when;
}

static void has_counted(struct run_job *job, const struct job_report *report)
{
    job->counted++;
    job->missed += (uint64_t)report->value;
    job->late_most = report->took > job->late_most ? report->took : job->late_most;
}

static void take(struct run_job *job, const struct job_report *report)
{
    struct run_rank *rank = &job->rank[report->process];
    switch (report->word) {
    case JOB_WORD_STARTED:
        has_started(job, rank);
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
    case JOB_WORD_LEARNED:
        rank->learned = report->when;
        break;
    case JOB_WORD_GHOST:
        rank->ghost = true;
        rank->died = report->when;
        break;
    case JOB_WORD_AT:
        if (job->fail)
            run_fail_at(job->fail, report);
        break;
    case JOB_WORD_POSTED:
        if (job->fail)
            run_fail_posted(job->fail, report);
        break;
    case JOB_WORD_COUNTED:
        has_counted(job, report);
        break;
    case JOB_WORD_CHANGED:
        if (job->fail)
            run_fail_changed(job->fail, report->process, (int)report->value);
        break;
    case JOB_WORD_INSIDE:
        rank->told = true;
        rank->inside = (int)report->value;
        break;
    case JOB_WORD_LEFT:
        job->leaks.processes += report->value;
        break;
    default:
        break;
    }
}

static void keep(struct run_job *job, const struct job_report *report)
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

void run_read_reports(struct run_job *job)
{
    struct job_report report;
    run_links_turn(job);
    while (run_links_next(&job->links, &report)) {
        if (report.word != JOB_WORD_AT && report.word != JOB_WORD_CHANGED && report.word != JOB_WORD_POSTED)
            keep(job, &report);
        take(job, &report);
        run_log_report(job, &report);
        run_desks_send(job);
    }
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

void run_reap(struct run_job *job)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == job->launcher) {
            job->launcher = 0;
            job->launcher_status = status;
        } else if (pid == job->agent) {
            job->agent = 0;
            job->agent_lost = job->end == 0;
        } else if (pid == job->check) {
            job->check = 0;
            job->check_status = status;
        }
}

static void read_signals(struct run_job *job, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            job->stopped_by = (int)info.ssi_signo;
    run_reap(job);
}

void run_wait(struct run_job *job, int signals, int64_t until)
{
    struct pollfd fds[] = {{.fd = job->links.events, .events = POLLIN},
                           {.fd = signals, .events = POLLIN},
                           {.fd = job->plan->by_agent ? job->leader.events : -1, .events = POLLIN}};
    int64_t left = until == KNELL_NEVER ? -1 : until - knell__clock_now();
    struct timespec wait = {left / INT64_C(1000000000), left % INT64_C(1000000000)};
    if (until != KNELL_NEVER && left < 0)
        wait = (struct timespec){0};
    ppoll(fds, COUNT_OF(fds), until == KNELL_NEVER ? NULL : &wait, NULL);
    run_agent_turn(job); /* before the deaths that it tells of */
    run_read_reports(job);
    read_signals(job, signals);
}

/* ---- the job's course -------------------------------------------------------------------------------------------- */

/* One rank has ended before MPI_Init, and others wait for it inside MPI_Init for ever; or they have not started, since its host is lost, and
 * the agents of all hosts begin together. */
bool run_cannot_begin(const struct run_job *job)
{
    bool waiting = false, gone = false, start_together = job->plan->by_agent && job->leader.phase < LEADER_RUNS;
    for (int i = 0; i < job->plan->ranks; i++) {
        const struct run_rank *rank = &job->rank[i];
        bool has_come = start_together && job->links.link[i].was_open;
        waiting |= (rank->init || has_come) && !rank->ready && !rank->ended;
        gone |= rank->ended && !rank->ready;
    }
    return waiting && gone;
}

bool run_all_ended(const struct run_job *job)
{
    bool all = true;
    for (int64_t i = 0; i < job->plan->ranks && all; i++)
        all = job->rank[i].ended || job->rank[i].ghost;
    return all;
}

/* The launcher has ended, and its end is that of the ranks. Between hosts it is not, once all ranks have started: they go on without it
 * as far as it lets them, and their supervisors say how they end. */
static bool is_left_alone(const struct run_job *job)
{
    return job->launcher == 0 && !(job->plan->address[0] && job->started == (uint32_t)job->plan->ranks);
}

static bool is_over(const struct run_job *job)
{
    return run_all_ended(job) || is_left_alone(job) || job->aborted || job->stopped_by || job->timed_out ||
           job->broken || job->ignored.is || job->agent_lost;
}

/* The supervisors have told all that they had to tell before the launcher ended: it may be long, and is still to be read. */
static void hear_rest(struct run_job *job, int signals)
{
    int64_t until = knell__clock_now() + LAST_WORDS_NS;
    while (is_left_alone(job) && run_links_any(&job->links) && !job->stopped_by && knell__clock_now() < until)
        run_wait(job, signals, until);
}

/* A launcher that is killed takes the ranks with it, and these may end before we notice its own end. */
static bool is_lost(struct run_job *job)
{
    run_read_reports(job);
    run_reap(job);
    bool took_them = WIFSIGNALED(job->launcher_status) && !job->last_finished;
    return is_left_alone(job) && (!run_all_ended(job) || took_them) && !job->aborted && !job->stopped_by &&
           !job->timed_out && !job->ignored.is;
}

static void follow(struct run_job *job, int signals)
{
    int64_t limit = job->plan->timeout ? job->launched + job->plan->timeout : KNELL_NEVER;
    while (!is_over(job)) {
        int64_t next = job->fail && job->begin ? run_fail_act(job->fail) : KNELL_NEVER, look = run_look_for_stuck(job),
                ping = run_links_ping(job), ignored = run_look_for_ignored(job), agents = run_agent_turn(job);
        run_desks_send(job);
        if (job->timed_out || job->ignored.is)
            break;
        next = look < next ? look : next;
        next = ignored < next ? ignored : next;
        next = ping < next ? ping : next;
        next = agents < next ? agents : next;
        run_wait(job, signals, next < limit ? next : limit);
        job->timed_out |= knell__clock_now() >= limit && !run_all_ended(job);
        job->broken = run_cannot_begin(job);
    }
    hear_rest(job, signals);
    job->lost = is_lost(job);
    job->end = knell__clock_now();
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int block_signals(void)
{
    sigset_t set;
    ending_signals(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int launch(struct run_job *job)
{
    struct run_launch command;
    struct run_launch_job told = {job->directory.path, job->links.door.address, job->record[0] != '\0'};
    if (!run_launch_make(job->plan, &told, &command))
        return cli_failure(job->plan->usage, "no memory for the command");
    run_shm_list(&job->leaks.before);
    job->started_at = time(NULL);
    job->launched = knell__clock_now();
    for (int i = 0; i < RUN_LOGS; i++)
        job->log[i].zero = job->launched;
    int usual = job->plan->json ? STDERR_FILENO : STDOUT_FILENO;
    job->launcher =
        run_launch_start(&command, job->links.door.key_text, job->capture ? run_capture_target(job->capture) : usual,
                         job->errors ? run_capture_target(job->errors) : STDERR_FILENO);
    run_launch_free(&command);
    if (job->launcher <= 0)
        return cli_failure(job->plan->usage, "fork: %s", strerror(errno));
    if ((job->capture && !run_capture_start(job->capture)) ||
        (job->errors && !run_capture_start(job->errors))) /* the launcher's writes fail */
        return cli_failure(job->plan->usage, "no thread for the job's output");
    return EXIT_OK;
}

static int prepare(struct run_job *job)
{
    const struct run_plan *plan = job->plan;
    int status = EXIT_OK;
    job->directory.lock = -1;
    job->rank = calloc((size_t)plan->ranks, sizeof *job->rank);
    if (!run_links_open(&job->links, (int)plan->ranks) || !job->rank)
        return cli_failure(plan->usage, "no memory for the ranks");
    job->fail = run_fail_open(job, &status);
    if (status == EXIT_OK && plan->log)
        status = log_open(&job->log[RUN_LOG_USER], plan->usage, plan->log);
    if (status == EXIT_OK)
        status = run_status_file_begin(job);
    if (status == EXIT_OK)
        status = run_record_make(job);
    if (status == EXIT_OK)
        status = run_directory_open(plan, &job->directory);
    if (status == EXIT_OK)
        status = run_record_open(job);
    if (status == EXIT_OK && plan->slurm)
        status = run_slurm_listen(job);
    if (status == EXIT_OK && !run_links_listen(job, plan->address[0] ? plan->address : "127.0.0.1"))
        status = cli_failure(plan->usage, "cannot listen on %s: %s",
                             plan->address[0] ? plan->address : "the loopback interface", strerror(errno));
    if (status == EXIT_OK && job->fail)
        run_fail_name_variables(job->fail);
    return status;
}

static int execute(struct run_job *job, int signals)
{
    int status = run_agent_start(job);
    if (status == EXIT_OK)
        status = launch(job);
    if (status != EXIT_OK) {
        run_agent_stop(job);
        run_end_children(job);
        return status;
    }
    pid_t launcher = job->launcher;
    follow(job, signals);
    run_keep_states(job);
    if (job->timed_out || job->stopped_by || job->ignored.is)
        run_ask_where(job, signals);
    run_keep_places(job);
    if (job->timed_out || job->stopped_by)
        run_write_where(job, stderr);
    run_end(job, signals);
    if (job->plan->mpi == PROGRAM_OPENMPI)
        run_directory_remove_session(launcher);
    status = run_finish(job, signals);
    if (job->agent_lost && status == EXIT_OK)
        status = job->agent_said ? EXIT_FAILED : cli_failure(job->plan->usage, "the agent ended before the job did");
    return run_status_file_write(job, status);
}

static void forget(struct run_job *job)
{
    for (int64_t i = 0; job->rank && i < job->plan->ranks; i++)
        free(job->rank[i].place);
    free(job->rank);
    free(job->report);
    free(job->places);
    free(job->status_file);
    free(job->events_path);
    run_shm_free(&job->leaks.before);
    run_shm_free(&job->leaks.left);
    run_capture_free(job->capture);
    run_capture_free(job->errors);
}

int run_execute(const struct run_plan *plan)
{
    struct run_job job = {.plan = plan};
    int status = prepare(&job);
    if (status == EXIT_OK) {
        int signals = block_signals();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        status = execute(&job, signals);
        close(signals);
    }
    log_finish(&job.log[RUN_LOG_RECORD]);
    run_fail_close(job.fail);
    run_links_close(&job.links);
    run_directory_close(&job.directory);
    if (log_close(&job.log[RUN_LOG_USER], plan->usage) != EXIT_OK)
        status = EXIT_FAILED;
    forget(&job);
    return status;
}
