/* flip.c: wrong bits in what a member contributes to a collective (flip.h). One block is copied as it lies in memory, since
 * reductions need its datatype. Blocks for all members are packed one after the other: they are the payload, in the order of
 * ranks or neighbours, and are sent as they were packed. */
#include "mpi/coll/coll.h"
#include "mpi/inject/flip.h"
#include "mpi/request/copy.h"

#include <limits.h>

/* ---- one block ------------------------------------------------------------------------------------------------------------- */

static int sum(const int *counts, int size)
{
    int total = 0;
    for (int i = 0; i < size; i++)
        total += counts[i];
    return total;
}

static int operand_count(const struct coll_args *a, int size)
{
    if (a->gives == COLL_GIVES_OPERAND)
        return a->recv_count;
    return a->by_rank->recv_counts ? sum(a->by_rank->recv_counts, size) : a->recv_count * size;
}

/* In place it lies where the result comes: what is folded then is the copy. */
static void flip_operand(struct coll_args *a, int size)
{
    const void *own = a->send == MPI_IN_PLACE ? a->recv : a->send;
    const void *sent = flip_payload(own, operand_count(a, size), a->recv_type);
    if (sent != own)
        a->send = sent;
}

/* In place it lies where the others' blocks come, too. */
static void flip_block(struct coll_args *a, int rank)
{
    if (a->send == MPI_IN_PLACE) {
        struct coll_block own = coll_recv_block(a, rank);
        const void *sent = flip_payload(own.at, own.count, own.type);
        if (sent == own.at)
            return;
        a->send = sent;
        a->send_count = own.count;
        a->send_type = own.type;
    } else {
        a->send = flip_payload(a->send, a->send_count, a->send_type);
    }
}

static void flip_message(struct coll_args *a)
{
    a->recv = (void *)flip_payload(a->recv, a->recv_count, a->recv_type);
}

/* ---- a block for everyone -------------------------------------------------------------------------------------------------- */

/* What replaces the arguments; counts, places and bytes follow it in memory. */
struct packed {
    struct coll_arrays by_rank;
    int *counts, *displs;
    char *bytes;
    int size;
};

/* What would go beyond the border of a grid is no block, whatever the arguments are. */
static struct coll_block block_for(const struct coll_args *a, int rank)
{
    if (a->near && a->near->destinations[rank] == MPI_PROC_NULL)
        return (struct coll_block){.type = MPI_BYTE};
    return a->send == MPI_IN_PLACE ? coll_recv_block(a, rank) : coll_send_block(a, rank);
}

static size_t bytes_for(const struct coll_args *a, int rank)
{
    struct coll_block block = block_for(a, rank);
    return block.count > 0 ? coll_size_of(block.type) * (size_t)block.count : 0;
}

/* NULL: there is nothing to flip, or no room to do so. */
static struct packed *make_room(const struct coll_args *a, int size)
{
    size_t bytes = 0, counts = (size_t)size * sizeof(int);
    for (int i = 0; i < size; i++)
        bytes += bytes_for(a, i);
    struct packed *packed = bytes > 0 && bytes <= INT_MAX ? flip_room(sizeof *packed + 2 * counts + bytes) : NULL;
    if (!packed)
        return NULL;
    packed->counts = (int *)(packed + 1);
    packed->displs = packed->counts + size;
    packed->bytes = (char *)(packed->displs + size);
    packed->size = (int)bytes;
    packed->by_rank = *a->by_rank;
    packed->by_rank.send_counts = packed->counts;
    packed->by_rank.send_displs = packed->displs;
    packed->by_rank.send_types = NULL;
    return packed;
}

static bool pack_all(const struct coll_args *a, int size, struct packed *packed)
{
    int at = 0, code = MPI_SUCCESS;
    for (int i = 0; i < size && code == MPI_SUCCESS; i++) {
        struct coll_block block = block_for(a, i);
        packed->displs[i] = at;
        packed->counts[i] = 0;
        if (block.count > 0)
            code =
                copy_pack(block.at, block.count, block.type, packed->bytes + at, packed->size - at, &packed->counts[i]);
        at += packed->counts[i];
    }
    return code == MPI_SUCCESS;
}

static void flip_blocks(struct coll_args *a, int size)
{
    struct packed *packed = make_room(a, size);
    if (!packed || !pack_all(a, size, packed) || !flip_bits(packed->bytes, packed->size))
        return;
    a->send = packed->bytes;
    a->send_type = MPI_PACKED;
    a->by_rank = &packed->by_rank;
}

void coll_flip_args(struct coll_args *args, const struct comm *comm)
{
    bool root = comm_is_root(comm, args->root);
    switch (args->gives) {
    case COLL_GIVES_NOTHING:
        break;
    case COLL_GIVES_MESSAGE:
        if (root)
            flip_message(args);
        break;
    case COLL_GIVES_OPERAND:
    case COLL_GIVES_PIECES:
        flip_operand(args, comm_local_size(comm));
        break;
    case COLL_GIVES_BLOCK:
        flip_block(args, comm->rank);
        break;
    case COLL_GIVES_BLOCKS_AS_ROOT:
        if (root)
            flip_blocks(args, comm->size);
        break;
    case COLL_GIVES_BLOCKS:
        flip_blocks(args, coll_sends(args, comm));
        break;
    }
}
