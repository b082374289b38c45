/* stuck.h: a process whose MPI does not come back any more (docs/mpi.md, "Transports that survive a death").
 *
 * Queues in shared memory may be left broken by who is killed while it writes there; their reader then spins inside the MPI for ever,
 * where the layer cannot reach it. Everybody who waits for it would wait for ever too. So it ends: one more death, and no hang. */
#ifndef KNELL_MPI_STUCK_H
#define KNELL_MPI_STUCK_H

/* From here on the layer knows who is in a call of the MPI below that must come back at once. */
void knell__stuck_mark(void);
/* Somebody has died in earnest: from here on a thread of the layer looks whether they do. */
void knell__stuck_watch(void);

#endif
