/* flip.h: silent faults: a message with wrong bits (docs/scenarios.md, `flip`). What a scenario orders while the rank is held
 * before a call that sends is done to a copy, and the copy is sent. The program's buffer is never touched. */
#ifndef KNELL_MPI_INJECT_FLIP_H
#define KNELL_MPI_INJECT_FLIP_H

#include "mpi/base/layer.h"

#include <knell/fail.h>

/* For the call that this thread is about to make. */
void knell__flip_order(enum job_call call, const struct knell_fail_flip *order, unsigned count);

/* The scenario wants to hear of it when this thread's call turns out to send something: knell__inject_message. */
void knell__flip_expect(enum job_call call);

/* The call is through and has sent nothing: says so if there was an order. */
void knell__flip_unused(void);

/* What to send instead of `buffer`: a copy with wrong bits, or `buffer` itself. */
const void *knell__flip_payload(const void *buffer, int count, MPI_Datatype datatype);

/* Puts the wrong bits into a copy that is made in any case. */
void knell__flip_packed(void *bytes, int size);

/* The call is through: the copy is forgotten, with a request when that is done. `request` NULL: a blocking call, or one that
 * failed. */
void knell__flip_sent(const MPI_Request *request);

/* For coll/flip.c. Room for a copy until knell__flip_sent; NULL: there is no order, or no memory. */
void *knell__flip_room(size_t size);
/* Puts the bits that are ordered into what is in there; false: they turned out to be none. */
bool knell__flip_bits(void *bytes, int size);

#endif
