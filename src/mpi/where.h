/* where.h: which MPI call a thread is inside of, asked from outside. Calls leave no trace on their way in (the fast path), so
 * the stack is looked at. */
#ifndef KNELL_MPI_WHERE_H
#define KNELL_MPI_WHERE_H

/* At MPI_Init, under `knell run`: answers the signal KNELL__ASK_WHERE by KNELL__WORD_INSIDE. */
void knell__where_listen(void);

#endif
