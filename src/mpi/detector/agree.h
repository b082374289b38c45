/* agree.h: between side.c and side_agree.c. */
#ifndef KNELL_MPI_DETECTOR_AGREE_H
#define KNELL_MPI_DETECTOR_AGREE_H

#include "mpi/detector/side.h"

struct knell_runtime *knell__side_runtime(void);
/* Is this process in a blocking agreement of this group and kind? With the runtime's lock held. */
bool knell__agree_waits(uint64_t group, enum knell_kind kind);

/* side_carry.c. begin and end are around what makes the runtime take a step for an agreement. */
knell_carry knell__carry;
void knell__carry_begin(void);
void knell__carry_end(void);
void knell__carry_serve(void); /* takes in one message, if one has come */

extern knell_combine *const knell__agree_folds[];
void knell__agree_decided(const struct knell_fact *fact);

#endif
