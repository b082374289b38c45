/* leader.h: one scenario, an agent on each of several hosts. The leader tells every agent which instances of the scenario live with it,
 * begins when all are ready, passes messages between daemons of different hosts on, and gathers their logs. Agents connect to it by the
 * supervisors' channel (channel/wire.h). `knell run` leads for the ranks of a job, `knell agent --hosts` for programs without MPI.
 *
 * Agent 0 is the one on the leader's own host: daemons without a process live there. */
#ifndef KNELL_CLI_LEADER_LEADER_H
#define KNELL_CLI_LEADER_LEADER_H

#include "channel/hello.h"
#include "channel/stream.h"
#include "cli/scenario/scenario.h"
#include "runtime/address.h"

struct leader_agent {
    struct channel_stream stream;
    bool is_open, was_open;
    bool is_ready; /* for what comes next */
    bool is_over;  /* nothing is left of what it started, */
    int status;    /* which ended so */
    char host[CHANNEL_HOST_NAME];
};

/* Agents are awaited; have the scenario; the scenario runs. */
enum leader_phase { LEADER_GATHERS, LEADER_SETS_UP, LEADER_BEGINS, LEADER_RUNS, LEADER_ENDS };

struct leader {
    /* set by its owner */
    const struct scenario *scenario;
    const struct texts *defines;
    uint64_t seed;
    uint32_t flags; /* CHANNEL_SETUP_... */
    void *driver;
    void (*line)(void *driver, const struct channel_line *line, const char *text);
    /* `fatal`: the scenario cannot go on. */
    void (*tell)(void *driver, bool fatal, const char *host, const char *text);
    /* Is the agent of this host needed no more? A resource manager ends it with the last process of the job there. NULL: never. */
    bool (*may_go)(void *driver, const char *host);
    /* what is */
    int events; /* an epoll descriptor: readable when something has come */
    enum leader_phase phase;
    bool is_complete; /* no more agents are added, and every instance has an owner */
    struct leader_agent *agent;
    unsigned agents;
    uint32_t *owner; /* by instance: its agent; first all are agent 0's */
    uint64_t lines;
    int64_t since, ping_at; /* since: of this phase */
    bool has_complained;    /* of an agent that holds up the beginning */
};

/* With agent 0, which is still to come. False: no memory. */
bool leader_open(struct leader *leader, const char *own_host);
/* Says BYE, and waits a moment for the agents to go. Accepts one that was never opened, all 0. */
void leader_close(struct leader *leader);
/* So long, after that, who started an agent, or is one, may take to end. */
#define LEADER_CHILD_ENDS_NS INT64_C(1000000000)
/* Tells a child of this process to end; at that time it is killed. */
void leader_end_child(pid_t child, int64_t until);

/* One more agent is to come; the one of the host, if there is one already. UINT_MAX: no memory. */
unsigned leader_add(struct leader *leader, const char *host, bool *is_new);
/* The agent of the host; leader->agents: there is none. */
unsigned leader_find(const struct leader *leader, const char *host);
/* All agents are added, all owners set: begins when all are there. */
void leader_complete(struct leader *leader);
/* Is a caller of this number (channel_agent_number) one of the agents, and not there yet? */
bool leader_expects(const struct leader *leader, int number);
bool leader_has_all(const struct leader *leader);
void leader_joined(struct leader *leader, int fd, const struct channel_hello *hello);
/* Takes in what has come; nothing if it is not open. */
void leader_turn(struct leader *leader);
/* Signs of life, in due time; complains of an agent that does not come, or does not get ready. Returns when to call again. */
int64_t leader_ping(struct leader *leader);
/* The host is lost, and its agent with it. */
void leader_forget(struct leader *leader, const char *host);
/* All that the agents started has ended; the first status that is not 0. */
bool leader_is_over(const struct leader *leader, int *status);

/* ---- setup.c ----------------------------------------------------------------------------------------------------- */

void leader_send_setup(struct leader *leader, unsigned number);

/* ---- hosts.c ----------------------------------------------------------------------------------------------------- */

/* Where a slot of the place is by its `hosts`; false: that is not said. */
bool leader_slot_host(const struct knell_fail_place *place, uint32_t slot, char host[CHANNEL_HOST_NAME]);
/* Are there hosts for all of its slots? */
bool leader_has_room(const struct knell_fail_place *place);
/* The address by which this host reaches another one; false: the name is not known, or there is no way. */
bool leader_own_address(const char *name, struct knell__address *own);
/* node7 and node7.cluster are. */
bool leader_is_same_host(const char *a, const char *b);

#endif
