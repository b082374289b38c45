/* mpi-ext.h: what ULFM programs include. The MPI's own first, if it has one, then ours. */
#ifndef KNELL_MPI_EXT_H
#define KNELL_MPI_EXT_H

#include <mpi.h>
#if defined(__has_include_next)
#if __has_include_next(<mpi-ext.h>)
#include_next <mpi-ext.h>
#endif
#endif
#include <knell/mpix.h>

#endif
