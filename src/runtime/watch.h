/* watch.h: the kernel's word on one other process of this host: a pidfd.
 *
 * One descriptor whatever the number of processes: each watches the one before it on this host, and the next one before
 * when that has ended. Through the same descriptor a process that is held for dead is killed, which cannot hit another
 * that got its number. */
#ifndef KNELL_RUNTIME_WATCH_H
#define KNELL_RUNTIME_WATCH_H

#include "os/pidfd.h"

#include <knell/types.h>
#include <stdbool.h>
#include <sys/types.h>

/* A process as its birth certificate: numbers are given anew, start times with them are not. */
struct knell__process {
    pid_t pid;
    uint64_t started; /* by /proc/PID/stat; 0: not known, the number alone is believed */
};

struct knell__process knell__process_self(void);

/* Why a thread of it may be silent, by the kernel. `thread` 0: its first. */
enum knell__silence {
    KNELL__SILENCE_STOPPED, /* by a signal; or it has ended, or is not known */
    KNELL__SILENCE_STARVED, /* it could run if it were let */
    KNELL__SILENCE_TRACED,  /* a debugger has stopped it */
};
enum knell__silence knell__process_silence(const struct knell__process *process, uint32_t thread);

/* A pidfd, of os/pidfd.h. -1: it has ended already; -2: the system refuses. */
int knell__watch_open(const struct knell__process *process);

#endif
