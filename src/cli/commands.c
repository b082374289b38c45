/* commands.c: see commands.h. */
#include "cli/commands.h"
#include "cli/calibrate/calibrate.h"
#include "cli/completion/completion.h"
#include "cli/fail/fail.h"
#include "cli/live/live.h"
#include "cli/plan/plan.h"
#include "cli/run/run.h"
#include "cli/sim/sim.h"

#include <stddef.h>

static const struct command fail_commands[] = {
    {"check", "is a fault scenario right?", fail_check_command, NULL},
    {"graph", "draw the automata of a scenario", fail_graph_command, NULL},
    {"run", "step a scenario and print what fires", fail_run_command, NULL},
    {0},
};

static const struct command sim_commands[] = {
    {"ring", "nodes die: how long until everybody knows", sim_ring_command, NULL},
    {"broadcast", "one reliable broadcast with dead nodes in its way", sim_broadcast_command, NULL},
    {"agree", "one agreement with nodes crashing meanwhile", sim_agree_command, NULL},
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
    {"calibrate", "how late heartbeats are here: eta and delta for a risk", calibrate_command, NULL},
    {"completion", "what bash or zsh needs to complete these words", complete, NULL},
    {"fail", "fault scenarios: check, draw and step them", NULL, fail_commands},
    {"live", "real processes with detectors on this host: who knows when", live_command, NULL},
    {"plan", "timeouts for a platform: delta, eta, bounds and risk", plan_command, NULL},
    {"run", "an MPI job that survives the death of ranks; and deaths", run_command, NULL},
    {"sim", "run the protocols of the core on simulated platforms", NULL, sim_commands},
    {0},
};
