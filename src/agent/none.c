/* none.c: in the place of all other files where the agent cannot work: it emulates and steps x86-64 instructions. Whoever asks for it gets
 * one clear answer. */
#include "agent/agent.h"

#include <knell/types.h>
#include <stdio.h>

static void say_why(char why[AGENT_WHY])
{
    snprintf(why, AGENT_WHY, "the agent is not built for this processor; it needs Linux on x86-64");
}

struct agent *agent_open(const struct agent_config *config)
{
    static const char nobody;
    (void)config;
    return (struct agent *)(void *)&nobody; /* never looked at */
}

void agent_close(struct agent *agent)
{
    (void)agent;
}

void agent_begin(struct agent *agent)
{
    (void)agent;
}

int agent_start(struct agent *agent, uint32_t instance, char *const *argv, pid_t *pid, char why[AGENT_WHY])
{
    (void)agent, (void)instance, (void)argv, (void)pid;
    say_why(why);
    return KNELL_EINVAL;
}

int agent_attach(struct agent *agent, pid_t pid, char why[AGENT_WHY])
{
    (void)agent, (void)pid;
    say_why(why);
    return KNELL_EINVAL;
}

int agent_expect(struct agent *agent, pid_t pid, char why[AGENT_WHY])
{
    return agent_attach(agent, pid, why);
}

void agent_deliver(struct agent *agent, uint32_t from, uint32_t to, uint32_t message)
{
    (void)agent, (void)from, (void)to, (void)message;
}

long agent_rank_of(const struct agent *agent, uint32_t instance)
{
    (void)agent, (void)instance;
    return -1;
}

unsigned agent_processes(const struct agent *agent)
{
    (void)agent;
    return 0;
}

unsigned agent_started(const struct agent *agent)
{
    (void)agent;
    return 0;
}

bool agent_has_ended(const struct agent *agent, pid_t pid, int *status, bool *halted)
{
    (void)agent, (void)pid, (void)status, (void)halted;
    return false;
}

void agent_wait(struct agent *agent, struct pollfd *fds, unsigned count, knell_time until)
{
    (void)agent, (void)fds, (void)count, (void)until;
}

knell_time agent_now(const struct agent *agent)
{
    (void)agent;
    return 0;
}

knell_time agent_turn(struct agent *agent)
{
    (void)agent;
    return KNELL_NEVER;
}

void agent_kill_all(struct agent *agent)
{
    (void)agent;
}

struct agent_counters agent_counters_of(const struct agent *agent)
{
    (void)agent;
    return (struct agent_counters){0};
}

bool agent_check_names(const struct knell_fail_program *program, uint32_t place, char *const *files, unsigned count,
                       char why[AGENT_WHY])
{
    (void)program, (void)place, (void)files, (void)count;
    say_why(why);
    return false;
}

void agent_program_word(const char *program, char word[PATH_MAX])
{
    snprintf(word, PATH_MAX, "%s", program);
}

bool agent_check_file(const char *path, char why[AGENT_WHY])
{
    (void)path;
    say_why(why);
    return false;
}
