/* call.c: the edge of collectives: from the program's call to a machine; a nonblocking one has copies of the program's arrays. */
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"
#include "mpi/inject/flip.h"
#include "mpi/report/tell.h"
#include "mpi/request/kept.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a nonblocking one has to itself ------------------------------------------------------------------------------------------ */

/* The arrays that mean something to this member: others need not be there. */
static struct coll_arrays arrays_of(const struct comm *comm, const struct coll_args *args)
{
    struct coll_arrays arrays = args->by_rank ? *args->by_rank : (struct coll_arrays){0};
    if (arrays.at_root && !comm_is_root(comm, args->root))
        return (struct coll_arrays){.at_root = true};
    if (args->send == MPI_IN_PLACE) {
        arrays.send_counts = arrays.send_displs = NULL;
        arrays.send_types = NULL;
    }
    return arrays;
}

static size_t bytes_each(const int *counts, const int *displs, const MPI_Aint *bytes, const MPI_Datatype *types)
{
    return (counts != NULL) * sizeof *counts + (displs != NULL) * sizeof *displs + (bytes != NULL) * sizeof *bytes +
           (types != NULL) * sizeof *types;
}

static size_t bytes_of(const struct coll_arrays *a, size_t sends, size_t recvs)
{
    return sends * bytes_each(a->send_counts, a->send_displs, a->send_bytes, a->send_types) +
           recvs * bytes_each(a->recv_counts, a->recv_displs, a->recv_bytes, a->recv_types);
}

/* NULL stays. */
static void *copy(const void *array, size_t bytes, char **room)
{
    if (!array)
        return NULL;
    char *made = *room;
    *room += bytes;
    return memcpy(made, array, bytes);
}

/* The widest first: they want their alignment, and datatypes may be pointers. */
static struct coll_arrays copies_of(const struct coll_arrays *from, size_t sends, size_t recvs, char *room)
{
    struct coll_arrays to = *from;
    to.send_bytes = copy(from->send_bytes, sends * sizeof *to.send_bytes, &room);
    to.recv_bytes = copy(from->recv_bytes, recvs * sizeof *to.recv_bytes, &room);
    to.send_types = copy(from->send_types, sends * sizeof *to.send_types, &room);
    to.recv_types = copy(from->recv_types, recvs * sizeof *to.recv_types, &room);
    to.send_counts = copy(from->send_counts, sends * sizeof *to.send_counts, &room);
    to.recv_counts = copy(from->recv_counts, recvs * sizeof *to.recv_counts, &room);
    to.send_displs = copy(from->send_displs, sends * sizeof *to.send_displs, &room);
    to.recv_displs = copy(from->recv_displs, recvs * sizeof *to.recv_displs, &room);
    return to;
}

/* A machine with its arguments, in one block: the program's arrays may be gone when the call has returned (mpi4py frees them, Fortran's
 * datatypes are converted into arrays that live as long as the call). */
struct coll *coll_keep(const struct comm *comm, const struct coll_args *args)
{
    size_t sends = (size_t)coll_sends(args, comm), recvs = (size_t)coll_recvs(args, comm);
    struct coll_arrays arrays = arrays_of(comm, args);
    struct coll *coll = malloc(sizeof *coll + bytes_of(&arrays, sends, recvs));
    if (!coll)
        return NULL;
    coll->kept = *args;
    if (args->by_rank) {
        coll->kept_arrays = copies_of(&arrays, sends, recvs, (char *)(coll + 1));
        coll->kept.by_rank = &coll->kept_arrays;
    }
    return coll;
}

void coll_over(void)
{
    kept_end();
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static int call_blocking(struct comm *comm, coll_step *step, const struct coll_args *args)
{
    struct coll coll;
    coll_begin(&coll, comm, step, args);
    if (RARELY(comm->hints.uniform == HINTS_UNIFORM_COLL))
        coll_make_uniform(&coll);
    return coll_run(&coll);
}

static int call_nonblocking(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    struct coll *coll = coll_keep(comm, args);
    if (!coll)
        return MPI_ERR_NO_MEM;
    kept_begin();
    coll_begin(coll, comm, step, &coll->kept);
    if (RARELY(comm->hints.uniform == HINTS_UNIFORM_COLL))
        coll_make_uniform(coll);
    return coll_start(coll, request);
}

static int call(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    return request ? call_nonblocking(comm, step, args, request) : call_blocking(comm, step, args);
}

/* A scenario may want wrong bits in what this member contributes. */
RARE static int call_injected(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    struct coll_args given = *args;
    coll_flip_args(&given, comm);
    int code = call(comm, step, &given, request);
    flip_sent(code == MPI_SUCCESS ? request : NULL);
    return code;
}

static int begin_again(struct comm *comm, coll_step *step, const struct coll_args *args, uint32_t number,
                       MPI_Request *request)
{
    struct coll *coll = coll_keep(comm, args);
    if (!coll)
        return MPI_ERR_NO_MEM;
    kept_begin();
    coll_begin_again(coll, comm, step, &coll->kept, number);
    if (RARELY(comm->hints.uniform == HINTS_UNIFORM_COLL))
        coll_make_uniform(coll);
    return coll_start(coll, request);
}

int coll_call_again(struct comm *comm, coll_step *step, const struct coll_args *args, uint32_t number,
                    MPI_Request *request)
{
    struct coll_args given = *args;
    bool injected = (atomic_load_explicit(&layer_attention, memory_order_relaxed) & ATTENTION_INJECT) != 0;
    if (RARELY(injected))
        coll_flip_args(&given, comm);
    int code = begin_again(comm, step, &given, number, request);
    if (RARELY(injected))
        flip_sent(code == MPI_SUCCESS ? request : NULL);
    return code;
}

static inline int call_any(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    if (RARELY(atomic_load_explicit(&layer_attention, memory_order_relaxed) & ATTENTION_INJECT))
        return call_injected(comm, step, args, request);
    return call(comm, step, args, request);
}

/* The error handler may not come back. If it does, the program has the code, and may ignore it: `knell run` sees whether it goes on so. */
RARE static int raise_failed(struct comm *comm, int code)
{
    error_raise_now(comm, code);
    if (code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED)
        tell_ignored();
    return code;
}

static inline int call_and_raise(struct comm *comm, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    int code = call_any(comm, step, args, request);
    return LIKELY(code == MPI_SUCCESS) ? code : raise_failed(comm, code);
}

RARE static int call_inter(struct comm *comm, const struct coll_args *args, bool init, MPI_Request *request)
{
    int code = !args->inter ? MPI_ERR_COMM : coll_inter_check(comm, args);
    if (code == MPI_SUCCESS && init)
        return coll_init(comm, args->inter, args, request);
    if (code == MPI_SUCCESS)
        return call_and_raise(comm, args->inter, args, request);
    return request ? error_raise_unbegun(comm, code, request) : error_raise(comm, code);
}

int coll_call(MPI_Comm handle, coll_step *step, const struct coll_args *args, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    bool init = request && RARELY(coll_is_init());
    if (RARELY(!comm)) /* the MPI below says what is wrong with the handle */
        return request ? native.ibarrier(handle, request) : native.barrier(handle);
    if (RARELY(comm_is_inter(comm)))
        return call_inter(comm, args, init, request);
    if (RARELY(args->root < 0 || args->root >= comm->size))
        return request ? error_raise_unbegun(comm, MPI_ERR_ROOT, request) : error_raise(comm, MPI_ERR_ROOT);
    if (RARELY(init))
        return coll_init(comm, step, args, request);
    return call_and_raise(comm, step, args, request);
}
