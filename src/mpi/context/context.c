/* context.c: see context.h. */
#include "mpi/context/context.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/base/settings.h"
#include "mpi/native/native.h"
#include "mpi/native/tune.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_TRIES = 1000 };

MPI_Comm context_wire, context_alone;
int context_tag_ub;

/* The pool is made at MPI_Init; the rest is under LOCK_CONTEXT. */
static struct {
    MPI_Comm *pool;
    int pool_size;
    bool carried; /* there is no pool: every communicator has a context of its own */
    uint8_t taken[PLACE_SLOTS / 8], offered[PLACE_SLOTS / 8];
    int stamp_of[PLACE_SLOTS]; /* of the taken ones */
    /* Above every epoch that ended dirty here; above its last the slot is used up. */
    uint16_t next_epoch[PLACE_SLOTS];
    uint32_t next_id;
} contexts;

static bool has(const uint8_t *bits, int slot)
{
    return bits[slot / 8] >> slot % 8 & 1;
}

static void set(uint8_t *bits, int slot, bool value)
{
    bits[slot / 8] = (uint8_t)((bits[slot / 8] & ~(1 << slot % 8)) | value << slot % 8);
}

/* ---- the pool -------------------------------------------------------------------------------------------------------------- */

static int setting_pool(void)
{
    const char *text = settings_get("KNELL_CONTEXTS");
    int wanted = text ? atoi(text) : PLACE_POOL_DEFAULT, least = 2 * PLACE_SHARED, most = PLACE_SLOTS / 2;
    return wanted < least ? least : wanted > most ? most : wanted; /* with the least, no stamp of a shared one is 0 */
}

/* ---- contexts of the carrier ------------------------------------------------------------------------------------------------ */

/* 0 is the wire. */
static int carried_number(int slot, unsigned epoch)
{
    return 1 + (slot | (int)epoch << PLACE_SLOT_BITS);
}

#ifdef MPICH
static void reserve_carried(void)
{
}

static MPI_Comm carried_context(int number)
{
    return CONTEXT_CARRIED_KIND | number;
}
#else
char *context_carried_first = (char *)(UINTPTR_MAX - ((uintptr_t)1 << CONTEXT_CARRIED_BITS)); /* until then: nobody's */

/* Addresses that nothing else has, without memory behind them. */
static void reserve_carried(void)
{
    void *addresses =
        mmap(NULL, (size_t)1 << CONTEXT_CARRIED_BITS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses == MAP_FAILED)
        layer_die("out of addresses");
    context_carried_first = addresses;
}

static MPI_Comm carried_context(int number)
{
    return (MPI_Comm)(context_carried_first + number);
}
#endif

/* ---- duplicates of the world --------------------------------------------------------------------------------------------------- */

/* All are asked for before the first is waited for: on several hosts each takes some journeys. */
static void duplicate_all(void (*look)(void))
{
    int count = contexts.carried ? 1 : contexts.pool_size + 2, code = MPI_SUCCESS;
    MPI_Request request[PLACE_SLOTS];
    MPI_Comm *made[PLACE_SLOTS] = {&context_alone, &context_wire};
    for (int i = 0; i + 2 < count; i++)
        made[i + 2] = &contexts.pool[i];
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = native.comm_idup(i == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD, made[i], &request[i]);
    if (code != MPI_SUCCESS || native_await(request, count, look) != MPI_SUCCESS)
        layer_die("the MPI cannot duplicate communicators; try a smaller KNELL_CONTEXTS than %d", contexts.pool_size);
    for (int i = 0; i < count; i++)
        native.comm_set_errhandler(*made[i], MPI_ERRORS_RETURN);
}

static int native_tag_bits(void)
{
    int *largest, found, bits = 0;
    native.comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
    for (unsigned rest = found ? (unsigned)*largest : 32767u; rest; rest >>= 1)
        bits++;
    return bits;
}

void context_make_all(bool carried, void (*look)(void))
{
    int bits = native_tag_bits();
    if (bits < PLACE_SLOT_BITS + PLACE_EPOCH_BITS + PLACE_SEQUENCE_BITS)
        layer_die("this MPI has tags of %d bits; the layer needs 28", bits);
    context_tag_ub = (int)((1u << (carried ? bits : bits - PLACE_STAMP_BITS)) - 1);
    contexts.carried = carried;
    contexts.pool_size = carried ? PLACE_SLOTS + PLACE_SHARED : setting_pool();
    contexts.pool = malloc((size_t)contexts.pool_size * sizeof *contexts.pool);
    if (!contexts.pool)
        layer_die("out of memory");
    if (carried) {
        reserve_carried();
        context_wire = carried_context(0);
    }
    duplicate_all(look);
    set(contexts.taken, 0, true);
    set(contexts.taken, 1, true);
    set(contexts.taken, PLACE_SLOTS - 1, true); /* context_notices_tag */
}

int context_find(MPI_Comm context)
{
    if (context == context_wire)
        return 0;
    for (int i = 0; i < contexts.pool_size && !contexts.carried; i++)
        if (contexts.pool[i] == context)
            return i + 1;
    return -1;
}

int context_number(MPI_Comm context)
{
    int number = context_carried(context);
    return number > 0 ? number - 1 : -1;
}

MPI_Comm context_numbered(int number)
{
    if (contexts.carried)
        return number >= 0 && number + 1 < 1 << CONTEXT_CARRIED_BITS ? carried_context(number + 1) : context_wire;
    return number >= 0 && number < contexts.pool_size ? contexts.pool[number] : context_wire;
}

bool context_is_over(int number)
{
    int slot = (number - 1) & (PLACE_SLOTS - 1), epoch = (number - 1) >> PLACE_SLOT_BITS;
    if (!contexts.carried || number <= 0)
        return false;
    lock_take(LOCK_CONTEXT);
    bool over = epoch < contexts.next_epoch[slot];
    lock_give(LOCK_CONTEXT);
    return over;
}

/* ---- places ---------------------------------------------------------------------------------------------------------------- */

/* An epoch is never used twice: a message that nobody took may lie where it is for ever. */
static unsigned last_epoch(int slot)
{
    return slot < contexts.pool_size - PLACE_SHARED ? (1u << PLACE_EPOCH_BITS) - 1
                                                    : (1u << (PLACE_STAMP_BITS - PLACE_SHARE_BITS)) - 1;
}

/* The first duplicates serve one communicator each and need no stamp while clean; the last ones serve all other slots. */
static struct place place_at(int slot, unsigned epoch)
{
    int own = contexts.pool_size - PLACE_SHARED, mark = (int)epoch;
    struct place place = {.slot = slot, .epoch = epoch};
    if (contexts.carried) {
        place.context = carried_context(carried_number(slot, epoch));
        place.wire = (slot << PLACE_EPOCH_BITS | (int)epoch) << PLACE_SEQUENCE_BITS;
        return place; /* it is this communicator's alone: no stamp */
    }
    if (slot < own) {
        place.context = contexts.pool[slot];
    } else {
        place.context = contexts.pool[own + slot % PLACE_SHARED];
        mark += slot / PLACE_SHARED << (PLACE_STAMP_BITS - PLACE_SHARE_BITS);
    }
    place.stamp = mark * (context_tag_ub + 1);
    place.wire = (slot << PLACE_EPOCH_BITS | (int)epoch) << PLACE_SEQUENCE_BITS;
    return place;
}

bool place_expected(MPI_Comm context, int tag)
{
    int number = context_number(context), own = contexts.pool_size - PLACE_SHARED;
    int mark = tag / (context_tag_ub + 1), epochs = 1 << (PLACE_STAMP_BITS - PLACE_SHARE_BITS);
    int slot = number < own ? number : mark / epochs * PLACE_SHARED + number - own;
    lock_take(LOCK_CONTEXT);
    bool expected = has(contexts.offered, slot) ||
                    (has(contexts.taken, slot) && contexts.stamp_of[slot] == mark * (context_tag_ub + 1));
    lock_give(LOCK_CONTEXT);
    return expected;
}

struct place place_fixed(int slot)
{
    return place_at(slot, 0);
}

void place_free(const struct place *place, bool dirty)
{
    lock_take(LOCK_CONTEXT);
    set(contexts.taken, place->slot, false);
    if (dirty && contexts.next_epoch[place->slot] <= place->epoch)
        contexts.next_epoch[place->slot] = (uint16_t)(place->epoch + 1);
    lock_give(LOCK_CONTEXT);
}

/* ---- offers ---------------------------------------------------------------------------------------------------------------- */

static bool is_there(int slot)
{
    return !has(contexts.taken, slot) && !has(contexts.offered, slot) && contexts.next_epoch[slot] <= last_epoch(slot);
}

/* At first every second free slot, so that another creation has something left to offer. If two of them take the slots from one
 * another all the same, each here and there: those of a class that the creation and the try give, the same at all members. */
static bool is_meant(int slot, int seen, const struct offer_try *try)
{
    unsigned classes = try->number < 4 ? 1u << try->number : 16;
    uint64_t mixed = (try->key + (unsigned)try->number) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    if (try->all)
        return true;
    return try->number == 0 ? seen % 2 == 0 : (unsigned)slot % classes == mixed % classes;
}

static bool is_creating(void)
{
    for (size_t i = 0; i < sizeof contexts.offered; i++)
        if (contexts.offered[i])
            return true;
    return false;
}

void offer_make(struct offer *offer, const struct offer_try *try)
{
    memset(offer, 0, sizeof *offer);
    lock_take(LOCK_CONTEXT);
    offer->id = ((uint64_t)self.process + 1) << 32 | contexts.next_id++;
    offer->busy = is_creating();
    for (int slot = 0, seen = 0, given = 0; slot < PLACE_SLOTS && given < try->most; slot++)
        if (is_there(slot) && is_meant(slot, seen++, try)) {
            set(offer->free_slots, slot, true);
            offer->epoch[slot] = (uint8_t)contexts.next_epoch[slot];
            set(contexts.offered, slot, true);
            given++;
        }
    lock_give(LOCK_CONTEXT);
}

/* If nobody is creating anything else there is nothing to hope for but what was not offered yet. */
bool offer_try_next(struct offer_try *try, const struct offer *agreed)
{
    if ((try->all && !agreed->busy) || try->number++ == MOST_TRIES) {
        layer_say("no context is left for a new communicator; free some, or run with a larger KNELL_CONTEXTS");
        return false;
    }
    try->all = !agreed->busy;
    return true;
}

void offer_fold(uint8_t *into_bytes, const uint8_t *from_bytes, uint32_t size)
{
    struct offer into, from;
    if (size != sizeof into)
        return;
    memcpy(&into, into_bytes, sizeof into);
    memcpy(&from, from_bytes, sizeof from);
    into.id = from.id < into.id ? from.id : into.id;
    into.refused |= from.refused;
    into.busy |= from.busy;
    for (size_t i = 0; i < sizeof into.free_slots; i++)
        into.free_slots[i] &= from.free_slots[i];
    for (size_t i = 0; i < sizeof into.epoch; i++)
        into.epoch[i] = from.epoch[i] > into.epoch[i] ? from.epoch[i] : into.epoch[i];
    memcpy(into_bytes, &into, sizeof into);
}

static void withdraw(const struct offer *mine)
{
    for (size_t i = 0; i < sizeof contexts.offered; i++)
        contexts.offered[i] &= (uint8_t)~mine->free_slots[i];
}

void offer_withdraw(const struct offer *mine)
{
    lock_take(LOCK_CONTEXT);
    withdraw(mine);
    lock_give(LOCK_CONTEXT);
}

/* The lowest clean one with a duplicate of its own, where tags go as they are; else the lowest. */
static int choose(const struct offer *agreed)
{
    int first = -1;
    for (int slot = 0; slot < PLACE_SLOTS; slot++) {
        if (!has(agreed->free_slots, slot))
            continue;
        if (agreed->epoch[slot] == 0 && slot < contexts.pool_size - PLACE_SHARED)
            return slot;
        first = first < 0 ? slot : first;
    }
    return first;
}

bool offer_has(const struct offer *agreed, int slot)
{
    return has(agreed->free_slots, slot);
}

bool offer_take(const struct offer *mine, const struct offer *agreed, struct place *place)
{
    int slot = choose(agreed);
    lock_take(LOCK_CONTEXT);
    withdraw(mine);
    if (slot >= 0) {
        *place = place_at(slot, agreed->epoch[slot]);
        contexts.stamp_of[slot] = place->stamp;
        set(contexts.taken, slot, true);
    }
    lock_give(LOCK_CONTEXT);
    return slot >= 0;
}
