/* flip.h: silent faults: a message with wrong bits (docs/use/scenarios.md, `flip`). What a scenario orders while the rank is held
 * before a call that sends is done to a copy, and the copy is sent. The program's buffer is never touched. */
#ifndef KNELL_MPI_INJECT_FLIP_H
#define KNELL_MPI_INJECT_FLIP_H

#include "mpi/base/layer.h"

#include <knell/fail.h>

/* For the call that this thread is about to make. */
void flip_order(enum job_call call, const struct knell_fail_flip *order, unsigned count);

/* The scenario wants to hear of it when this thread's call turns out to send something: inject_message. */
void flip_expect(enum job_call call);

/* The call is through and has sent nothing: says so if there was an order. */
void flip_unused(void);

/* What to send instead of `buffer`: a copy with wrong bits, or `buffer` itself. */
const void *flip_payload(const void *buffer, int count, MPI_Datatype datatype);

/* Puts the wrong bits into a copy that is made in any case. */
void flip_packed(void *bytes, int size);

/* The call is through: the copy is forgotten, with a request when that is done. `request` NULL: a blocking call, or one that
 * failed. */
void flip_sent(const MPI_Request *request);

/* For coll/flip.c. Room for a copy until flip_sent; NULL: there is no order, or no memory. */
void *flip_room(size_t size);
/* Puts the bits that are ordered into what is in there; false: they turned out to be none. */
bool flip_bits(void *bytes, int size);

#endif
