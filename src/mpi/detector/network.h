/* network.h: the address of this process on the job's network. The rendezvous listens there, and the detector hears its datagrams
 * there; nothing listens anywhere else. */
#ifndef KNELL_MPI_DETECTOR_NETWORK_H
#define KNELL_MPI_DETECTOR_NETWORK_H

#include "runtime/address.h"

#include <stdbool.h>

/* KNELL_ADDRESS; if that is not set, the loopback when all ranks share it; otherwise an address of KNELL_INTERFACE; otherwise the one from which
 * the way to `towards` begins, where rank 0 waits; otherwise (rank 0 itself) one of the interface that the default route takes, or of the
 * first that has one. Ends the job with a word that names the setting when there is none. */
void network_find(bool one_host, const struct knell__address *towards, struct knell__address *found);

#endif
