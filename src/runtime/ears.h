/* ears.h: what the detector's thread listens to while it sleeps. The kernel keeps the list, so that a sleep costs the same
 * however long it is; whoever closes a descriptor takes it off first, for a child of fork may hold it open. */
#ifndef KNELL_RUNTIME_EARS_H
#define KNELL_RUNTIME_EARS_H

#include <knell/types.h>
#include <stdbool.h>

enum { KNELL__HEARD_CONTROL = 1u, KNELL__HEARD_BEATS = 2u, KNELL__HEARD_END = 4u, KNELL__HEARD_WISH = 8u };

int knell__ears_open(void); /* a descriptor; -1: errno says why */
bool knell__ears_add(int ears, int fd, unsigned heard);
void knell__ears_remove(int ears, int fd);

/* Until one of them can be read, or the time is there; returns which. */
unsigned knell__ears_wait(int ears, knell_time deadline);

#endif
