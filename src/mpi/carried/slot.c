/* slot.c: requests of the room and their handles.
 *
 * Requests lie in one stretch of addresses, of which pages are touched as they are needed. MPICH's handles are numbers: those of this
 * room have a kind that MPICH itself never gives out. Open MPI's are addresses: within the layer a handle is the address of the
 * request. What goes to the program may be asked for by Fortran, which looks into what a handle points to: such a request gets a
 * native persistent request that is never started, and keeps it. A table leads back from there. */
#include "mpi/carried/state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOTS_MOST = 1 << 20, MESSAGES_MOST = 1 << 16 };

static struct {
    struct carried *slot;
    size_t used;          /* so many have been given out at least once */
    struct carried *free; /* by node.next */
    struct arrived **message;
    size_t messages; /* likewise */
} slots;

void carried_slots_reserve(void)
{
    size_t bytes = SLOTS_MOST * sizeof *slots.slot + MESSAGES_MOST * sizeof *slots.message;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        layer_die("out of memory for requests");
    slots.slot = memory;
    slots.message = (struct arrived **)(slots.slot + SLOTS_MOST);
}

struct carried *carried_new(void)
{
    struct carried *request = slots.free;
    if (LIKELY(request != NULL)) {
        slots.free = (struct carried *)request->node.next;
    } else {
        if (slots.used == SLOTS_MOST)
            layer_die("more than %d requests at a time", SLOTS_MOST);
        request = &slots.slot[slots.used++];
#ifdef OPEN_MPI
        request->shown = MPI_REQUEST_NULL;
#endif
    }
    request->detached = request->cancelled = false;
    request->code = MPI_SUCCESS;
    request->packed = NULL;
    request->ticket = 0;
    request->to_self = NULL;
    request->type = MPI_DATATYPE_NULL;
    request->native = request->holds = MPI_REQUEST_NULL;
    request->from_native = request->cancelling = false;
    return request;
}

void carried_release(struct carried *request)
{
    free(request->packed);
    request->node.next = (struct list_node *)slots.free;
    slots.free = request;
}

/* ---- handles ---------------------------------------------------------------------------------------------------------------- */

#ifdef MPICH
enum { KIND = 0x1b000000, MESSAGE_KIND = 0x1d000000, KIND_BITS = 0x7f000000 };

MPI_Request carried_handle(struct carried *request)
{
    return KIND | (int)(request - slots.slot);
}

struct carried *carried_of(MPI_Request handle)
{
    return (handle & ~0xffffff) == KIND ? &slots.slot[handle & 0xffffff] : NULL;
}

static MPI_Message message_handle(size_t number)
{
    return MESSAGE_KIND | (int)number;
}

static struct arrived **message_place(MPI_Message handle)
{
    return (handle & ~0xffffff) == MESSAGE_KIND ? &slots.message[handle & 0xffffff] : NULL;
}
#else
MPI_Request carried_handle(struct carried *request)
{
    return request->shown != MPI_REQUEST_NULL ? request->shown : (MPI_Request)request;
}

/* Handles that were shown: open addressing; what is in it stays. */
static struct {
    struct carried **entry;
    size_t mask, used;
} shown;

static size_t place_of(MPI_Request handle)
{
    size_t at = (size_t)((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & shown.mask;
    while (shown.entry[at] && shown.entry[at]->shown != handle)
        at = (at + 1) & shown.mask;
    return at;
}

static void grow(void)
{
    struct carried **old = shown.entry;
    size_t before = old ? shown.mask + 1 : 0, larger = before ? 2 * before : 256;
    shown.entry = calloc(larger, sizeof *shown.entry);
    if (!shown.entry)
        layer_die("out of memory for requests");
    shown.mask = larger - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i])
            shown.entry[place_of(old[i]->shown)] = old[i];
    free(old);
}

static inline bool is_within(MPI_Request handle)
{
    return (uintptr_t)handle - (uintptr_t)slots.slot < SLOTS_MOST * sizeof(struct carried) && slots.slot;
}

struct carried *carried_of(MPI_Request handle)
{
    if (is_within(handle))
        return (struct carried *)handle;
    return shown.used ? shown.entry[place_of(handle)] : NULL;
}

static void get_shown(struct carried *request)
{
    MPI_Request made;
    if (carried.below.send_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made) != MPI_SUCCESS)
        layer_die("the MPI has no more requests");
    if (2 * shown.used >= shown.mask)
        grow();
    request->shown = made;
    shown.entry[place_of(made)] = request;
    shown.used++;
}

void carried_show(MPI_Request *handle)
{
    if (!is_within(*handle))
        return;
    struct carried *request = (struct carried *)*handle;
    carried_enter();
    if (RARELY(request->shown == MPI_REQUEST_NULL))
        get_shown(request);
    carried_leave();
    *handle = request->shown;
}

static MPI_Message message_handle(size_t number)
{
    return (MPI_Message)&slots.message[number];
}

static struct arrived **message_place(MPI_Message handle)
{
    size_t offset = (size_t)((uintptr_t)handle - (uintptr_t)slots.message);
    return offset < MESSAGES_MOST * sizeof *slots.message ? (struct arrived **)handle : NULL;
}

int carried_message_number(MPI_Message handle)
{
    struct arrived **place = slots.message ? message_place(handle) : NULL;
    return place ? (int)(place - slots.message) : -1;
}

MPI_Message carried_message_numbered(int number)
{
    return slots.message && number >= 0 && number < MESSAGES_MOST ? message_handle((size_t)number) : MPI_MESSAGE_NULL;
}
#endif

bool carried_is(MPI_Request handle)
{
    if (!carried.carrier)
        return false;
    carried_enter();
    bool is = carried_of(handle) != NULL;
    carried_leave();
    return is;
}

/* ---- matched messages ----------------------------------------------------------------------------------------------------------- */

MPI_Message carried_message(struct arrived *message)
{
    size_t number = 0;
    while (number < slots.messages && slots.message[number])
        number++;
    if (number == MESSAGES_MOST)
        layer_die("more than %d matched messages at a time", MESSAGES_MOST);
    if (number == slots.messages)
        slots.messages++;
    slots.message[number] = message;
    message->matched = true;
    return message_handle(number);
}

struct arrived *carried_message_of(MPI_Message handle)
{
    struct arrived **place = slots.message ? message_place(handle) : NULL;
    return place ? *place : NULL;
}

void carried_message_end(MPI_Message handle)
{
    *message_place(handle) = NULL;
}
