/* job.c: `knell agent` from start to end. */
#include "cli/agent/job.h"
#include "cli/common/ending.h"
#include "cli/common/program.h"
#include "cli/leader/leader.h"
#include "os/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
enum { EXIT_TIMEOUT = 124 };

/* ---- what the agent says ----------------------------------------------------------------------------------------- */

int job_complain(struct job *job, int status, const char *format, ...)
{
    char text[AGENT_WHY + 400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (job->join >= 0)
        join_tell(job, true, text);
    else if (status == EXIT_USAGE)
        cli_usage_error(job->usage, "%s", text);
    else
        cli_failure(job->usage, "%s", text);
    return status;
}

static void write_record(void *driver, const struct knell_fail_record *record)
{
    struct job *job = driver;
    char line[2048];
    if (job->join >= 0) {
        join_line(job, record);
        return;
    }
    if (!job->out || (!job->log && record->outcome != KNELL_FAIL_FIRED))
        return;
    if (job->json)
        knell_fail_record_json(job->scenario.program, record, line, sizeof line);
    else
        knell_fail_record_text(job->scenario.program, record, line, sizeof line);
    fprintf(job->out, "%s\n", line);
}

static void say(void *driver, bool fatal, const char *text)
{
    struct job *job = driver;
    if (fatal && !job->failed)
        job_complain(job, EXIT_FAILED, "%s", text);
    else if (!fatal && job->join >= 0)
        join_tell(job, false, text);
    else if (!fatal)
        fprintf(stderr, "%s: %s\n", job->usage->command, text);
    job->failed |= fatal;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

int job_open_log(struct job *job)
{
    job->out = job->log ? fopen(job->log, "we") : job->quiet ? NULL : stderr;
    if (job->log && !job->out)
        return cli_usage_error(job->usage, "--log %.200s: %s", job->log, strerror(errno));
    if (job->out)
        setvbuf(job->out, NULL, _IOLBF, 0);
    return EXIT_OK;
}

int job_open_scenario(struct job *job)
{
    int status = scenario_open(job->usage, job->fail, &job->defines, &job->scenario);
    return status == EXIT_OK ? scenario_require(&job->scenario, knell_fail_effector_find("agent")) : status;
}

/* All slots with a process must be here. */
static int check_hosts(const struct job *job)
{
    char own[CHANNEL_HOST_NAME] = "", host[CHANNEL_HOST_NAME];
    gethostname(own, sizeof own - 1);
    for (uint32_t i = 0; i < knell_fail_place_count(job->scenario.program); i++) {
        struct knell_fail_place place = knell_fail_place_at(job->scenario.program, i);
        for (uint32_t k = 0; k < place.size && place.program; k++)
            if (leader_slot_host(&place, k, host) && !leader_is_same_host(host, own))
                return cli_usage_error(
                    job->usage, "%.120s: %s has a slot on %s, and this is %s; --hosts starts an agent on each host",
                    job->fail, place.name, host, own);
    }
    return EXIT_OK;
}

static int prepare(struct job *job)
{
    char path[PATH_MAX];
    int status = job_open_scenario(job);
    if (status == EXIT_OK)
        status = check_hosts(job);
    if (status == EXIT_OK && job->program && !program_on_path(job->program[0], path))
        status = cli_usage_error(job->usage, "%.200s: there is no such program", job->program[0]);
    if (status == EXIT_OK)
        status = names_check_all(job);
    if (status == EXIT_OK)
        status = job_open_log(job);
    if (status == EXIT_OK && job->listen)
        status = door_open(job);
    return status == EXIT_OK ? job_open_agent(job) : status;
}

int job_open_agent(struct job *job)
{
    job->started = calloc(knell_fail_instance_count(job->scenario.program) + 1u, sizeof *job->started);
    job->agent = agent_open(&(struct agent_config){.program = job->scenario.program,
                                                   .seed = (uint64_t)job->seed,
                                                   .hosted = job->leader.hosted,
                                                   .driver = job,
                                                   .send = join_send,
                                                   .record = write_record,
                                                   .check = names_check,
                                                   .say = say});
    return job->agent && job->started ? EXIT_OK : job_complain(job, EXIT_FAILED, "no memory for the agent");
}

static int start_slot(struct job *job, uint32_t instance, const char *program)
{
    char why[AGENT_WHY], shell[] = "sh", option[] = "-c", *command = NULL;
    if (asprintf(&command, "exec %s", program) < 0)
        return job_complain(job, EXIT_FAILED, "no memory for %.200s", program);
    char *argv[] = {shell, option, command, NULL};
    int status = agent_start(job->agent, instance, argv, &job->started[instance], why);
    free(command);
    return status == 0 ? EXIT_OK : job_complain(job, EXIT_FAILED, "%s", why);
}

int job_start_slots(struct job *job)
{
    int status = EXIT_OK;
    for (uint32_t i = 0; i < knell_fail_instance_count(job->scenario.program) && status == EXIT_OK; i++) {
        uint32_t place = knell_fail_instance_place(job->scenario.program, i);
        const char *program = knell_fail_place_at(job->scenario.program, place).program;
        if (program && job_hosts(job, i))
            status = start_slot(job, i, program);
    }
    return status;
}

static int start(struct job *job)
{
    char why[AGENT_WHY];
    agent_begin(job->agent);
    if (!job->program)
        return job->listen ? EXIT_OK : job_start_slots(job);
    if (agent_start(job->agent, AGENT_ANY_SLOT, job->program, &job->pid, why) != 0)
        return cli_failure(job->usage, "%s", why);
    return EXIT_OK;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

void job_hear_signal(struct job *job, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        job->signal = (int)info.ssi_signo;
}

static bool is_over(const struct job *job, knell_time limit)
{
    return job->failed || job->signal || knell__clock_now() >= limit;
}

/* Who listens alone may always get some. */
static bool has_work(const struct job *job)
{
    return agent_processes(job->agent) > 0 || (job->listen && !job->program);
}

/* Until all have ended, or the job is to be ended. Times of the agent are those of the scenario. */
static void turn_until_end(struct job *job, int signals, knell_time limit)
{
    knell_time begin = knell__clock_now();
    while (has_work(job) && !is_over(job, limit)) {
        knell_time next = agent_turn(job->agent), last = limit == KNELL_NEVER ? KNELL_NEVER : limit - begin;
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN}, {.fd = job->door, .events = POLLIN}};
        if (!has_work(job) || is_over(job, limit))
            break;
        agent_wait(job->agent, fds, COUNT_OF(fds), next < last ? next : last);
        job_hear_signal(job, signals);
        door_serve(job);
    }
}

void job_end_all(struct job *job)
{
    knell_time until = agent_now(job->agent) + 5 * SECOND;
    agent_kill_all(job->agent);
    while (agent_started(job->agent) > 0 && agent_now(job->agent) < until) {
        knell_time next = agent_turn(job->agent);
        agent_kill_all(job->agent);
        if (agent_started(job->agent) > 0)
            agent_wait(job->agent, NULL, 0, next < until ? next : until);
    }
}

static int loop(struct job *job)
{
    sigset_t ending;
    knell_time limit = job->timeout ? knell__clock_now() + job->timeout : KNELL_NEVER;
    ending_signals(&ending);
    int signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    int status = start(job);
    if (status == EXIT_OK)
        turn_until_end(job, signals, limit);
    bool is_late = status == EXIT_OK && !job->failed && !job->signal && has_work(job);
    job_end_all(job);
    close(signals);
    if (status != EXIT_OK || job->failed)
        return EXIT_FAILED;
    return job->signal ? 128 + job->signal : is_late ? EXIT_TIMEOUT : -1;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static int shell_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int job_status(const struct job *job)
{
    int status;
    bool halted;
    if (job->program)
        return agent_has_ended(job->agent, job->pid, &status, &halted) ? shell_status(status) : EXIT_FAILED;
    for (uint32_t i = 0; i < knell_fail_instance_count(job->scenario.program); i++)
        if (job->started[i] > 0 && agent_has_ended(job->agent, job->started[i], &status, &halted) && status != 0 &&
            !halted)
            return shell_status(status);
    return EXIT_OK;
}

void job_close(struct job *job)
{
    agent_close(job->agent);
    door_close(job);
    for (size_t i = 0; i < job->checked_count; i++)
        free(job->checked[i]);
    free(job->checked);
    free(job->started);
    scenario_close(&job->scenario);
}

int job_run(struct job *job)
{
    int status = prepare(job);
    if (status == EXIT_OK)
        status = loop(job);
    if (status < 0)
        status = job_status(job);
    if (job->log && job->out && fclose(job->out) != 0)
        status = cli_failure(job->usage, "--log %.200s: cannot be written", job->log);
    job_close(job);
    return status;
}
