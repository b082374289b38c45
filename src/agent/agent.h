/* agent.h: FAIL scenarios on real processes, at any function: the third effector of the interpreter in src/fail, and the only layer that
 * sees ptrace. Linux on x86-64.
 *
 * One thread of one process traces all processes of a host: a request of ptrace must come from the thread that attached, and an event
 * then needs no message to anybody before the rule is known. The scenario's state lives here, by slot; a process that comes back finds it.
 *
 *      agent_open(...)                  nothing has started
 *      agent_start(...), agent_attach() processes, held until the first turn
 *      while (agent_is_busy()) agent_wait(...), agent_turn(...)
 *      agent_close()                    started processes are killed, attached ones go on without us
 *
 * The calling thread is the tracer: all calls come from it. SIGCHLD is the agent's, which blocks it. Programs are started with the signals
 * blocked that were blocked before agent_open(). */
#ifndef KNELL_AGENT_AGENT_H
#define KNELL_AGENT_AGENT_H

#include <knell/fail.h>
#include <limits.h>
#include <poll.h>
#include <sys/types.h>

struct agent;

enum { AGENT_WHY = 400 };

struct agent_config {
    const struct knell_fail_program *program;
    uint64_t seed;
    const uint8_t
        *hosted; /* by instance: 0, it lives in another agent; NULL: all are here. Read as long as the agent lives */
    void *driver;
    /* A message for an instance that lives elsewhere. Not needed if all are here. */
    void (*send)(void *driver, uint32_t from, uint32_t to, uint32_t message);
    /* Every record of the scenario, before its actions are carried out. */
    void (*record)(void *driver, const struct knell_fail_record *record);
    /* A program is loaded that belongs to this place: does it have what the scenario names? The answer is agent_check_names()'s. */
    bool (*check)(void *driver, uint32_t place, const char *path, char *why);
    /* What the user should know, one sentence. `fatal`: the job cannot be what the scenario is for; end it. */
    void (*say)(void *driver, bool fatal, const char *text);
};

/* NULL: no memory. */
struct agent *agent_open(const struct agent_config *config);
void agent_close(struct agent *agent); /* accepts NULL */

/* The scenario's time begins; all slots are empty. */
void agent_begin(struct agent *agent);

#define AGENT_ANY_SLOT UINT32_MAX
/* Starts a program, found along PATH, whose process is that of the slot; AGENT_ANY_SLOT: the process, and whatever it starts, comes to
 * the slots of the place whose `program` it is, if it is any. 0, or a negative code, and the reason in words. */
int agent_start(struct agent *agent, uint32_t instance, char *const *argv, pid_t *pid, char why[AGENT_WHY]);
/* A process that runs already. It goes on when the agent is gone, unless it is killed while breakpoints are in its code. */
int agent_attach(struct agent *agent, pid_t pid, char why[AGENT_WHY]);
/* A process that is about to exec, and is stopped until this returns: nothing is said of it before. */
int agent_expect(struct agent *agent, pid_t pid, char why[AGENT_WHY]);

/* A message from an instance that lives elsewhere. */
void agent_deliver(struct agent *agent, uint32_t from, uint32_t to, uint32_t message);
/* The number that its launcher gave the process of the slot; -1: there is no process, or it has none. */
long agent_rank_of(const struct agent *agent, uint32_t instance);

/* Processes that are traced. */
unsigned agent_processes(const struct agent *agent);
/* And those of them that end with the agent. */
unsigned agent_started(const struct agent *agent);
/* True once the process of agent_start() has ended: its status as of waitpid, and whether the scenario halted it. */
bool agent_has_ended(const struct agent *agent, pid_t pid, int *status, bool *halted);

/* The scenario's time: since agent_begin(). */
knell_time agent_now(const struct agent *agent);
/* Until something has happened to a process, one of the descriptors is ready, a signal in `heard` has come or the time is over. */
void agent_wait(struct agent *agent, struct pollfd *fds, unsigned count, knell_time until);
/* Takes what has happened, up to a limit. Returns when to call again: when the scenario does something next, at once if there may be more,
 * KNELL_NEVER: when something happens. */
knell_time agent_turn(struct agent *agent);

/* Kills what the agent started; agent_turn() then sees them end. */
void agent_kill_all(struct agent *agent);

struct agent_counters {
    uint64_t hits;   /* breakpoints */
    uint64_t faults; /* halts, stops, signals, writes, flips and slowings that had an effect */
};
struct agent_counters agent_counters_of(const struct agent *agent);

/* ---- before anything starts: check.c ----------------------------------------------------------------------------- */

/* Is everything that the daemon of the place names in one of these files, a program and its libraries? Functions of a named library that is
 * not among them may come later. False: `why` says what is missing, and what is similar. */
bool agent_check_names(const struct knell_fail_program *program, uint32_t place, char *const *files, unsigned count,
                       char why[AGENT_WHY]);
/* The program of a place, without its arguments. */
void agent_program_word(const char *program, char word[PATH_MAX]);
/* May a program of this file be traced by this user? */
bool agent_check_file(const char *path, char why[AGENT_WHY]);

#endif
