/* create.c: the calls that make and free communicators, but for MPI_Comm_create_group (group.c). */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"

#include <stdlib.h>

/* ---- handles --------------------------------------------------------------------------------------------------------------- */

/* A copy function that fails is an error of the program's call, and raised there: not here as well. */
static int copy_attributes(const struct comm *parent, MPI_Errhandler handler, MPI_Comm *handle)
{
    native.comm_set_errhandler(parent->store, MPI_ERRORS_RETURN);
    int code = native.comm_dup(parent->store, handle);
    if (parent->store == parent->handle)
        native.comm_set_errhandler(parent->store, handler);
    return code;
}

int create_handle_like(const struct comm *parent, bool attributes, MPI_Comm *handle)
{
    MPI_Errhandler handler;
    int code = MPI_SUCCESS;
    native.comm_get_errhandler(parent->errors, &handler);
    if (attributes)
        code = copy_attributes(parent, handler, handle);
    if (!attributes || code != MPI_SUCCESS)
        *handle = comm_handle_make();
    native.comm_set_errhandler(*handle, handler);
    native.errhandler_free(&handler);
    return code;
}

/* ---- all of them end here ---------------------------------------------------------------------------------------------------- */

int create_may_make(const struct comm *parent, int code)
{
    bool revoked = parent->hints.range != HINTS_RANGE_LOCAL && (comm_trouble(parent) & COMM_REVOKED);
    return code == MPI_SUCCESS && revoked ? MPIX_ERR_REVOKED : code;
}

/* `attributes`: those of the parent, and its topology. `hints`: of the new one. */
static int make(struct comm *parent, bool attributes, const struct hints *hints, const struct comm_group *group,
                int code, MPI_Comm *newcomm)
{
    MPI_Comm handle;
    struct comm *made = NULL;
    int copied = create_handle_like(parent, attributes, &handle);
    code = create_may_make(parent, code == MPI_SUCCESS ? copied : code);
    struct making *making = making_start(parent, MAKING_CREATE, group, handle, code);
    making_hint(making, hints);
    making_topology(making, attributes ? parent->topology : NULL);
    code = making_finish(making, &made);
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    return error_raise(parent, copied != MPI_SUCCESS ? copied : code);
}

static const struct hints no_hints;

int create_by_all(struct comm *parent, const struct comm_group *group, int code, MPI_Comm *newcomm)
{
    return make(parent, false, &no_hints, group, code, newcomm);
}

int mpi_comm_dup(MPI_Comm handle, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    return comm ? make(comm, true, &comm->hints, NULL, MPI_SUCCESS, newcomm) : native.comm_dup(handle, newcomm);
}

/* The hints of the old one do not come along. */
int mpi_comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    struct hints hints = no_hints;
    if (!comm)
        return native.comm_dup_with_info(handle, info, newcomm);
    hints_read(info, &hints);
    int code = make(comm, true, &hints, NULL, MPI_SUCCESS, newcomm);
    return code == MPI_SUCCESS && info != MPI_INFO_NULL ? native.comm_set_info(*newcomm, info) : code;
}

static int idup(struct comm *comm, const struct hints *hints, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    MPI_Comm newhandle;
    int code = create_handle_like(comm, true, &newhandle);
    if (code == MPI_SUCCESS && info != MPI_INFO_NULL)
        code = native.comm_set_info(newhandle, info);
    struct making *making = making_start(comm, MAKING_CREATE, NULL, newhandle, create_may_make(comm, code));
    making_hint(making, hints);
    making_topology(making, comm->topology);
    return error_raise(comm, making_request(making, comm, newcomm, request));
}

int mpi_comm_idup(MPI_Comm handle, MPI_Comm *newcomm, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    return comm ? idup(comm, &comm->hints, MPI_INFO_NULL, newcomm, request)
                : native.comm_idup(handle, newcomm, request);
}

#if MPI_VERSION >= 4
int mpi_comm_idup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    struct hints hints = no_hints;
    if (!comm)
        return native.comm_idup_with_info(handle, info, newcomm, request);
    hints_read(info, &hints);
    return idup(comm, &hints, info, newcomm, request);
}
#endif

/* ---- split ------------------------------------------------------------------------------------------------------------------- */

struct split_choice {
    int color, key, process;
};

/* Those of my colour, by key and then by rank. */
static int choose(struct split_choice *choice, int size, int color, int *member)
{
    int count = 0;
    for (int i = 0; i < size; i++)
        if (color != MPI_UNDEFINED && choice[i].color == color)
            choice[count++] = choice[i];
    for (int i = 1; i < count; i++) /* insertion: stable, and keys come sorted more often than not */
        for (int j = i; j > 0 && choice[j - 1].key > choice[j].key; j--) {
            struct split_choice swap = choice[j];
            choice[j] = choice[j - 1];
            choice[j - 1] = swap;
        }
    for (int i = 0; i < count; i++)
        member[i] = choice[i].process;
    return count;
}

/* An intercommunicator has members of both groups, or is none. */
static struct comm_group choose_all(const struct comm *comm, struct split_choice *choice, int color, int *member)
{
    int remote = comm_goes_first(comm) ? comm->local : 0, local = comm_goes_first(comm) ? 0 : comm->size;
    int size = choose(choice + remote, comm->size, color, member);
    int others = choose(choice + local, comm->local, color, member + size);
    bool empty = comm_is_inter(comm) && (size == 0 || others == 0);
    return (struct comm_group){member, empty ? 0 : size, empty ? 0 : others};
}

static int split(struct comm *comm, int color, int key, const struct hints *hints, MPI_Comm *newcomm)
{
    struct split_choice mine = {color, key, self.process}, *choice = malloc((size_t)comm->members * sizeof *choice);
    int *member = malloc((size_t)comm->members * sizeof *member);
    struct comm_group group = {0};
    if (!choice || !member)
        layer_die("out of memory");
    int code = coll_allgather(comm, &mine, choice, sizeof mine);
    if (code == MPI_SUCCESS)
        group = choose_all(comm, choice, color, member);
    code = make(comm, false, hints, &group, code, newcomm);
    free(choice);
    free(member);
    return code;
}

int mpi_comm_split(MPI_Comm handle, int color, int key, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_split(handle, color, key, newcomm);
    if (color < 0 && color != MPI_UNDEFINED)
        return error_raise(comm, MPI_ERR_ARG);
    return split(comm, color, key, &no_hints, newcomm);
}

/* By host: the one split all MPIs know. */
int mpi_comm_split_type(MPI_Comm handle, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.comm_split_type(handle, split_type, key, info, newcomm);
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
        return error_raise(comm, MPI_ERR_ARG);
    struct hints hints = no_hints;
    hints_read(info, &hints);
    return split(comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : self.host, key, &hints, newcomm);
}

/* ---- create ------------------------------------------------------------------------------------------------------------------ */

int create_members(const struct comm *comm, MPI_Group group, int **member, int *size)
{
    int rank, code = native.group_size(group, size);
    if (code == MPI_SUCCESS)
        code = native.group_rank(group, &rank);
    if (code != MPI_SUCCESS)
        return code;
    *member = malloc(((size_t)*size + 1) * sizeof **member);
    if (!*member)
        layer_die("out of memory");
    code = native_group_processes(group, *size, *member);
    for (int i = 0; i < *size && code == MPI_SUCCESS; i++)
        if ((*member)[i] < 0 || !comm_is_local(comm, (*member)[i]))
            code = MPI_ERR_GROUP;
    if (rank == MPI_UNDEFINED)
        *size = 0;
    if (code != MPI_SUCCESS)
        free(*member);
    return code;
}

/* Of an intercommunicator each group knows its own part only, and the order in it. */
int mpi_comm_create(MPI_Comm handle, MPI_Group group, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    int *member, size;
    if (!comm)
        return native.comm_create(handle, group, newcomm);
    int code = create_members(comm, group, &member, &size);
    if (code != MPI_SUCCESS)
        return error_raise(comm, code);
    if (comm_is_inter(comm)) {
        int place = MPI_UNDEFINED;
        native.group_rank(group, &place);
        code = split(comm, place == MPI_UNDEFINED ? MPI_UNDEFINED : 0, place, &no_hints, newcomm);
    } else {
        code = make(comm, false, &no_hints, &(struct comm_group){member, size, 0}, MPI_SUCCESS, newcomm);
    }
    free(member);
    return code;
}

/* ---- free -------------------------------------------------------------------------------------------------------------------- */

/* The attributes' delete functions run here, natively; what is pending goes on. */
int mpi_comm_free(MPI_Comm *handle)
{
    struct comm *comm = comm_of(*handle);
    if (!comm || comm == &comm_world || comm == &comm_self)
        return comm ? error_raise(comm, MPI_ERR_COMM) : native.comm_free(handle);
    MPI_Comm freed = comm->handle;
    MPI_Errhandler kept = attr_store_enter(comm);
    int code = native.comm_free(&freed);
    if (code != MPI_SUCCESS) /* a delete function refused: the communicator stays */
        return attr_store_leave(comm, kept, code);
    if (kept != MPI_ERRHANDLER_NULL)
        native.errhandler_free(&kept);
    comm_unhandle(comm);
    *handle = MPI_COMM_NULL;
    comm_release(comm);
    return MPI_SUCCESS;
}

/* Those who wait for their messages wait for their requests; there is nothing else to disconnect from. */
int mpi_comm_disconnect(MPI_Comm *handle)
{
    return mpi_comm_free(handle);
}
