/* enter.h: the way of every call of the program into the layer and out of it, for the wrappers. */
#ifndef KNELL_MPI_EDGE_ENTER_H
#define KNELL_MPI_EDGE_ENTER_H

#include "mpi/base/layer.h"
#include "mpi/error/error.h"
#include "mpi/inject/flip.h"

/* `arguments`: those of the call, as far as they are numbers, handles or addresses (docs/use/scenarios.md: $argN). `from`: where the
 * program made the call; NULL: unknown. */
RARE bool enter_slowly(enum job_call call, const int64_t *arguments, unsigned count, const void *from);
RARE int leave_slowly(enum job_call call, int code);
/* On the way out, and where a thread waits outside of wait.c. */
RARE void enter_heed(void);

/* False: not the program's call, or not ours to treat. `slowly` is a call of enter_slowly, made only when there is a reason: the
 * arguments of a call are gathered there. */
#define ENTER(slowly) \
    (LIKELY(atomic_load_explicit(&layer_attention, memory_order_relaxed) == 0 && layer_guard == 0) || (slowly))

static inline int leave(enum job_call call, int code)
{
    if (RARELY(code != MPI_SUCCESS))
        error_leave(code);
    if (LIKELY(atomic_load_explicit(&layer_attention, memory_order_relaxed) == 0))
        return code;
    return leave_slowly(call, code);
}

/* ---- the same for calls that send --------------------------------------------------- */

/* `buffer` is assigned to, not pointed at: it can stay in a register. */
#define ENTER_SENDING(slowly, buffer, count, datatype) \
    ENTER((slowly) && ((buffer) = flip_payload(buffer, count, datatype), true))

static inline int leave_sending(enum job_call call, int code, const MPI_Request *request)
{
    if (RARELY(code != MPI_SUCCESS))
        error_leave(code);
    if (LIKELY(atomic_load_explicit(&layer_attention, memory_order_relaxed) == 0))
        return code;
    flip_sent(code == MPI_SUCCESS ? request : NULL);
    return leave_slowly(call, code);
}

/* ---- what is told of rare calls ------------------------------------------------------------------------------------------- */

/* When one began (0: nobody listens), and that it is through. */
int64_t enter_tell_begin(void);
void enter_tell_did(int call, MPI_Comm comm, int64_t began, int code);

#endif
