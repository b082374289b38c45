/* host.h: which host this process is on, as an id that processes of other hosts do not have. */
#ifndef KNELL_RUNTIME_HOST_H
#define KNELL_RUNTIME_HOST_H

#include <stdint.h>

enum { KNELL__HOST_ID = 16 };

/* Processes with the same id share kernel, process numbers and clock. `name`: what the program says instead, or NULL. */
void knell__host_id(const char *name, uint8_t id[KNELL__HOST_ID]);

/* Processes with the same id share their network interfaces, the loopback too. */
void knell__host_network(uint8_t id[KNELL__HOST_ID]);

/* Processes with the same id share a kernel, and with it processors: those of containers on one machine do. */
void knell__host_machine(uint8_t id[KNELL__HOST_ID]);

#endif
