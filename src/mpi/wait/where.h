/* where.h: which MPI call a thread is inside of, and what it waits for, asked from outside. Calls leave no trace on their way in (the
 * fast path), so the stack is looked at. To do that takes locks of the C library's, which a signal handler must not: so the handler asks,
 * by attention, and a thread that waits inside a call or leaves one looks at its own stack. Where it waits it is known what for.
 *
 * Who waits for long says so unasked, on the desk (report.h): `knell run` sees by that when nothing moves any more. */
#ifndef KNELL_MPI_WAIT_WHERE_H
#define KNELL_MPI_WAIT_WHERE_H

#include "mpi/request/request.h"

#include <stddef.h>

/* What a thread waits for. */
struct where_aim {
    const struct comm *comm; /* NULL: no communicator's business */
    int peer;                /* as in struct op */
    enum request_kind kind;
};

/* At MPI_Init, under `knell run`: answers the signal JOB_ASK_WHERE by JOB_WORD_INSIDE. */
void where_listen(void);

/* In a thread that is inside a call, when attention says ASKED. NULL: it does not wait. */
void where_answer(const struct where_aim *aim);

/* In a thread that waits, now and then: this is its turn `turns` of one wait. */
void where_waits(unsigned turns, const struct where_aim *aim);

/* "MPI_Recv from rank 2 of MPI_COMM_WORLD" (where_words.c). */
void where_write(enum job_call call, const struct where_aim *aim, char *text, size_t size);

#endif
