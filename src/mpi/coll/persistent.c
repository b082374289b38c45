/* persistent.c: persistent collectives (request/persistent.h): each start is the nonblocking call with the arguments that were given
 * once. Members may start several of them in different orders, so a start takes no number of the communicator's sequence: each has its own
 * from its initialisation on, which all members do in the same order. Its messages carry the same tag at every start, and arrive in
 * order. */
#include "mpi/request/persistent.h"
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"
#include "mpi/request/kept.h"

#include <stdlib.h>

struct again {
    struct persistent base;
    coll_step *step;
    struct coll *kept; /* only its arguments: a machine that never begins */
    uint32_t number;
};

static _Thread_local bool initialises __attribute__((tls_model("initial-exec")));

void coll_init_next(void)
{
    initialises = true;
}

bool coll_is_init(void)
{
    bool is = initialises;
    initialises = false;
    return is;
}

static int start(struct persistent *base)
{
    const struct again *again = (const struct again *)base;
    int code = coll_call_again(base->comm, again->step, &again->kept->kept, again->number, &base->active);
    if (code != MPI_SUCCESS)
        base->active = MPI_REQUEST_NULL;
    return error_raise(base->comm, code);
}

/* Datatypes and operations that the program freed meanwhile have been kept. */
static void release(struct persistent *base)
{
    struct again *again = (struct again *)base;
    free(again->kept);
    free(again);
    kept_end();
}

int coll_init(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    struct again *again = malloc(sizeof *again);
    struct coll *kept = coll_keep(comm, args);
    int code = again && kept ? native.send_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &again->base.handle)
                             : MPI_ERR_NO_MEM;
    uint32_t number = comm->persistent++; /* also when it fails here: the others count on */
    if (code != MPI_SUCCESS) {
        free(again);
        free(kept);
        return error_raise_unbegun(comm, code, request);
    }
    again->base.start = start;
    again->base.release = release;
    again->step = step;
    again->kept = kept;
    again->number = number;
    kept_begin();
    persistent_begin(&again->base, comm, request);
    return MPI_SUCCESS;
}
