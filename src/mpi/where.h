/* where.h: which MPI call a thread is inside of, asked from outside. Calls leave no trace on their way in (the fast path), so
 * the stack is looked at. To do that takes locks of the C library's, which a signal handler must not: so the handler asks, by
 * attention, and a thread that waits inside a call or comes to the next one looks at its own stack. */
#ifndef KNELL_MPI_WHERE_H
#define KNELL_MPI_WHERE_H

/* At MPI_Init, under `knell run`: answers the signal KNELL__ASK_WHERE by KNELL__WORD_INSIDE. */
void knell__where_listen(void);

/* In a thread that is inside a call, when attention says ASKED. */
void knell__where_answer(void);

#endif
