/* agree.h: between side.c and agree.c. */
#ifndef KNELL_MPI_DETECTOR_AGREE_H
#define KNELL_MPI_DETECTOR_AGREE_H

#include "mpi/detector/side.h"

struct knell_runtime *side_runtime(void);
/* Is this process in a blocking agreement of this group and kind? With the runtime's lock held. */
bool agree_waits(uint64_t group, enum knell_kind kind);

/* carry.c. begin and end are around what makes the runtime take a step for an agreement. */
knell_carry carry_hand_over;
void carry_begin(void);
void carry_end(void);
void carry_serve(void); /* takes in one message, if one has come */

extern knell_combine *const agree_folds[];
void agree_decided(const struct knell_fact *fact);

#endif
