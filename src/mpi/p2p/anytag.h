/* anytag.h: matching done by the layer: MPI_ANY_TAG on a communicator whose tags carry a stamp (docs/design/mpi.md, "The life of a
 * communicator").
 *
 * The MPI below knows no "any tag with this stamp". So what has come on the context is taken off it by matched probe, in order,
 * and set aside under its stamp. A receive that the layer matches (a *pick*) takes the first of its stamp that fits. Picks of
 * one communicator are served in the order they were posted; while one waits, every later receive of that communicator is a
 * pick too. What was set aside is found by every later receive and probe of its communicator, before what the MPI holds: it
 * came before. */
#ifndef KNELL_MPI_P2P_ANYTAG_H
#define KNELL_MPI_P2P_ANYTAG_H

#include "mpi/p2p/p2p.h"

struct pick {
    struct pick *next; /* of those that wait, in the order of posting */
    struct op op;      /* with whom it is matched, once that is known; the owner's alone */
    struct p2p_end from;
    void *buffer;
    int count;
    MPI_Datatype type;
    bool matched; /* from here on it is a native receive, by whichever thread; the rest is valid: */
    int sender;   /* as in struct op */
    MPI_Request request;
    int code; /* not MPI_SUCCESS: the MPI refused */
};

/* `pick` has op, from, buffer, count and type. It is matched natively if that will do. */
void pick_post(struct pick *pick);
/* Looks for a message. True: the pick is matched. */
bool pick_turn(struct pick *pick);
/* It waits no more. False: it is matched. */
bool pick_withdraw(struct pick *pick);

/* A native receive after all, when no pick waits and nothing set aside fits. False: a pick is needed. */
bool anytag_irecv(const struct pick *pick, MPI_Request *request, int *code);
/* A probe; `message` not NULL: a matched one. The status is native. */
int anytag_probe(struct comm *comm, const struct p2p_end *from, int *flag, MPI_Message *message, MPI_Status *status);

/* What was set aside from this sender with this native tag is thrown away: its sender gives it up. */
void anytag_discard(int source, int tag, MPI_Comm context);
/* The communicator is gone, and what was set aside for it. */
void anytag_forget(const struct comm *comm);

#endif
