/* variables.c: see variables.h. */
#include "mpi/inject/variables.h"
#include "mpi/base/lock.h"
#include "mpi/report/tell.h"

#include <assert.h>
#include <knell/faults.h>

/* Where they are, by their number on the desk. */
static struct {
    void *address; /* NULL: not registered */
    int type;
    int64_t last;
    bool changed;
} mine[JOB_DESK_VARIABLES];

/* ---- in memory ------------------------------------------------------------------------------------------------------------- */

#define TYPES(X)              \
    X(KNELL_INT8, int8_t)     \
    X(KNELL_UINT8, uint8_t)   \
    X(KNELL_INT16, int16_t)   \
    X(KNELL_UINT16, uint16_t) \
    X(KNELL_INT32, int32_t)   \
    X(KNELL_UINT32, uint32_t) \
    X(KNELL_INT64, int64_t)   \
    X(KNELL_UINT64, uint64_t) \
    X(KNELL_FLOAT, float)     \
    X(KNELL_DOUBLE, double)

static size_t size_of(int type)
{
    switch (type) {
#define SIZE(name, c_type) \
    case name:             \
        return sizeof(c_type);
        TYPES(SIZE)
#undef SIZE
    default:
        return 0;
    }
}

static int64_t whole(double value)
{
    if (value != value)
        return 0;
    return value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

#define WHOLE(value) _Generic((value), float : whole, double : whole, default : as_it_is)(value)
static int64_t as_it_is(int64_t value)
{
    return value;
}

static int64_t load(const void *address, int type)
{
    switch (type) {
#define LOAD(name, c_type) \
    case name:             \
        return WHOLE(*(const volatile c_type *)address);
        TYPES(LOAD)
#undef LOAD
    default:
        return 0;
    }
}

static void store(void *address, int type, int64_t value)
{
    switch (type) {
#define STORE(name, c_type)                          \
    case name:                                       \
        *(volatile c_type *)address = (c_type)value; \
        break;
        TYPES(STORE)
#undef STORE
    default:
        break;
    }
}

static void flip(void *address, int type, uint64_t bit)
{
    volatile uint8_t *bytes = address;
    size_t size = size_of(type);
    assert(size > 0); /* another type is not registered */
    bit %= 8 * size;
    bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

/* ---- with the desk --------------------------------------------------------------------------------------------------------- */

/* What we change ourselves is no change that anybody watches for. */
static void carry_out(const struct job_desk_order *order)
{
    uint32_t i = order->variable;
    if (i >= JOB_DESK_VARIABLES || !mine[i].address)
        return;
    if (order->flips)
        flip(mine[i].address, mine[i].type, (uint64_t)order->value);
    else
        store(mine[i].address, mine[i].type, order->value);
    mine[i].last = load(mine[i].address, mine[i].type);
}

static void show(struct job_desk *desk, uint32_t i)
{
    int64_t value = load(mine[i].address, mine[i].type);
    if (value != mine[i].last)
        mine[i].changed = atomic_load(&desk->orders.variable[i].watched) != 0;
    mine[i].last = value;
    atomic_store(&desk->seen.variable[i].value, value);
}

void variables_exchange(struct job_desk *desk)
{
    lock_take(LOCK_VARIABLES);
    uint32_t obeyed = atomic_load(&desk->seen.obeyed);
    for (; obeyed != atomic_load(&desk->orders.ordered); atomic_store(&desk->seen.obeyed, ++obeyed))
        carry_out(&desk->orders.order[obeyed % JOB_DESK_ORDERS]);
    for (uint32_t i = 0; i < desk->orders.variables; i++)
        if (mine[i].address)
            show(desk, i);
    lock_give(LOCK_VARIABLES);
}

int variables_changed(const struct job_desk *desk)
{
    int found = -1;
    lock_take(LOCK_VARIABLES);
    for (uint32_t i = 0; i < desk->orders.variables && found < 0; i++)
        if (mine[i].changed) {
            mine[i].changed = false;
            found = (int)i;
        }
    lock_give(LOCK_VARIABLES);
    return found;
}

/* ---- with the program ------------------------------------------------------------------------------------------------------ */

static void place(struct job_desk *desk, uint32_t i, void *address, int type)
{
    mine[i].address = address;
    mine[i].type = type;
    mine[i].changed = false;
    if (address)
        atomic_store(&desk->seen.variable[i].value, mine[i].last = load(address, type));
    atomic_store(&desk->seen.variable[i].known, address != NULL);
}

/* One that the scenario does not name is of no interest to anybody. */
__attribute__((visibility("default"))) void knell_layer_variable(const char *name, void *address, int type)
{
    struct job_desk *desk = tell_desk();
    if (!desk || !name || size_of(type) == 0)
        return;
    lock_take(LOCK_VARIABLES);
    for (uint32_t i = 0; i < desk->orders.variables; i++)
        if (strcmp(desk->orders.variable[i].name, name) == 0)
            place(desk, i, address, type);
    lock_give(LOCK_VARIABLES);
}
