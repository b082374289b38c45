/* ready.c: the MPI's own calls, found once. */
#include "mpi/native/native.h"
#include "mpi/native/tune.h"

/* Constructors of other libraries come first: that of Open MPI's C++ library asks MPI_Initialized. */
__attribute__((constructor)) void knell__native_ready(void)
{
    if (knell__native.initialized)
        return;
    knell__native_find();
    knell__native_tune();
}
