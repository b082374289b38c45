/* ready.c: the MPI's own calls, found once. */
#include "mpi/native/native.h"
#include "mpi/native/tune.h"

/* Constructors of other libraries come first: that of Open MPI's C++ library asks MPI_Initialized. */
__attribute__((constructor)) void native_ready(void)
{
    if (native.initialized)
        return;
    native_find();
    native_tune();
}
