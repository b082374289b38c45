/* flip.c: see flip.h. A message of any datatype is packed, its bits are flipped, and it is unpacked into memory of the same
 * layout: what is sent has the count and the datatype that the program gave. */
#include "mpi/inject/flip.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/inject/inject.h"
#include "mpi/native/native.h"
#include "mpi/report/tell.h"
#include "mpi/request/copy.h"
#include "mpi/request/request.h"

#include <stdlib.h>
#include <string.h>

enum { EXPECTED = JOB_DESK_FLIPS + 1 };

static _Thread_local struct {
    enum job_call call;
    unsigned orders; /* EXPECTED: not known before there is a message */
    struct knell_fail_flip order[JOB_DESK_FLIPS];
    void *copy; /* of the call under way */
} mine;

static void say(int64_t bits)
{
    int shown = bits < INT32_MAX ? (int)bits : INT32_MAX;
    tell_report((struct job_report){.word = JOB_WORD_FLIPPED, .value = mine.call, .code = shown});
}

void flip_order(enum job_call call, const struct knell_fail_flip *order, unsigned count)
{
    mine.call = call;
    mine.orders = count < JOB_DESK_FLIPS ? count : JOB_DESK_FLIPS;
    memcpy(mine.order, order, mine.orders * sizeof *order);
}

void flip_expect(enum job_call call)
{
    mine.call = call;
    mine.orders = EXPECTED;
}

/* There is a message, or will be once it is copied: are there orders for it? */
static bool is_ordered(void)
{
    if (RARELY(mine.orders == EXPECTED)) {
        mine.orders = 0;
        inject_message(mine.call);
    }
    return mine.orders > 0;
}

void flip_unused(void)
{
    if (mine.orders && mine.orders != EXPECTED)
        say(-1);
    mine.orders = 0;
}

/* ---- bits ------------------------------------------------------------------------------------------------------------------ */

bool flip_bits(void *bytes, int size)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < mine.orders; i++)
        bits += knell_fail_flip(&mine.order[i], bytes, (size_t)size);
    mine.orders = 0;
    if (bits)
        say((int64_t)bits);
    return bits > 0;
}

void flip_packed(void *bytes, int size)
{
    if (mine.orders && size > 0 && is_ordered())
        flip_bits(bytes, size);
}

void *flip_room(size_t size)
{
    if (!mine.orders || !is_ordered())
        return NULL;
    free(mine.copy); /* of a call that a handler left by longjmp */
    mine.copy = malloc(size);
    return mine.copy;
}

/* ---- the copy -------------------------------------------------------------------------------------------------------------- */

struct payload {
    int count;
    MPI_Datatype datatype;
    MPI_Aint begin; /* of the first byte, from the buffer on: not 0 for types that begin elsewhere */
    size_t span;    /* from the first byte to the last */
    int packed;     /* bytes */
};

static bool measure(int count, MPI_Datatype datatype, struct payload *payload)
{
    MPI_Aint lower, extent, length;
    *payload = (struct payload){.count = count, .datatype = datatype};
    if (count <= 0 || datatype == MPI_DATATYPE_NULL ||
        native.type_get_extent(datatype, &lower, &extent) != MPI_SUCCESS || extent < 0 ||
        native.type_get_true_extent(datatype, &payload->begin, &length) != MPI_SUCCESS ||
        native.pack_size(count, datatype, context_alone, &payload->packed) != MPI_SUCCESS)
        return false;
    payload->span = (size_t)length + (size_t)(count - 1) * (size_t)extent;
    return payload->packed > 0;
}

/* What a call is given for it. Not by pointer arithmetic: with absolute addresses it is far from the copy. */
static void *named(char *copy, const struct payload *payload)
{
    return (void *)((intptr_t)copy - payload->begin);
}

/* False: `copy`, which begins where the payload does, is no other than the payload, or could not be made. */
static bool corrupt(const void *buffer, const struct payload *payload, char *copy)
{
    int used;
    bool wrong = false;
    char *packed = malloc((size_t)payload->packed);
    if (packed && copy_pack(buffer, payload->count, payload->datatype, packed, payload->packed, &used) == MPI_SUCCESS)
        wrong = flip_bits(packed, used) &&
                copy_unpack(packed, used, named(copy, payload), payload->count, payload->datatype) == MPI_SUCCESS;
    free(packed);
    return wrong;
}

/* An order that cannot be carried out stays, and is found unused. */
const void *flip_payload(const void *buffer, int count, MPI_Datatype datatype)
{
    struct payload payload;
    char *copy;
    if (!mine.orders || !measure(count, datatype, &payload) || !(copy = flip_room(payload.span)))
        return buffer;
    return corrupt(buffer, &payload, copy) ? named(copy, &payload) : buffer;
}

/* ---- copies under way ------------------------------------------------------------------------------------------------------ */

struct kept {
    struct kept *next;
    MPI_Request request;
    void *copy;
};
static struct kept *all;

/* A request that the table does not know any more is done. */
static void drop_done(void)
{
    struct request known;
    for (struct kept **at = &all; *at;) {
        struct kept *kept = *at;
        if (request_get(kept->request, &known)) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        free(kept->copy);
        free(kept);
    }
}

static void keep(MPI_Request request, void *copy)
{
    struct kept *kept = malloc(sizeof *kept);
    if (!kept)
        layer_die("out of memory for a message with wrong bits");
    lock_take(LOCK_FLIP);
    drop_done();
    *kept = (struct kept){.next = all, .request = request, .copy = copy};
    all = kept;
    lock_give(LOCK_FLIP);
}

void flip_sent(const MPI_Request *request)
{
    if (!mine.copy)
        return;
    if (request)
        keep(*request, mine.copy);
    else
        free(mine.copy);
    mine.copy = NULL;
}
