/* agent.c: see agent.h. The agent's life, its table of threads, its turns. */
#include "agent/state.h"
#include "os/clock.h"
#include "symbols/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define DELAY_NS 100000 /* of a message between daemons, as in knell run */
enum { STATUSES_MOST = 64 };

knell_time agent_now(const struct agent *agent)
{
    return knell__clock_now() - agent->begin;
}

void agent_say(const struct agent *agent, bool fatal, const char *format, ...)
{
    char text[AGENT_WHY + 200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (fatal && agent->why)
        snprintf(agent->why, AGENT_WHY, "%.*s", AGENT_WHY - 1, text);
    else
        agent->config.say(agent->config.driver, fatal, text);
}

bool agent_hosts(const struct agent *agent, uint32_t instance)
{
    return !agent->config.hosted || agent->config.hosted[instance];
}

long agent_rank_of(const struct agent *agent, uint32_t instance)
{
    return agent->slot[instance] ? agent->slot[instance]->rank : -1;
}

void agent_deliver(struct agent *agent, uint32_t from, uint32_t to, uint32_t message)
{
    if (agent->begun)
        effect_deliver(agent, from, to, message);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct agent_thread *agent_thread_find(const struct agent *agent, pid_t tid)
{
    struct agent_thread *thread = agent->bucket[(unsigned)tid % BUCKETS];
    while (thread && thread->tid != tid)
        thread = thread->next_in_bucket;
    return thread;
}

void agent_thread_adopt(struct agent_process *process, struct agent_thread *thread)
{
    thread->process = process;
    thread->next = process->thread;
    process->thread = thread;
}

struct agent_thread *agent_thread_add(struct agent *agent, struct agent_process *process, pid_t tid)
{
    struct agent_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->tid = tid;
    thread->running = true;
    thread->over_base = -1;
    thread->next_in_bucket = agent->bucket[(unsigned)tid % BUCKETS];
    agent->bucket[(unsigned)tid % BUCKETS] = thread;
    if (process)
        agent_thread_adopt(process, thread);
    return thread;
}

static void unlink_from_process(struct agent_thread *thread)
{
    struct agent_thread **at = &thread->process->thread;
    while (*at != thread)
        at = &(*at)->next;
    *at = thread->next;
    if (thread->process->image && thread->process->image->stepper == thread)
        thread->process->image->stepper = NULL;
}

void agent_thread_remove(struct agent *agent, struct agent_thread *thread)
{
    struct agent_thread **at = &agent->bucket[(unsigned)thread->tid % BUCKETS];
    while (*at != thread)
        at = &(*at)->next_in_bucket;
    *at = thread->next_in_bucket;
    hit_drop_frames(thread);
    if (thread->process)
        unlink_from_process(thread);
    free(thread);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void wake(int signal)
{
    (void)signal; /* to interrupt ppoll() */
}

static bool allocate(struct agent *agent, const struct knell_fail_config *config)
{
    const struct knell_fail_program *program = agent->config.program;
    agent->probe_room = 2 * knell_fail_function_count(program) + knell_fail_variable_count(program) + 1;
    agent->memory = malloc(knell_fail_world_size(program, config));
    agent->slot = calloc(knell_fail_instance_count(program) + 1u, sizeof(struct agent_process *));
    agent->probe = calloc(agent->probe_room, sizeof *agent->probe);
    return agent->memory && agent->slot && agent->probe;
}

static struct knell_fail_config world_config(struct agent *agent)
{
    return (struct knell_fail_config){.seed = agent->config.seed,
                                      .message_delay = DELAY_NS,
                                      .hosted = agent->config.hosted,
                                      .driver = agent,
                                      .read = variable_read};
}

struct agent *agent_open(const struct agent_config *config)
{
    struct agent *agent = calloc(1, sizeof *agent);
    if (!agent)
        return NULL;
    agent->config = *config;
    struct knell_fail_config world = world_config(agent);
    if (!allocate(agent, &world)) {
        agent_close(agent);
        return NULL;
    }
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &agent->as_found);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = wake}, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return agent;
}

void agent_begin(struct agent *agent)
{
    struct knell_fail_config world = world_config(agent);
    agent->begin = knell__clock_now();
    knell_fail_world_init(agent->memory, agent->config.program, &world, 0, &agent->world);
    agent->begun = true;
}

static void drop_files(struct agent *agent)
{
    while (agent->files) {
        struct agent_file *file = agent->files;
        agent->files = file->next;
        symbols_table_close(file->table);
        free(file);
    }
}

void agent_close(struct agent *agent)
{
    if (!agent)
        return;
    while (agent->process)
        if (agent->process->started)
            process_remove(agent, agent->process); /* dead, or it dies with us */
        else
            leave_process(agent, agent->process);
    while (agent->ended) {
        struct agent_ended *ended = agent->ended;
        agent->ended = ended->next;
        free(ended);
    }
    drop_files(agent);
    free(agent->memory);
    free(agent->slot);
    free(agent->probe);
    free(agent);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

void agent_wait(struct agent *agent, struct pollfd *fds, unsigned count, knell_time until)
{
    knell_time now = agent_now(agent), left = until > now ? until - now : 0;
    struct timespec time = {left / 1000000000, left % 1000000000};
    if (!agent->has_heard) {
        sigprocmask(SIG_SETMASK, NULL, &agent->heard);
        sigdelset(&agent->heard, SIGCHLD);
        agent->has_heard = true;
    }
    ppoll(fds, count, until == KNELL_NEVER ? NULL : &time, &agent->heard);
}

/* Processes that an event or an action has touched. Settling one may touch it again. */
static void settle_all(struct agent *agent)
{
    bool again = true;
    while (again) {
        again = false;
        for (struct agent_process *p = agent->process, *next; p; p = next) {
            next = p->next;
            if (p->dirty) {
                again = true;
                process_settle(agent, p);
            }
        }
    }
}

/* False: it was the last for now. */
static bool take_one(struct agent *agent)
{
    int status;
    pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
    if (tid <= 0)
        return tid < 0 && errno == EINTR;
    take_status(agent, tid, status);
    settle_all(agent);
    return true;
}

/* Threads that come to breakpoints again and again have always something to report. Others have to be heard between. */
knell_time agent_turn(struct agent *agent)
{
    bool more = true;
    settle_all(agent);
    for (int i = 0; i < STATUSES_MOST && more; i++)
        more = take_one(agent);
    knell_time next = effect_due(agent), now = agent_now(agent);
    settle_all(agent);
    return more && next > now ? now : next;
}

unsigned agent_processes(const struct agent *agent)
{
    return agent->processes;
}

unsigned agent_started(const struct agent *agent)
{
    unsigned count = 0;
    for (const struct agent_process *p = agent->process; p; p = p->next)
        count += p->started;
    return count;
}

bool agent_has_ended(const struct agent *agent, pid_t pid, int *status, bool *halted)
{
    for (const struct agent_ended *ended = agent->ended; ended; ended = ended->next)
        if (ended->pid == pid) {
            *status = ended->status;
            *halted = ended->halted;
            return true;
        }
    return false;
}

void agent_kill_all(struct agent *agent)
{
    for (const struct agent_process *p = agent->process; p; p = p->next)
        if (p->started)
            kill(p->pid, SIGKILL);
}

struct agent_counters agent_counters_of(const struct agent *agent)
{
    return agent->counters;
}
