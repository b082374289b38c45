/* drain.h: sends that are given up though their receiver is there (docs/design/mpi.md, rule 6).
 *
 * The MPI below reads the buffer of a large send when the receiver takes it. On a revoked communicator, or in a collective that
 * has failed, the receiver never will. So the sender asks it to, by a notice. The receiver, wherever in MPI it waits, takes
 * what has come from this sender with this very tag on this context and throws it away, until it is told that the send is over.
 * Nobody loses what he may still want: the receiver of such a message is bound to fail too, and tags are never used again
 * (context.h). A message of a collective is thrown away only by a member that is out of it: the others may still receive it.
 *
 * A ghost does what the others ask for as long as it serves anything. */
#ifndef KNELL_MPI_ABANDON_DRAIN_H
#define KNELL_MPI_ABANDON_DRAIN_H

#include "mpi/abandon/notice.h"

#include <mpi.h>
#include <stdbool.h>

/* `process` shall take what this one has sent it, from the asking to the end. Never block. */
void drain_ask(int process, MPI_Comm context, int tag);
void drain_end(int process, MPI_Comm context, int tag);

/* Another process asks, or ends its asking. */
void drain_heard(int source, const struct notice *notice);

/* Registered once, at MPI_Init: a function that throws away what it has set aside from this sender with this native tag, */
void drain_also(void (*discard)(int source, int tag, MPI_Comm context));
/* and the one that says whether a message with this tag on the wire may be thrown away. */
void drain_if(bool (*may_discard)(int tag));

/* Hears notices and does what others have asked for. True: something is under way. Called by all waiters once there was trouble. */
bool drain_turn(void);

#endif
