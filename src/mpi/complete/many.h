/* many.h: what MPI_Waitall, MPI_Testany, MPI_Waitsome and the like have in common.
 *
 * MPI_Waitall completes one after the other. The others ask the native Testall, Testany and Testsome, which look at the whole
 * array: the tokens of tasks are native requests and complete with them. What the layer knows of a request is asked only when
 * it completes, and of all of them when the epoch has moved; with threads, of all of them at first. */
#ifndef KNELL_MPI_COMPLETE_MANY_H
#define KNELL_MPI_COMPLETE_MANY_H

#include "mpi/complete/complete.h"

enum { MANY_FEW = 32 };

/* In the place of a persistent request is, while the call lasts, what it has begun; MPI_REQUEST_NULL: nothing (persistent.h). */
struct persistent;

/* The array as it was: a native call that completes a request overwrites its handle. */
struct many {
    int count;
    MPI_Request *request; /* the program's */
    MPI_Request *before;
    struct persistent **persistent; /* those in the place of which something else is; NULL: none */
    struct request *known;          /* with threads: got before the MPI below completes any (request.h); else NULL */
    uint32_t epoch;
    bool look; /* failures may concern some of them */
    int done;  /* MPI_Waitall: so many are through, in order */
    int stays; /* a receive from any source for which the call ends, without it; -1: none */
    /* Of the first request that failed: what its communicator's handler hears; the call itself says MPI_ERR_IN_STATUS. */
    struct comm *blamed;
    int blamed_code;
    MPI_Request few[MANY_FEW];
    struct persistent *few_persistent[MANY_FEW];
};

void many_begin(struct many *many, int count, MPI_Request *request);
void many_end(struct many *many);

/* Has anything happened that the requests have not been looked at for? */
bool many_look(struct many *many);
/* What failures mean for request `i`: MPI_SUCCESS also when it is null, or not ours. */
int many_trouble(const struct many *many, int i, struct request *known);

/* Request `i` is complete natively, with `code`: its code as the program knows it. */
int many_complete(struct many *many, int i, MPI_Status *status, int code);
/* Ends the failed request `i`, unless it is to stay pending. The same; MPI_SUCCESS: it had completed after all. */
int many_give_up(struct many *many, int i, int trouble, const struct request *known, MPI_Status *status);
/* Likewise, but the program is not told yet: what is known now waits behind the handle. Returns the code. */
int many_settle(struct many *many, int i, int trouble, const struct request *known);

/* A turn of waiting for them; what is said to be waited for is the first that is not complete. */
RARE void many_heed(unsigned turns, const struct many *many);
static inline void many_idle(unsigned *turns, const struct many *many)
{
    if (wait_idle_turn(turns))
        many_heed(*turns, many);
}

/* Room for `count` statuses: `few`, or from malloc. */
MPI_Status *many_statuses(int count, MPI_Status few[MANY_FEW]);

void many_blame(struct many *many, struct comm *comm, int code);
/* The end of the call: raises what the first one failed by, once, and returns the code of the call. */
static inline int many_leave(struct many *many, int code)
{
    struct comm *blamed = many->blamed;
    int blamed_code = many->blamed_code;
    many_end(many);
    if (RARELY(blamed != NULL))
        error_raise(blamed, blamed_code);
    return code;
}

static inline MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* The code of one among several: in its status, if the program wants statuses; then that of the call. */
static inline int status_note(MPI_Status *status, int one, int code)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = one;
    return one == MPI_SUCCESS ? code : MPI_ERR_IN_STATUS;
}

#endif
