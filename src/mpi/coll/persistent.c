/* persistent.c: persistent collectives (request/persistent.h): each start is the nonblocking call with the arguments that were given
 * once. Members may start several of them in different orders, so a start takes no number of the communicator's sequence: each has its own
 * from its initialisation on, which all members do in the same order. Its messages carry the same tag at every start, and arrive in
 * order. */
#include "mpi/request/persistent.h"
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"
#include "mpi/request/kept.h"

#include <stddef.h>
#include <stdlib.h>

struct again {
    struct persistent base;
    struct kept_user user;
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

/* ---- what it uses: the program may free that before --------------------------------------------------------------------------- */

static const struct again *of_user(const struct kept_user *user)
{
    return (const struct again *)((const char *)user - offsetof(struct again, user));
}

static bool is_among(MPI_Datatype type, const MPI_Datatype *types, int count)
{
    for (int i = 0; types && i < count; i++)
        if (types[i] == type)
            return true;
    return false;
}

/* Handles that mean nothing here may be anything: they are compared, and nothing else. */
static bool uses_type(const struct kept_user *user, MPI_Datatype type)
{
    const struct again *again = of_user(user);
    const struct coll_args *args = &again->kept->kept;
    const struct coll_arrays *arrays = args->by_rank;
    if (type == args->send_type || type == args->recv_type)
        return true;
    return arrays && (is_among(type, arrays->send_types, coll_sends(args, again->base.comm)) ||
                      is_among(type, arrays->recv_types, coll_recvs(args, again->base.comm)));
}

static bool uses_op(const struct kept_user *user, MPI_Op op)
{
    return op == of_user(user)->kept->kept.op;
}

static void release(struct persistent *base)
{
    struct again *again = (struct again *)base;
    kept_use_no_more(&again->user);
    free(again->kept);
    free(again);
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

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
    again->user = (struct kept_user){.uses_type = uses_type, .uses_op = uses_op};
    kept_use(&again->user);
    persistent_begin(&again->base, comm, request);
    return MPI_SUCCESS;
}
