/* carry.c: agreements by the MPI below while nobody in the group is dead. A datagram has to wake the detector at each hop; a
 * native message finds its receiver waiting, as one of a barrier does. The protocol is the core's all the same, and from the
 * first death on its messages are datagrams again: then somebody may be asked who is through, and computes.
 *
 * Only blocking agreements go this way (ticket->blocking): who waits for one takes in what comes, for whichever agreement. Native calls
 * are made in the program's threads, never in the detector's, and without the runtime's lock. */
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"
#include "mpi/detector/agree.h"
#include "mpi/native/native.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1400 };

/* A message that the MPI below does not have yet, or still reads from. */
struct parcel {
    struct parcel *next;
    MPI_Request request;
    int to;
    int size;
    uint8_t bytes[];
};

/* LOCK_CARRY. */
static struct {
    struct parcel *under_way;
    struct parcel *given_up; /* to and from the dead: the MPI below may use their memory for ever */
    /* Where messages come. The MPI below may write there until the receive is complete: when the sender dies in the
     * middle of one, that memory is the MPI's for ever, and the next message gets another. */
    struct parcel *incoming;
} parcels;

/* What the step this thread is in has to say; in a thread of the detector's, nothing goes this way. */
static _Thread_local struct {
    bool stepping;
    struct parcel *first, **end;
} own __attribute__((tls_model("initial-exec")));

/* ---- out -------------------------------------------------------------------------------------------------------------------- */

static bool pack(knell_rank to, const void *bytes, size_t size)
{
    struct parcel *parcel = malloc(sizeof *parcel + size);
    if (!parcel)
        return false;
    *parcel = (struct parcel){.to = (int)to, .size = (int)size};
    memcpy(parcel->bytes, bytes, size);
    *own.end = parcel;
    own.end = &parcel->next;
    return true;
}

bool carry_hand_over(void *context, uint64_t group, enum knell_kind kind, const knell_rank *to, uint32_t count,
                     const void *bytes, size_t size)
{
    (void)context;
    if (!own.stepping || size > MOST_BYTES || !agree_waits(group, kind))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!pack(to[i], bytes, size))
            layer_die("out of memory");
    return true;
}

/* A send that fails is one to a dying process: its death makes the core say it again, elsewhere. */
static void post(struct parcel *parcel)
{
    int complete = 0, code = native.isend(parcel->bytes, parcel->size, MPI_BYTE, parcel->to, context_agree_tag(),
                                          context_wire, &parcel->request);
    if (code == MPI_SUCCESS)
        code = native.test(&parcel->request, &complete, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && !complete) {
        parcel->next = parcels.under_way;
        parcels.under_way = parcel;
        return;
    }
    if (code != MPI_SUCCESS && side_confirm_error(parcel->to, code) != MPIX_ERR_PROC_FAILED)
        layer_die("the MPI below does not send to rank %d", parcel->to);
    free(parcel);
}

void carry_begin(void)
{
    own.stepping = true;
    own.first = NULL;
    own.end = &own.first;
}

void carry_end(void)
{
    own.stepping = false;
    while (own.first) {
        struct parcel *parcel = own.first;
        own.first = parcel->next;
        lock_take(LOCK_CARRY);
        post(parcel);
        lock_give(LOCK_CARRY);
    }
}

/* ---- in --------------------------------------------------------------------------------------------------------------------- */

static void give_up(struct parcel *parcel)
{
    parcel->next = parcels.given_up;
    parcels.given_up = parcel;
}

static void test_under_way(void)
{
    for (struct parcel **at = &parcels.under_way; *at;) {
        struct parcel *parcel = *at;
        int complete = 0;
        int code = native.test(&parcel->request, &complete, MPI_STATUS_IGNORE);
        bool ours = complete || code != MPI_SUCCESS;
        if (!ours && !side_is_dead(parcel->to)) {
            at = &parcel->next;
            continue;
        }
        *at = parcel->next;
        if (ours)
            free(parcel);
        else
            give_up(parcel);
    }
}

/* It is small: all of it has come when the MPI below shows it. False: its sender died in the middle of it. */
static bool receive(int from, MPI_Status *status)
{
    MPI_Request request;
    int complete = 0;
    if (!parcels.incoming && !(parcels.incoming = malloc(sizeof *parcels.incoming + MOST_BYTES)))
        layer_die("out of memory");
    int code =
        native.irecv(parcels.incoming->bytes, MOST_BYTES, MPI_BYTE, from, context_agree_tag(), context_wire, &request);
    bool last = false; /* the dead may have sent all of it before */
    while (code == MPI_SUCCESS && !complete && !last) {
        last = side_is_dead(from);
        code = native.test(&request, &complete, status);
    }
    if (complete)
        return true;
    give_up(parcels.incoming);
    parcels.incoming = NULL;
    return false;
}

/* One message, if there is one: its size, or -1. */
static int take(uint8_t *bytes, int *from)
{
    MPI_Status status;
    int there = 0, size = -1;
    if (!lock_try(LOCK_CARRY))
        return -1; /* another thread takes it, and whatever comes of it */
    if (parcels.under_way)
        test_under_way();
    if (native.iprobe(MPI_ANY_SOURCE, context_agree_tag(), context_wire, &there, &status) == MPI_SUCCESS && there) {
        *from = status.MPI_SOURCE;
        if (receive(*from, &status))
            native.get_count(&status, MPI_BYTE, &size);
        if (size > 0)
            memcpy(bytes, parcels.incoming->bytes, (size_t)size);
    }
    lock_give(LOCK_CARRY);
    return size;
}

/* One at a time: it may be the one that is waited for, and to look for another may cost the processor. */
void carry_serve(void)
{
    uint8_t bytes[MOST_BYTES];
    int from = 0, size = take(bytes, &from);
    if (size < 0)
        return;
    carry_begin();
    lock_check(LOCK_RUNTIME);
    knell_runtime_hear(side_runtime(), (knell_rank)from, bytes, (size_t)size);
    carry_end();
}
