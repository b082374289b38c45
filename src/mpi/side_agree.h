/* side_agree.h: between side.c and side_agree.c. */
#ifndef KNELL_MPI_SIDE_AGREE_H
#define KNELL_MPI_SIDE_AGREE_H

#include "mpi/side.h"

struct knell_runtime *knell__side_runtime(void);
extern knell_combine *const knell__agree_folds[];
void knell__agree_decided(const struct knell_fact *fact);

#endif
