/* clock.h: this host's clock. */
#ifndef KNELL_OS_CLOCK_H
#define KNELL_OS_CLOCK_H

#include <knell/types.h>

/* CLOCK_MONOTONIC: all processes of a host read the same. */
knell_time knell__clock_now(void);

/* The processor time that this process has used. */
knell_time knell__clock_used(void);

/* That of the calling thread alone. */
knell_time knell__clock_used_here(void);

#endif
