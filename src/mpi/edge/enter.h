/* enter.h: the way of every call of the program into the layer and out of it, for the wrappers. */
#ifndef KNELL_MPI_EDGE_ENTER_H
#define KNELL_MPI_EDGE_ENTER_H

#include "mpi/base/layer.h"
#include "mpi/error/error.h"
#include "mpi/inject/flip.h"

/* `arguments`: those of the call, as far as they are numbers, handles or addresses (docs/scenarios.md: $argN). */
KNELL__RARE bool knell__enter_slowly(enum job_call call, const int64_t *arguments, unsigned count);
KNELL__RARE int knell__leave_slowly(enum job_call call, int code);
/* On the way out, and where a thread waits outside of wait.c. */
KNELL__RARE void knell__heed(void);

/* False: not the program's call, or not ours to treat. `slowly` is a call of knell__enter_slowly, made only when there is a reason: the
 * arguments of a call are gathered there. */
#define KNELL__ENTER(slowly) \
    (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0 && knell__guard == 0) || (slowly))

static inline int knell__leave(enum job_call call, int code)
{
    if (KNELL__RARELY(code != MPI_SUCCESS))
        knell__leave_failed(code);
    if (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0))
        return code;
    return knell__leave_slowly(call, code);
}

/* ---- the same for calls that send --------------------------------------------------- */

/* `buffer` is assigned to, not pointed at: it can stay in a register. */
#define KNELL__ENTER_SENDING(slowly, buffer, count, datatype) \
    KNELL__ENTER((slowly) && ((buffer) = knell__flip_payload(buffer, count, datatype), true))

static inline int knell__leave_sending(enum job_call call, int code, const MPI_Request *request)
{
    if (KNELL__RARELY(code != MPI_SUCCESS))
        knell__leave_failed(code);
    if (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0))
        return code;
    knell__flip_sent(code == MPI_SUCCESS ? request : NULL);
    return knell__leave_slowly(call, code);
}

/* ---- what is told of rare calls ------------------------------------------------------------------------------------------- */

/* When one began (0: nobody listens), and that it is through. */
int64_t knell__tell_begin(void);
void knell__tell_did(int call, MPI_Comm comm, int64_t began, int code);

#endif
