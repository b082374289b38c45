/* table.c: from a handle to its window. There are few, and calls on them are rare beside messages: a chain for each bucket, and a lock. */
#include "mpi/base/lock.h"
#include "mpi/window/window.h"

#include <string.h>

enum { BUCKETS = 64 };

static struct window *buckets[BUCKETS]; /* LOCK_WINDOWS */

static struct window **bucket_of(MPI_Win handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return &buckets[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
}

struct window *window_of(MPI_Win handle)
{
    lock_take(LOCK_WINDOWS);
    struct window *window = *bucket_of(handle);
    while (window && window->handle != handle)
        window = window->next;
    lock_give(LOCK_WINDOWS);
    return window;
}

/* In front: the MPI below gives a handle out again as soon as it is freed, which is before it is removed here. */
void window_add(struct window *window)
{
    lock_take(LOCK_WINDOWS);
    struct window **bucket = bucket_of(window->handle);
    window->next = *bucket;
    *bucket = window;
    lock_give(LOCK_WINDOWS);
}

void window_remove(struct window *window)
{
    lock_take(LOCK_WINDOWS);
    struct window **at = bucket_of(window->handle);
    while (*at && *at != window)
        at = &(*at)->next;
    if (*at)
        *at = window->next;
    lock_give(LOCK_WINDOWS);
}
