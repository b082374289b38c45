/* commands.c: see commands.h. */
#include "cli/commands.h"
#include "cli/agent/agent.h"
#include "cli/attach/attach.h"
#include "cli/calibrate/calibrate.h"
#include "cli/check/check.h"
#include "cli/completion/completion.h"
#include "cli/exec/exec.h"
#include "cli/explore/explore.h"
#include "cli/fail/fail.h"
#include "cli/live/live.h"
#include "cli/mpirun/mpirun.h"
#include "cli/plan/plan.h"
#include "cli/run/run.h"
#include "cli/sim/sim.h"

#include <stddef.h>

static const struct command fail_commands[] = {
    {"check", "check fault scenarios for errors", fail_check_command, NULL},
    {"graph", "draw the automata of a scenario", fail_graph_command, NULL},
    {"run", "step a scenario and print what fires", fail_run_command, NULL},
    {0},
};

static const struct command sim_commands[] = {
    {"ring", "nodes die: how long until all others know", sim_ring_command, NULL},
    {"broadcast", "one reliable broadcast with dead nodes in its way", sim_broadcast_command, NULL},
    {"agree", "one agreement while nodes crash", sim_agree_command, NULL},
    {"check", "every property, on many small random worlds", sim_check_command, NULL},
    {"figures", "figures 3 to 7 of the detector paper, as CSV and SVG", sim_figures_command, NULL},
    {"ping", "randomized pinging, for comparison", sim_ping_command, NULL},
    {"swim", "SWIM: probes, gossip, suspicion; for comparison", sim_swim_command, NULL},
    {0},
};

/* Completion is the one command that needs the table itself. */
static int complete(int argc, char **argv)
{
    return completion_command(commands, argc, argv);
}

const struct command commands[] = {
    {"agent", "fault scenarios on real processes, at any function", agent_command, NULL},
    {"attach", "give a running process to the agent of this host", attach_command, NULL},
    {"calibrate", "measure how late heartbeats are, propose eta and delta", calibrate_command, NULL},
    {"check", "list the MPI calls of a program that the layer does not carry", check_command, NULL},
    {"completion", "write a completion script for bash or zsh", complete, NULL},
    {"exec", "start a rank under the layer, in a launcher line of your own", exec_command, NULL},
    {"explore", "find the deaths that an MPI program does not survive", explore_command, NULL},
    {"fail", "fault scenarios: check, draw and step them", NULL, fail_commands},
    {"live", "start real processes with detectors, measure detection times", live_command, NULL},
    {"mpirun", "the same with the options of mpirun and mpiexec", mpirun_command, NULL},
    {"plan", "compute timeouts for a platform: delta, eta, bounds, risk", plan_command, NULL},
    {"run", "run an MPI job that survives rank failures; inject failures", run_command, NULL},
    {"sim", "run the protocols of the core on simulated platforms", NULL, sim_commands},
    {0},
};
