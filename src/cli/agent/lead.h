/* lead.h: `knell agent --hosts`: leads the agents of several hosts (cli/leader/leader.h). The one of this host is a child; the others are started
 * by ssh, or what --rsh says.
 *
 *     lead.c         from start to end
 *     lead_start.c   starting agents */
#ifndef KNELL_CLI_AGENT_LEAD_H
#define KNELL_CLI_AGENT_LEAD_H

#include "channel/door.h"
#include "cli/agent/job.h"
#include "cli/leader/leader.h"

struct lead {
    struct job *job;
    struct leader leader;
    struct channel_door door;
    pid_t *child; /* by agent: it, or who started it; 0: has ended */
    bool ends;
};

/* Starts agent `number`; an exit status, after a complaint. */
int lead_start(struct lead *lead, unsigned number);

#endif
