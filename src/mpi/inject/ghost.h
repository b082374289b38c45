/* ghost.h: death without dying. The process leaves the program for good, has itself declared dead, answers nothing, and keeps
 * the MPI below going until the job ends: so a death at any point of any call can be had on any MPI. */
#ifndef KNELL_MPI_INJECT_GHOST_H
#define KNELL_MPI_INJECT_GHOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a process dies when it is told to: a ghost (self.ghosts), else SIGKILL. */
_Noreturn void ghost_die_now(void);

/* From now on this process dies when *halt is not 0 (a futex): `knell run` says so at any time. */
void ghost_listen(_Atomic uint32_t *halt);

/* For threads of a ghost that come to an MPI call: they stay there. */
_Noreturn void ghost_park(void);

/* MPI_Finalize, before the last agreement: from here on this process is no ghost and will not be one. */
void ghost_leave(void);

bool ghost_has_left(void);

/* MPI_Finalize of the living, after their last agreement: the ghosts are told to end. */
void ghost_release_all(void);

#endif
