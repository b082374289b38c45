/* flip.h: silent faults: a message with wrong bits (docs/scenarios.md, `flip`). What a scenario orders while the rank is held
 * before a call that sends is done to a copy, and the copy is sent. The program's buffer is never touched. */
#ifndef KNELL_MPI_FLIP_H
#define KNELL_MPI_FLIP_H

#include "mpi/layer.h"

#include <knell/fail.h>

/* For the call that this thread is about to make. */
void knell__flip_order(const struct knell_fail_flip *order, unsigned count);

/* The call is through and has sent nothing: says so if there was an order. */
void knell__flip_unused(enum knell__call call);

/* What to send instead of `buffer`: a copy with wrong bits, or `buffer` itself. */
const void *knell__flip_payload(enum knell__call call, const void *buffer, int count, MPI_Datatype datatype);

/* The call is through: the copy is forgotten, with a request when that is done. `request` NULL: a blocking call, or one that
 * failed. */
void knell__flip_sent(const MPI_Request *request);

/* ---- for the wrappers of calls that send: as knell__enter and knell__leave --------------------------------------------------- */

static inline bool knell__enter_sending(enum knell__call call, const void **buffer, int count, MPI_Datatype datatype)
{
    if (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0 && knell__guard == 0))
        return true;
    if (!knell__enter_slowly(call))
        return false;
    *buffer = knell__flip_payload(call, *buffer, count, datatype);
    return true;
}

static inline int knell__leave_sending(enum knell__call call, int code, const MPI_Request *request)
{
    if (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0))
        return code;
    knell__flip_sent(code == MPI_SUCCESS ? request : NULL);
    return knell__leave_slowly(call, code);
}

#endif
