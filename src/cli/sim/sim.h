/* sim.h: the commands below `knell sim`. Each returns the exit status. */
#ifndef KNELL_CLI_SIM_SIM_H
#define KNELL_CLI_SIM_SIM_H

int sim_agree_command(int argc, char **argv);
int sim_broadcast_command(int argc, char **argv);
int sim_check_command(int argc, char **argv);
int sim_figures_command(int argc, char **argv);
int sim_ping_command(int argc, char **argv);
int sim_ring_command(int argc, char **argv);
int sim_swim_command(int argc, char **argv);

#endif
