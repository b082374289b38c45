/* lead.c: see lead.h. */
#include "cli/agent/lead.h"
#include "cli/common/ending.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
enum { EXIT_TIMEOUT = 124 };

/* ---- what agents tell -------------------------------------------------------------------------------------------- */

static void take_line(void *driver, const struct channel_line *line, const char *text)
{
    struct lead *lead = driver;
    if (lead->job->out && (lead->job->log || line->flags & CHANNEL_LINE_FIRED))
        fprintf(lead->job->out, "%s\n", text);
}

static void take_tell(void *driver, bool fatal, const char *host, const char *text)
{
    struct lead *lead = driver;
    if (lead->ends || (fatal && lead->job->failed))
        return;
    cli_failure(lead->job->usage, "%s%s%s", host, *host ? ": " : "", text);
    lead->job->failed |= fatal;
}

/* ---- who is where ------------------------------------------------------------------------------------------------ */

/* A place that does not say has its slots where --hosts says. */
static int own_slots(struct lead *lead, struct knell_fail_place place)
{
    struct job *job = lead->job;
    char host[CHANNEL_HOST_NAME];
    if (!place.program)
        return EXIT_OK;
    place.hosts = place.hosts ? place.hosts : job->hosts;
    for (uint32_t k = 0; k < place.size; k++) {
        if (!leader_slot_host(&place, k, host))
            return cli_usage_error(job->usage, "%.120s: there are no hosts for the %u slots of %s: %.120s", job->fail,
                                   place.size, place.name, place.hosts);
        unsigned number = leader_find(&lead->leader, host);
        if (number == lead->leader.agents)
            return cli_usage_error(job->usage, "%.120s: %s has a slot on %s, which is not one of --hosts %.120s",
                                   job->fail, place.name, host, job->hosts);
        lead->leader.owner[place.first + k] = number;
    }
    return EXIT_OK;
}

static int add_hosts(struct lead *lead)
{
    char host[CHANNEL_HOST_NAME];
    bool is_new;
    for (const char *at = lead->job->hosts; *at; at += *at == ',') {
        size_t length = strcspn(at, ","), letters = strcspn(at, ",:");
        if (letters == 0 || letters >= sizeof host)
            return cli_usage_error(lead->job->usage, "--hosts %.120s: names of hosts are expected, as a,b:2",
                                   lead->job->hosts);
        snprintf(host, sizeof host, "%.*s", (int)letters, at);
        if (leader_add(&lead->leader, host, &is_new) == UINT_MAX)
            return cli_failure(lead->job->usage, "no memory for the agents");
        at += length;
    }
    int status = EXIT_OK;
    for (uint32_t i = 0; i < knell_fail_place_count(lead->job->scenario.program) && status == EXIT_OK; i++)
        status = own_slots(lead, knell_fail_place_at(lead->job->scenario.program, i));
    return status;
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

static bool expects(void *driver, int number)
{
    return leader_expects(&((struct lead *)driver)->leader, number);
}

static void opened(void *driver, int fd, const struct channel_hello *hello)
{
    struct lead *lead = driver;
    leader_joined(&lead->leader, fd, hello);
    if (leader_has_all(&lead->leader))
        channel_door_close(&lead->door);
}

/* The address by which the other hosts see this one. */
static int own_address(const struct lead *lead, char text[KNELL__ADDRESS_TEXT])
{
    struct knell__address own;
    snprintf(text, KNELL__ADDRESS_TEXT, "127.0.0.1");
    for (unsigned i = 1; i < lead->leader.agents; i++) {
        if (!leader_own_address(lead->leader.agent[i].host, &own))
            return cli_usage_error(lead->job->usage, "the host %s is not known here, or there is no way to it",
                                   lead->leader.agent[i].host);
        if (!knell__address_is_loopback(&own)) {
            knell__address_host(&own, text);
            return EXIT_OK;
        }
    }
    return EXIT_OK;
}

static int open_door(struct lead *lead)
{
    char address[KNELL__ADDRESS_TEXT];
    int status = own_address(lead, address);
    if (status != EXIT_OK)
        return status;
    lead->door.driver = lead;
    lead->door.expects = expects;
    lead->door.opened = opened;
    if (!channel_door_open(&lead->door, address))
        return cli_failure(lead->job->usage, "cannot listen on %s: %s", address, strerror(errno));
    return EXIT_OK;
}

/* ---- the course -------------------------------------------------------------------------------------------------- */

/* One that has ended before its agent was there has failed. */
static void reap(struct lead *lead)
{
    int status;
    char text[300];
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (unsigned i = 0; i < lead->leader.agents; i++) {
            if (lead->child[i] != pid)
                continue;
            lead->child[i] = 0;
            snprintf(text, sizeof text, "the agent cannot be started: %.200s ended with status %d",
                     i ? lead->job->rsh : "knell agent",
                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
            if (!lead->leader.agent[i].was_open)
                take_tell(lead, true, lead->leader.agent[i].host, text);
        }
}

static void wait_for_more(struct lead *lead, int signals, int64_t until)
{
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = lead->door.events, .events = POLLIN},
                           {.fd = lead->leader.events, .events = POLLIN}};
    int64_t left = until - knell__clock_now();
    struct timespec time = {left > 0 ? left / SECOND : 0, left > 0 ? left % SECOND : 0};
    ppoll(fds, COUNT_OF(fds), &time, NULL);
    if (fds[1].revents)
        channel_door_serve(&lead->door);
    leader_turn(&lead->leader);
    reap(lead);
}

/* SIGCHLD only wakes. */
static void hear(struct job *job, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            job->signal = (int)info.ssi_signo;
}

static int follow(struct lead *lead, int signals)
{
    struct job *job = lead->job;
    int64_t limit = job->timeout ? knell__clock_now() + job->timeout : KNELL_NEVER;
    int status = 0;
    while (!job->failed && !job->signal && knell__clock_now() < limit) {
        int64_t ping = leader_ping(&lead->leader);
        if (leader_is_over(&lead->leader, &status) && !job->listen)
            return status;
        wait_for_more(lead, signals, ping < limit ? ping : limit);
        hear(job, signals);
    }
    return job->failed ? EXIT_FAILED : job->signal ? 128 + job->signal : EXIT_TIMEOUT;
}

/* The agents are told to go; who started them ends with them. */
static void end(struct lead *lead)
{
    lead->ends = true;
    unsigned agents = lead->leader.agents;
    leader_close(&lead->leader);
    channel_door_close(&lead->door);
    int64_t until = knell__clock_now() + LEADER_CHILD_ENDS_NS;
    for (unsigned i = 0; i < agents; i++)
        if (lead->child[i] > 0)
            kill(lead->child[i], SIGTERM);
    for (unsigned i = 0; i < agents; i++)
        if (lead->child[i] > 0)
            leader_end_child(lead->child[i], until);
}

static int lead_all(struct lead *lead)
{
    sigset_t set;
    ending_signals(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), status = EXIT_OK;
    lead->child = calloc(lead->leader.agents, sizeof *lead->child);
    if (!lead->child)
        return cli_failure(lead->job->usage, "no memory for the agents");
    leader_complete(&lead->leader);
    for (unsigned i = 0; i < lead->leader.agents && status == EXIT_OK; i++)
        status = lead_start(lead, i);
    if (status == EXIT_OK)
        status = follow(lead, signals);
    end(lead);
    free(lead->child);
    close(signals);
    return status;
}

static int prepare(struct lead *lead)
{
    struct job *job = lead->job;
    char own[CHANNEL_HOST_NAME] = "";
    gethostname(own, sizeof own - 1);
    int status = job_open_scenario(job);
    if (status == EXIT_OK)
        status = job_open_log(job);
    if (status != EXIT_OK)
        return status;
    lead->leader =
        (struct leader){.scenario = &job->scenario,
                        .defines = &job->defines,
                        .seed = (uint64_t)job->seed,
                        .flags = (job->listen ? CHANNEL_SETUP_LISTENS : CHANNEL_SETUP_STARTS) |
                                 (job->log ? CHANNEL_SETUP_ALL_LINES : 0u) | (job->json ? CHANNEL_SETUP_JSON : 0u),
                        .driver = lead,
                        .line = take_line,
                        .tell = take_tell};
    if (!leader_open(&lead->leader, own))
        return cli_failure(job->usage, "no memory for the agents");
    status = add_hosts(lead);
    return status == EXIT_OK ? open_door(lead) : status;
}

int lead_run(struct job *job)
{
    struct lead lead = {.job = job, .door = {.events = -1, .listening = -1}};
    int status = prepare(&lead);
    if (status == EXIT_OK)
        status = lead_all(&lead);
    leader_close(&lead.leader);
    if (job->log && job->out && fclose(job->out) != 0)
        status = cli_failure(job->usage, "--log %.200s: cannot be written", job->log);
    job_close(job);
    return status;
}
