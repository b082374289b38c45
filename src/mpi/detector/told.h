/* told.h: deaths that others know of: the supervisor of a rank saw it end and nobody else on its host could; a resource manager gave a host
 * up. `knell run` passes them on (src/cli/run/told.c), between hosts only: on one host the kernel tells everybody. */
#ifndef KNELL_MPI_DETECTOR_TOLD_H
#define KNELL_MPI_DETECTOR_TOLD_H

/* When the detector runs. Without such a source it does nothing. */
void told_listen(void);
/* Before the detector is stopped; it is told nothing after. */
void told_stop(void);

#endif
