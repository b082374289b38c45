/* sim.h: the commands below `knell sim`. Each returns the exit status. */
#ifndef KNELL_CLI_SIM_SIM_H
#define KNELL_CLI_SIM_SIM_H

int knell__command_sim_agree(int argc, char **argv);
int knell__command_sim_broadcast(int argc, char **argv);
int knell__command_sim_check(int argc, char **argv);
int knell__command_sim_figures(int argc, char **argv);
int knell__command_sim_ping(int argc, char **argv);
int knell__command_sim_ring(int argc, char **argv);
int knell__command_sim_swim(int argc, char **argv);

#endif
