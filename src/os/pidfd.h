/* pidfd.h: a descriptor that stands for one process, whoever gets its number later. */
#ifndef KNELL_OS_PIDFD_H
#define KNELL_OS_PIDFD_H

#include <stdbool.h>
#include <sys/types.h>

/* It becomes readable when the process ends. Below zero: errno says why not, ESRCH if there is no such process. */
int knell__pidfd_open(pid_t pid);
bool knell__pidfd_has_ended(int fd);
void knell__pidfd_kill(int fd);

#endif
