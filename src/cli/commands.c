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

static const struct knell_command fail_commands[] = {
    {"check", "is a fault scenario right?", knell__command_fail_check, NULL},
    {"graph", "draw the automata of a scenario", knell__command_fail_graph, NULL},
    {"run", "step a scenario and print what fires", knell__command_fail_run, NULL},
    {0},
};

static const struct knell_command sim_commands[] = {
    {"ring", "nodes die: how long until everybody knows", knell__command_sim_ring, NULL},
    {"broadcast", "one reliable broadcast with dead nodes in its way", knell__command_sim_broadcast, NULL},
    {"agree", "one agreement with nodes crashing meanwhile", knell__command_sim_agree, NULL},
    {"check", "every property, on many small random worlds", knell__command_sim_check, NULL},
    {"figures", "figures 3 to 7 of the detector paper, as CSV and SVG", knell__command_sim_figures, NULL},
    {"ping", "randomized pinging, for comparison", knell__command_sim_ping, NULL},
    {"swim", "SWIM: probes, gossip, suspicion; for comparison", knell__command_sim_swim, NULL},
    {0},
};

/* The one command that needs the table itself. */
static int complete(int argc, char **argv)
{
    return knell__command_completion(knell__commands, argc, argv);
}

const struct knell_command knell__commands[] = {
    {"calibrate", "how late heartbeats are here: eta and delta for a risk", knell__command_calibrate, NULL},
    {"completion", "what bash or zsh needs to complete these words", complete, NULL},
    {"fail", "fault scenarios: check, draw and step them", NULL, fail_commands},
    {"live", "real processes with detectors on this host: who knows when", knell__command_live, NULL},
    {"plan", "timeouts for a platform: delta, eta, bounds and risk", knell__command_plan, NULL},
    {"run", "an MPI job that survives the death of ranks; and deaths", knell__command_run, NULL},
    {"sim", "run the protocols of the core on simulated platforms", NULL, sim_commands},
    {0},
};
