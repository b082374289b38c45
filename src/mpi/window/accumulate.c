/* accumulate.c: accumulate and its kin: one process at a time for each target, so each of them is atomic to the others. A process that is
 * killed in the middle may leave a part of its elements done; its place is then free. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/window/window.h"

#include <stdlib.h>
#include <string.h>

/* Three buffers of a call; `result` has no address if the call has none. */
struct operand {
    const void *origin;
    int count;
    MPI_Datatype type;
};
struct result {
    void *at;
    int count;
    MPI_Datatype type;
};
struct target {
    int rank, count;
    MPI_Aint disp;
    MPI_Datatype type;
};

/* ---- elements -------------------------------------------------------------------------------------------------------------------- */

static bool is_predefined(MPI_Op op)
{
    const MPI_Op known[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                            MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (op == known[i])
            return true;
    return false;
}

/* One of those that a datatype is made of, which the caller frees unless it is named; MPI_DATATYPE_NULL: no memory. */
static MPI_Datatype inner(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Datatype first = MPI_DATATYPE_NULL;
    native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    int *integer = malloc(((size_t)integers + 1) * sizeof *integer);
    MPI_Aint *address = malloc(((size_t)addresses + 1) * sizeof *address);
    MPI_Datatype *made_of = malloc(((size_t)types + 1) * sizeof(MPI_Datatype));
    if (integer && address && made_of) {
        native.type_get_contents(type, integers, addresses, types, integer, address, made_of);
        first = made_of[0];
        for (int i = 1; i < types; i++)
            if (!coll_is_named(made_of[i]))
                native.type_free(&made_of[i]);
    }
    free(integer);
    free(address);
    free(made_of);
    return first;
}

/* The one predefined datatype that all elements have. */
static MPI_Datatype element_of(MPI_Datatype type)
{
    MPI_Datatype at = type;
    while (at != MPI_DATATYPE_NULL && !coll_is_named(at)) {
        MPI_Datatype within = inner(at);
        if (at != type)
            native.type_free(&at);
        at = within;
    }
    return at;
}

/* Elements in a row, as an array of them has them: `data` itself, or a copy of it in *copy. */
static int in_a_row(const void *data, int count, MPI_Datatype type, MPI_Datatype element, int elements, void **copy)
{
    struct coll_layout one = coll_layout_of(element);
    *copy = NULL;
    if (type == element)
        return MPI_SUCCESS;
    *copy = calloc((size_t)elements, (size_t)one.extent);
    if (!*copy)
        return MPI_ERR_NO_MEM;
    return access_copy(data, count, type, *copy, elements, element);
}

/* ---- one at a time ---------------------------------------------------------------------------------------------------------------- */

/* `from` is `elements` in a row. */
static int fold(const void *from, int elements, MPI_Datatype element, char *at, const struct target *target, MPI_Op op)
{
    void *copy;
    if (op == MPI_REPLACE)
        return access_copy(from, elements, element, at, target->count, target->type);
    int code = in_a_row(at, target->count, target->type, element, elements, &copy);
    if (code == MPI_SUCCESS)
        code = native.reduce_local(from, copy ? copy : at, elements, element, op);
    if (code == MPI_SUCCESS && copy)
        code = access_copy(copy, elements, element, at, target->count, target->type);
    free(copy);
    return code;
}

static int apply(struct window *window, const void *from, int elements, MPI_Datatype element, char *at,
                 const struct target *target, const struct result *result, MPI_Op op)
{
    int code = MPI_SUCCESS;
    busy_take(window, target->rank);
    if (result)
        code = access_copy(at, target->count, target->type, result->at, result->count, result->type);
    if (code == MPI_SUCCESS && op != MPI_NO_OP)
        code = fold(from, elements, element, at, target, op);
    busy_give(window, target->rank);
    return code;
}

static int check_operand(const struct operand *operand, const struct target *target)
{
    if (operand->count < 0 || operand->type == MPI_DATATYPE_NULL)
        return operand->count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE;
    size_t mine = (size_t)operand->count * coll_size_of(operand->type);
    size_t there = (size_t)target->count * coll_size_of(target->type);
    return mine == there ? MPI_SUCCESS : mine > there ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
}

/* Into memory that was found. */
static int accumulate_at(struct window *window, const struct operand *operand, const struct result *result, char *at,
                         const struct target *target, MPI_Op op)
{
    size_t bytes = (size_t)target->count * coll_size_of(target->type);
    MPI_Datatype element = bytes > 0 ? element_of(target->type) : MPI_BYTE;
    void *copy = NULL;
    if (bytes == 0)
        return MPI_SUCCESS;
    if (element == MPI_DATATYPE_NULL)
        return MPI_ERR_NO_MEM;
    int elements = (int)(bytes / coll_size_of(element)), code = MPI_SUCCESS;
    if (op != MPI_NO_OP)
        code = check_operand(operand, target);
    if (code == MPI_SUCCESS && op != MPI_NO_OP)
        code = in_a_row(operand->origin, operand->count, operand->type, element, elements, &copy);
    if (code == MPI_SUCCESS)
        code = apply(window, copy ? copy : operand->origin, elements, element, at, target, result, op);
    free(copy);
    return code;
}

static int accumulate(struct window *window, const struct operand *operand, const struct result *result,
                      const struct target *target, MPI_Op op)
{
    char *at;
    if (!is_predefined(op))
        return MPI_ERR_OP;
    int code = access_find(window, target->rank, target->disp, target->count, target->type, &at);
    return code == MPI_SUCCESS && at ? accumulate_at(window, operand, result, at, target, op) : code;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------------ */

int mpi_accumulate(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.accumulate(origin, count, type, rank, disp, target_count, target_type, op, handle);
    int code = accumulate(window, &(struct operand){origin, count, type}, NULL,
                          &(struct target){rank, target_count, disp, target_type}, op);
    return window_raise(window, code);
}

int mpi_raccumulate(const void *origin, int count, MPI_Datatype type, int rank, MPI_Aint disp, int target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.raccumulate(origin, count, type, rank, disp, target_count, target_type, op, handle, request);
    int code = accumulate(window, &(struct operand){origin, count, type}, NULL,
                          &(struct target){rank, target_count, disp, target_type}, op);
    return access_request(window, code, request);
}

int mpi_get_accumulate(const void *origin, int count, MPI_Datatype type, void *result, int result_count,
                       MPI_Datatype result_type, int rank, MPI_Aint disp, int target_count, MPI_Datatype target_type,
                       MPI_Op op, MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.get_accumulate(origin, count, type, result, result_count, result_type, rank, disp, target_count,
                                     target_type, op, handle);
    int code =
        accumulate(window, &(struct operand){origin, count, type}, &(struct result){result, result_count, result_type},
                   &(struct target){rank, target_count, disp, target_type}, op);
    return window_raise(window, code);
}

int mpi_rget_accumulate(const void *origin, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint disp, int target_count, MPI_Datatype target_type,
                        MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.rget_accumulate(origin, count, type, result, result_count, result_type, rank, disp, target_count,
                                      target_type, op, handle, request);
    int code =
        accumulate(window, &(struct operand){origin, count, type}, &(struct result){result, result_count, result_type},
                   &(struct target){rank, target_count, disp, target_type}, op);
    return access_request(window, code, request);
}

int mpi_fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
                     MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.fetch_and_op(origin, result, type, rank, disp, op, handle);
    int code = accumulate(window, &(struct operand){origin, 1, type}, &(struct result){result, 1, type},
                          &(struct target){rank, 1, disp, type}, op);
    return window_raise(window, code);
}

static int compare_and_swap(struct window *window, const void *origin, const void *compare, void *result,
                            MPI_Datatype type, int rank, MPI_Aint disp)
{
    char *at;
    int code = access_find(window, rank, disp, 1, type, &at);
    if (code != MPI_SUCCESS || !at)
        return code;
    size_t size = coll_size_of(type);
    if (!coll_is_named(type) || !coll_layout_of(type).gapless)
        return MPI_ERR_TYPE;
    busy_take(window, rank);
    memcpy(result, at, size);
    if (memcmp(at, compare, size) == 0)
        memcpy(at, origin, size);
    busy_give(window, rank);
    return MPI_SUCCESS;
}

int mpi_compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int rank,
                         MPI_Aint disp, MPI_Win handle)
{
    struct window *window = window_of(handle);
    if (!window)
        return native.compare_and_swap(origin, compare, result, type, rank, disp, handle);
    return window_raise(window, compare_and_swap(window, origin, compare, result, type, rank, disp));
}
