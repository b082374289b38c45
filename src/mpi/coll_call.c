/* coll_call.c: the edge of collectives: from the program's call to a machine, and what must outlive a nonblocking one. */
#include "mpi/coll.h"
#include "mpi/error.h"
#include "mpi/flip.h"
#include "mpi/gen/own.h"

#include <knell/mpix.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- what the program frees while nonblocking collectives still use it ------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int active; /* nonblocking machines */
static MPI_Op *ops;
static MPI_Datatype *types;
static size_t op_count, type_count;

/* True: kept for later. Without memory it is kept for ever. */
#define KEEP(list, count, handle)                                                                                        \
    do {                                                                                                                 \
        void *larger_ = realloc((list), ((count) + 1) * sizeof *(list));                                                 \
        if (larger_) {                                                                                                   \
            (list) = larger_;                                                                                            \
            (list)[(count)++] = (handle);                                                                                \
        }                                                                                                                \
    } while (0)

int knell__mpi_op_free(MPI_Op *op)
{
    pthread_mutex_lock(&lock);
    bool later = active > 0 && *op != MPI_OP_NULL;
    if (later)
        KEEP(ops, op_count, *op);
    pthread_mutex_unlock(&lock);
    if (!later)
        return knell__native.op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int knell__mpi_type_free(MPI_Datatype *type)
{
    pthread_mutex_lock(&lock);
    bool later = active > 0 && *type != MPI_DATATYPE_NULL;
    if (later)
        KEEP(types, type_count, *type);
    pthread_mutex_unlock(&lock);
    if (!later)
        return knell__native.type_free(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

static void over_begun(int change)
{
    pthread_mutex_lock(&lock);
    active += change;
    while (active == 0 && op_count > 0)
        knell__native.op_free(&ops[--op_count]);
    while (active == 0 && type_count > 0)
        knell__native.type_free(&types[--type_count]);
    pthread_mutex_unlock(&lock);
}

void knell__coll_over(void)
{
    over_begun(-1);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static int call_blocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args)
{
    struct knell__coll coll;
    knell__coll_begin(&coll, comm, step, args);
    if (KNELL__RARELY(comm->hints.uniform == KNELL__UNIFORM_COLL))
        knell__coll_make_uniform(&coll);
    return knell__coll_run(&coll);
}

static void keep(struct knell__coll *coll, const struct knell__coll_args *args)
{
    coll->kept = *args;
    if (!args->by_rank)
        return;
    coll->kept_arrays = *args->by_rank;
    coll->kept.by_rank = &coll->kept_arrays;
}

static int call_nonblocking(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args,
                            MPI_Request *request)
{
    struct knell__coll *coll = malloc(sizeof *coll);
    if (!coll)
        return MPI_ERR_NO_MEM;
    over_begun(1);
    keep(coll, args);
    knell__coll_begin(coll, comm, step, &coll->kept);
    if (KNELL__RARELY(comm->hints.uniform == KNELL__UNIFORM_COLL))
        knell__coll_make_uniform(coll);
    return knell__coll_start(coll, request);
}

static int call(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args, MPI_Request *request)
{
    return request ? call_nonblocking(comm, step, args, request) : call_blocking(comm, step, args);
}

/* A scenario may want wrong bits in what this member contributes. */
KNELL__RARE static int call_injected(struct knell__comm *comm, knell__coll_step *step, const struct knell__coll_args *args,
                         MPI_Request *request)
{
    struct knell__coll_args given = *args;
    knell__flip_args(&given, comm);
    int code = call(comm, step, &given, request);
    knell__flip_sent(code == MPI_SUCCESS ? request : NULL);
    return code;
}

int knell__coll_call(MPI_Comm handle, knell__coll_step *step, const struct knell__coll_args *args, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (KNELL__RARELY(!comm)) /* the MPI below says what is wrong with the handle */
        return request ? knell__native.ibarrier(handle, request) : knell__native.barrier(handle);
    if (KNELL__RARELY(args->root < 0 || args->root >= comm->size))
        return knell__raise(comm, MPI_ERR_ROOT);
    if (KNELL__RARELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) & KNELL__ATTENTION_INJECT))
        return knell__raise(comm, call_injected(comm, step, args, request));
    return knell__raise(comm, call(comm, step, args, request));
}
