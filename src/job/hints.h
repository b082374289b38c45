/* hints.h: the names of the hints on communicators that the layer knows (comm_hints.h), for it and for `knell run --info`. */
#ifndef KNELL_JOB_HINTS_H
#define KNELL_JOB_HINTS_H

#define JOB_HINT_UNIFORM "mpi_error_uniform"
#define JOB_HINT_RANGE "mpi_error_range"

/* In the order of enum knell__uniform and enum knell__range. */
#define JOB_HINT_UNIFORM_VALUES "local", "create", "coll"
#define JOB_HINT_RANGE_VALUES "local", "group", "universe"

/* Another name of "create". */
#define JOB_HINT_CONSTRUCT "construct"

#endif
