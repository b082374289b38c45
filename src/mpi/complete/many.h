/* many.h: what MPI_Waitall, MPI_Testany, MPI_Waitsome and the like have in common.
 *
 * MPI_Waitall completes one after the other. The others ask the native Testall, Testany and Testsome, which look at the whole
 * array: the tokens of tasks are native requests and complete with them. What the layer knows of a request is asked only when
 * it completes, and of all of them when the epoch has moved; with threads, of all of them at first. */
#ifndef KNELL_MPI_COMPLETE_MANY_H
#define KNELL_MPI_COMPLETE_MANY_H

#include "mpi/complete/complete.h"

enum { KNELL__MANY_FEW = 32 };

/* The array as it was: a native call that completes a request overwrites its handle. */
struct knell__many {
    int count;
    MPI_Request *request; /* the program's */
    MPI_Request *before;
    struct knell__request *known; /* with threads: got before the MPI below completes any (request.h); else NULL */
    uint32_t epoch;
    bool look; /* failures may concern some of them */
    int done;  /* MPI_Waitall: so many are through, in order */
    int stays; /* a receive from any source for which the call ends, without it; -1: none */
    /* Of the first request that failed: what its communicator's handler hears; the call itself says MPI_ERR_IN_STATUS. */
    struct knell__comm *blamed;
    int blamed_code;
    MPI_Request few[KNELL__MANY_FEW];
};

void knell__many_begin(struct knell__many *many, int count, MPI_Request *request);
void knell__many_end(struct knell__many *many);

/* Has anything happened that the requests have not been looked at for? */
bool knell__many_look(struct knell__many *many);
/* What failures mean for request `i`: MPI_SUCCESS also when it is null, or not ours. */
int knell__many_trouble(const struct knell__many *many, int i, struct knell__request *known);

/* Request `i` is complete natively, with `code`: its code as the program knows it. */
int knell__many_complete(struct knell__many *many, int i, MPI_Status *status, int code);
/* Ends the failed request `i`, unless it is to stay pending. The same; MPI_SUCCESS: it had completed after all. */
int knell__many_give_up(struct knell__many *many, int i, int trouble, const struct knell__request *known,
                        MPI_Status *status);
/* Likewise, but the program is not told yet: what is known now waits behind the handle. Returns the code. */
int knell__many_settle(struct knell__many *many, int i, int trouble, const struct knell__request *known);

/* A turn of waiting for them; what is said to be waited for is the first that is not complete. */
KNELL__RARE void knell__many_heed(unsigned turns, const struct knell__many *many);
static inline void knell__many_idle(unsigned *turns, const struct knell__many *many)
{
    if (knell__idle_turn(turns))
        knell__many_heed(*turns, many);
}

/* Room for `count` statuses: `few`, or from malloc. */
MPI_Status *knell__many_statuses(int count, MPI_Status few[KNELL__MANY_FEW]);

void knell__many_blame(struct knell__many *many, struct knell__comm *comm, int code);
/* The end of the call: raises what the first one failed by, once, and returns the code of the call. */
static inline int knell__many_leave(struct knell__many *many, int code)
{
    struct knell__comm *blamed = many->blamed;
    int blamed_code = many->blamed_code;
    knell__many_end(many);
    if (KNELL__RARELY(blamed != NULL))
        knell__raise(blamed, blamed_code);
    return code;
}

static inline MPI_Status *knell__status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* The code of one among several: in its status, if the program wants statuses; then that of the call. */
static inline int knell__status_note(MPI_Status *status, int one, int code)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = one;
    return one == MPI_SUCCESS ? code : MPI_ERR_IN_STATUS;
}

#endif
