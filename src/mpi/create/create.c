/* create.c: the calls that make and free communicators, but for MPI_Comm_create_group (comm_group.c). */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"

#include <stdlib.h>

/* ---- handles --------------------------------------------------------------------------------------------------------------- */

/* A copy function that fails is an error of the program's call, and raised there: not here as well. */
static int copy_attributes(const struct knell__comm *parent, MPI_Errhandler handler, MPI_Comm *handle)
{
    knell__native.comm_set_errhandler(parent->store, MPI_ERRORS_RETURN);
    int code = knell__native.comm_dup(parent->store, handle);
    if (parent->store == parent->handle)
        knell__native.comm_set_errhandler(parent->store, handler);
    return code;
}

int knell__handle_like(const struct knell__comm *parent, bool attributes, MPI_Comm *handle)
{
    MPI_Errhandler handler;
    int code = MPI_SUCCESS;
    knell__native.comm_get_errhandler(parent->errors, &handler);
    if (attributes)
        code = copy_attributes(parent, handler, handle);
    if (!attributes || code != MPI_SUCCESS)
        *handle = knell__handle_make();
    knell__native.comm_set_errhandler(*handle, handler);
    knell__native.errhandler_free(&handler);
    return code;
}

/* ---- all of them end here ---------------------------------------------------------------------------------------------------- */

/* A communicator that a death has revoked here only (mpi_error_range) makes no others: that is for all members to hear. */
static int may_make(const struct knell__comm *parent, int code)
{
    bool revoked = parent->hints.range != KNELL__RANGE_LOCAL && (knell__trouble(parent) & KNELL__REVOKED);
    return code == MPI_SUCCESS && revoked ? MPIX_ERR_REVOKED : code;
}

/* `hints`: of the new one. */
static int make(struct knell__comm *parent, bool attributes, const struct knell__hints *hints, const int *member,
                int size, int code, MPI_Comm *newcomm)
{
    MPI_Comm handle;
    struct knell__comm *made = NULL;
    int copied = knell__handle_like(parent, attributes, &handle);
    code = may_make(parent, code == MPI_SUCCESS ? copied : code);
    struct knell__making *making = knell__making_start(parent, KNELL__MAKE_CREATE, member, size, handle, code);
    knell__making_hint(making, hints);
    code = knell__making_finish(making, &made);
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    return knell__raise(parent, copied != MPI_SUCCESS ? copied : code);
}

static const struct knell__hints no_hints;

int knell__mpi_comm_dup(MPI_Comm handle, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? make(comm, true, &comm->hints, NULL, 0, MPI_SUCCESS, newcomm)
                : knell__native.comm_dup(handle, newcomm);
}

/* The hints of the old one do not come along. */
int knell__mpi_comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__hints hints = no_hints;
    if (!comm)
        return knell__native.comm_dup_with_info(handle, info, newcomm);
    knell__hints_read(info, &hints);
    int code = make(comm, true, &hints, NULL, 0, MPI_SUCCESS, newcomm);
    return code == MPI_SUCCESS && info != MPI_INFO_NULL ? knell__native.comm_set_info(*newcomm, info) : code;
}

int knell__mpi_comm_idup(MPI_Comm handle, MPI_Comm *newcomm, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    MPI_Comm newhandle;
    if (!comm)
        return knell__native.comm_idup(handle, newcomm, request);
    int copied = knell__handle_like(comm, true, &newhandle);
    struct knell__making *making =
        knell__making_start(comm, KNELL__MAKE_CREATE, NULL, 0, newhandle, may_make(comm, copied));
    knell__making_hint(making, &comm->hints);
    return knell__raise(comm, knell__making_request(making, comm, newcomm, request));
}

/* ---- split ------------------------------------------------------------------------------------------------------------------- */

struct wish {
    int color, key, process;
};

/* Those of my colour, by key and then by rank. */
static int choose(struct wish *wish, int size, int color, int *member)
{
    int count = 0;
    for (int i = 0; i < size; i++)
        if (color != MPI_UNDEFINED && wish[i].color == color)
            wish[count++] = wish[i];
    for (int i = 1; i < count; i++) /* insertion: stable, and keys come sorted more often than not */
        for (int j = i; j > 0 && wish[j - 1].key > wish[j].key; j--) {
            struct wish swap = wish[j];
            wish[j] = wish[j - 1];
            wish[j - 1] = swap;
        }
    for (int i = 0; i < count; i++)
        member[i] = wish[i].process;
    return count;
}

static int split(struct knell__comm *comm, int color, int key, const struct knell__hints *hints, MPI_Comm *newcomm)
{
    struct wish mine = {color, key, knell__self.process}, *wish = malloc((size_t)comm->size * sizeof *wish);
    int *member = malloc((size_t)comm->size * sizeof *member);
    if (!wish || !member)
        knell__die("out of memory");
    int code = knell__coll_allgather(comm, &mine, wish, sizeof mine);
    int count = code == MPI_SUCCESS ? choose(wish, comm->size, color, member) : 0;
    code = make(comm, false, hints, member, count, code, newcomm);
    free(wish);
    free(member);
    return code;
}

int knell__mpi_comm_split(MPI_Comm handle, int color, int key, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_split(handle, color, key, newcomm);
    if (color < 0 && color != MPI_UNDEFINED)
        return knell__raise(comm, MPI_ERR_ARG);
    return split(comm, color, key, &no_hints, newcomm);
}

/* By host: the one split all MPIs know. */
int knell__mpi_comm_split_type(MPI_Comm handle, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.comm_split_type(handle, split_type, key, info, newcomm);
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
        return knell__raise(comm, MPI_ERR_ARG);
    struct knell__hints hints = no_hints;
    knell__hints_read(info, &hints);
    return split(comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : knell__self.host, key, &hints, newcomm);
}

/* ---- create ------------------------------------------------------------------------------------------------------------------ */

int knell__group_members(const struct knell__comm *comm, MPI_Group group, int **member, int *size)
{
    int rank, code = knell__native.group_size(group, size);
    if (code == MPI_SUCCESS)
        code = knell__native.group_rank(group, &rank);
    if (code != MPI_SUCCESS)
        return code;
    *member = malloc(((size_t)*size + 1) * sizeof **member);
    if (!*member)
        knell__die("out of memory");
    code = knell__native_group_processes(group, *size, *member);
    for (int i = 0; i < *size && code == MPI_SUCCESS; i++)
        if ((*member)[i] < 0 || comm->rank_of[(*member)[i]] < 0)
            code = MPI_ERR_GROUP;
    if (rank == MPI_UNDEFINED)
        *size = 0;
    if (code != MPI_SUCCESS)
        free(*member);
    return code;
}

int knell__mpi_comm_create(MPI_Comm handle, MPI_Group group, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle);
    int *member, size;
    if (!comm)
        return knell__native.comm_create(handle, group, newcomm);
    int code = knell__group_members(comm, group, &member, &size);
    if (code != MPI_SUCCESS)
        return knell__raise(comm, code);
    code = make(comm, false, &no_hints, member, size, MPI_SUCCESS, newcomm);
    free(member);
    return code;
}

/* ---- free -------------------------------------------------------------------------------------------------------------------- */

/* The attributes' delete functions run here, natively; what is pending goes on. */
int knell__mpi_comm_free(MPI_Comm *handle)
{
    struct knell__comm *comm = knell__comm_of(*handle);
    if (!comm || comm == &knell__world || comm == &knell__selfish)
        return comm ? knell__raise(comm, MPI_ERR_COMM) : knell__native.comm_free(handle);
    MPI_Comm native = comm->handle;
    MPI_Errhandler kept = knell__store_enter(comm);
    int code = knell__native.comm_free(&native);
    if (code != MPI_SUCCESS) /* a delete function refused: the communicator stays */
        return knell__store_leave(comm, kept, code);
    if (kept != MPI_ERRHANDLER_NULL)
        knell__native.errhandler_free(&kept);
    knell__comm_unhandle(comm);
    *handle = MPI_COMM_NULL;
    knell__comm_release(comm);
    return MPI_SUCCESS;
}

/* Those who wait for their messages wait for their requests; there is nothing else to disconnect from. */
int knell__mpi_comm_disconnect(MPI_Comm *handle)
{
    return knell__mpi_comm_free(handle);
}
