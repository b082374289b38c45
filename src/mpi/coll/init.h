/* init.h: MPI_Bcast_init and its kin are made of the nonblocking calls: what coll_call would start becomes a persistent request. Open MPI 4
 * has them as MPIX_, MPI 4 without the X. */
#ifndef KNELL_MPI_COLL_INIT_H
#define KNELL_MPI_COLL_INIT_H

#include "mpi/coll/coll.h"

#if MPI_VERSION >= 4
#define COLL_INIT_ALIAS(name, parameters) int mpi_##name parameters __attribute__((alias("mpi_x_" #name)));
#else
#define COLL_INIT_ALIAS(name, parameters)
#endif

/* One that has one name only. */
#define COLL_INIT_ONE(name, parameters, call) \
    int mpi_##name parameters                 \
    {                                         \
        (void)info;                           \
        coll_init_next();                     \
        return call;                          \
    }

#define COLL_INIT(name, parameters, call)     \
    COLL_INIT_ONE(x_##name, parameters, call) \
    COLL_INIT_ALIAS(name, parameters)

#endif
