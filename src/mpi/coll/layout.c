/* layout.c: see layout.h. */
#include "mpi/coll/layout.h"
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

/* The last predefined datatype seen: those are never freed, so what is known of them stays true. */
static _Thread_local struct {
    MPI_Datatype type;
    bool filled;
    struct coll_layout layout;
} last __attribute__((tls_model("initial-exec")));

/* Those of Fortran's MPI_Type_create_f90_real have another combiner, and are made of nothing either. */
bool coll_is_named(MPI_Datatype type)
{
    int integers, addresses, types = 0, combiner = MPI_COMBINER_NAMED;
    native.type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED || types == 0;
}

RARE static struct coll_layout layout_natively(MPI_Datatype type)
{
    struct coll_layout layout = {0};
    MPI_Aint low = 0;
    int size = 0;
    if (type == MPI_DATATYPE_NULL)
        return layout;
    native.type_size(type, &size);
    native.type_get_extent(type, &low, &layout.extent);
    native.type_get_true_extent(type, &layout.true_low, &layout.true_extent);
    layout.size = (size_t)size;
    layout.gapless = low == 0 && layout.true_low == 0 && size == layout.extent && size == layout.true_extent;
    return layout;
}

static inline bool is_last(MPI_Datatype type)
{
    return LIKELY(last.filled && last.type == type);
}

/* False: it is none that is remembered. */
RARE static bool remember(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL || !coll_is_named(type))
        return false;
    last.type = type;
    last.layout = layout_natively(type);
    last.layout.named = true;
    last.filled = true;
    return true;
}

struct coll_layout coll_layout_of(MPI_Datatype type)
{
    return is_last(type) || remember(type) ? last.layout : layout_natively(type);
}

MPI_Aint coll_extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent = 0;
    if (is_last(type) || remember(type))
        return last.layout.extent;
    if (type != MPI_DATATYPE_NULL)
        native.type_get_extent(type, &low, &extent);
    return extent;
}

size_t coll_size_of(MPI_Datatype type)
{
    int size = 0;
    if (is_last(type) || remember(type))
        return last.layout.size;
    if (type != MPI_DATATYPE_NULL)
        native.type_size(type, &size);
    return (size_t)size;
}

/* ---- order ------------------------------------------------------------------------------------------------------------------------- */

enum { BLOCKS_MOST = 16 };

/* What a datatype is made of: blocks of other datatypes, which travel in this order. */
struct made_of {
    int integers[2 * BLOCKS_MOST + 1], combiner;
    MPI_Aint addresses[BLOCKS_MOST];
    MPI_Datatype types[BLOCKS_MOST];
    int type_count;
};

static bool take_apart(MPI_Datatype type, struct made_of *made)
{
    int integers = 0, addresses = 0;
    made->combiner = MPI_UNDEFINED;
    made->type_count = 0;
    if (native.type_get_envelope(type, &integers, &addresses, &made->type_count, &made->combiner) != MPI_SUCCESS ||
        integers > 2 * BLOCKS_MOST + 1 || addresses > BLOCKS_MOST || made->type_count > BLOCKS_MOST)
        return false;
    return native.type_get_contents(type, integers, addresses, made->type_count, made->integers, made->addresses,
                                    made->types) == MPI_SUCCESS;
}

static void done_with(struct made_of *made)
{
    for (int i = 0; i < made->type_count; i++)
        if (!coll_is_named(made->types[i]))
            native.type_free(&made->types[i]);
}

/* Each block begins where the one before ends: so they are in order, and none overlap. `lengths` and `displs` are `step` apart: 0: one for
 * all. `unit`: of displs. */
static bool follow(const struct made_of *made, const int *lengths, int step, const int *displs, MPI_Aint unit)
{
    MPI_Aint at = 0;
    for (int i = 0; i < made->integers[0]; i++) {
        MPI_Datatype type = made->types[made->type_count == 1 ? 0 : i];
        MPI_Aint begins = displs ? displs[i] * unit : made->addresses[i];
        int length = lengths[step * i];
        struct coll_layout layout = coll_layout_of(type);
        if (length == 0)
            continue;
        if (begins != at || !coll_is_dense(type, &layout))
            return false;
        at += length * layout.extent;
    }
    return true;
}

static bool blocks_follow(const struct made_of *made)
{
    const int *n = made->integers;
    MPI_Aint extent = coll_extent_of(made->types[0]);
    struct coll_layout inner = coll_layout_of(made->types[0]);
    switch (made->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_RESIZED:
        return coll_is_dense(made->types[0], &inner);
    case MPI_COMBINER_VECTOR:
        return (n[0] <= 1 || n[2] == n[1]) && coll_is_dense(made->types[0], &inner);
    case MPI_COMBINER_HVECTOR:
        return (n[0] <= 1 || made->addresses[0] == n[1] * extent) && coll_is_dense(made->types[0], &inner);
    case MPI_COMBINER_INDEXED:
        return follow(made, n + 1, 1, n + 1 + n[0], extent);
    case MPI_COMBINER_INDEXED_BLOCK:
        return follow(made, n + 1, 0, n + 2, extent);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return follow(made, n + 1, 0, NULL, 1);
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return follow(made, n + 1, 1, NULL, 1);
    default:
        return false;
    }
}

RARE static bool is_in_order(MPI_Datatype type)
{
    struct made_of made;
    if (!take_apart(type, &made))
        return false;
    bool in_order = made.type_count > 0 && blocks_follow(&made);
    done_with(&made);
    return in_order;
}

bool coll_is_dense(MPI_Datatype type, const struct coll_layout *layout)
{
    return layout->gapless && (LIKELY(layout->named) || is_in_order(type));
}
