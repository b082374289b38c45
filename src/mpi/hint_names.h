/* hint_names.h: the names of the hints on communicators that the layer knows (comm_hints.h), for it and for `knell run --info`. */
#ifndef KNELL_MPI_HINT_NAMES_H
#define KNELL_MPI_HINT_NAMES_H

#define KNELL__HINT_UNIFORM "mpi_error_uniform"
#define KNELL__HINT_RANGE "mpi_error_range"

/* In the order of enum knell__uniform and enum knell__range. */
#define KNELL__HINT_UNIFORM_VALUES "local", "create", "coll"
#define KNELL__HINT_RANGE_VALUES "local", "group", "universe"

/* Another name of "create". */
#define KNELL__HINT_CONSTRUCT "construct"

#endif
