/* queue: see queue.h. */
#include "sim/queue.h"

#include "sim/grow.h"
#include "util/heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, WORDS = BUCKETS / 64 };

struct bucket {
    struct knell_delivery *item;
    uint32_t count;
    uint32_t room;
};

struct knell_queue {
    knell_time width;    /* of a bucket */
    int64_t slot;        /* number of the current bucket since time 0 */
    uint64_t in_buckets; /* deliveries in buckets, the current one included */
    uint32_t taken;      /* of the current bucket */
    bool open;           /* the current bucket is sorted and being taken from */
    uint64_t filled[WORDS];
    struct bucket bucket[BUCKETS];
    struct bucket scratch;  /* for sorting */
    struct knell_heap late; /* beyond the horizon, or into the open bucket; key: time, then order of arrival */
    struct knell_delivery *late_item;
    uint32_t late_room, late_free; /* late_free: head of the list of unused items, through their `body` */
    uint64_t late_number;
};

#define NO_ITEM UINT32_MAX

struct knell_queue *knell_queue_new(knell_time horizon)
{
    struct knell_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->width = horizon / (BUCKETS - 2) + 1;
    queue->late_free = NO_ITEM;
    return queue;
}

void knell_queue_free(struct knell_queue *queue)
{
    if (!queue)
        return;
    for (unsigned i = 0; i < BUCKETS; i++)
        free(queue->bucket[i].item);
    free(queue->scratch.item);
    free(queue->late_item);
    free(queue->late.entry);
    free(queue);
}

void knell_queue_clear(struct knell_queue *queue)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        queue->bucket[i].count = 0;
    memset(queue->filled, 0, sizeof queue->filled);
    queue->in_buckets = queue->taken = 0;
    queue->slot = 0;
    queue->open = false;
    queue->late.count = 0;
    queue->late_number = 0;
    queue->late_free = NO_ITEM;
    for (uint32_t i = queue->late_room; i-- > 0;) {
        queue->late_item[i].body = queue->late_free;
        queue->late_free = i;
    }
}

static bool bucket_reserve(struct bucket *bucket, uint32_t room)
{
    if (room <= bucket->room)
        return true;
    uint32_t grown = bucket->room ? bucket->room + bucket->room / 2 : 16;
    if (grown < room)
        grown = room;
    struct knell_delivery *item = realloc(bucket->item, (size_t)grown * sizeof *item);
    if (!item)
        return false;
    bucket->item = item;
    bucket->room = grown;
    return true;
}

/* ---- late ones ---------------------------------------------------------------------------------------------------------- */

static bool late_grow(struct knell_queue *queue)
{
    uint32_t room = queue->late_room ? 2 * queue->late_room : 64;
    struct knell_delivery *item = realloc(queue->late_item, (size_t)room * sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = room; i-- > queue->late_room;) {
        item[i].body = queue->late_free;
        queue->late_free = i;
    }
    queue->late_item = item;
    queue->late_room = room;
    return true;
}

static bool late_put(struct knell_queue *queue, const struct knell_delivery *delivery)
{
    if (queue->late_free == NO_ITEM && !late_grow(queue))
        return false;
    uint32_t index = queue->late_free;
    if (!knell__heap_reserve(&queue->late))
        return false;
    knell_heap_put(&queue->late, delivery->time, queue->late_number++, index);
    queue->late_free = queue->late_item[index].body;
    queue->late_item[index] = *delivery;
    return true;
}

static struct knell_delivery late_take(struct knell_queue *queue)
{
    uint32_t index = knell_heap_take(&queue->late);
    struct knell_delivery delivery = queue->late_item[index];
    queue->late_item[index].body = queue->late_free;
    queue->late_free = index;
    return delivery;
}

/* ---- the calendar ------------------------------------------------------------------------------------------------------- */

bool knell_queue_put(struct knell_queue *queue, knell_time now, const struct knell_delivery *delivery)
{
    int64_t slot = delivery->time / queue->width;
    if (queue->in_buckets == 0 && now / queue->width > queue->slot)
        queue->slot = now / queue->width; /* an empty calendar is turned to today */
    if (slot < queue->slot || slot >= queue->slot + BUCKETS || (slot == queue->slot && queue->open))
        return late_put(queue, delivery);
    unsigned index = (unsigned)(slot % BUCKETS);
    struct bucket *bucket = &queue->bucket[index];
    if (!bucket_reserve(bucket, bucket->count + 1))
        return false;
    bucket->item[bucket->count++] = *delivery;
    queue->filled[index / 64] |= UINT64_C(1) << (index % 64);
    queue->in_buckets++;
    return true;
}

/* Stable, by the time within the bucket, eight bits at a time. */
static void sort_bucket(struct knell_queue *queue, struct bucket *bucket)
{
    if (queue->width == 1 || bucket->count < 2)
        return;
    bool room = bucket_reserve(&queue->scratch, bucket->count);
    assert(room);
    for (unsigned shift = 0; shift < 63 && (queue->width - 1) >> shift; shift += 8) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < bucket->count; i++)
            start[((bucket->item[i].time % queue->width) >> shift & 255) + 1]++;
        for (unsigned digit = 1; digit < 257; digit++)
            start[digit] += start[digit - 1];
        for (uint32_t i = 0; i < bucket->count; i++)
            queue->scratch.item[start[(bucket->item[i].time % queue->width) >> shift & 255]++] = bucket->item[i];
        struct knell_delivery *item = bucket->item;
        uint32_t space = bucket->room;
        bucket->item = queue->scratch.item;
        bucket->room = queue->scratch.room;
        queue->scratch.item = item;
        queue->scratch.room = space;
    }
}

/* Moves on to the next bucket that holds something, and sorts it. */
static void open_next(struct knell_queue *queue)
{
    unsigned from = (unsigned)(queue->slot % BUCKETS);
    unsigned word = from / 64;
    uint64_t bits = queue->filled[word] & ~UINT64_C(0) << (from % 64);
    while (!bits) {
        word = (word + 1) % WORDS;
        bits = queue->filled[word];
    }
    unsigned found = word * 64 + (unsigned)__builtin_ctzll(bits);
    queue->slot += (found + BUCKETS - from) % BUCKETS;
    sort_bucket(queue, &queue->bucket[found]);
    queue->open = true;
    queue->taken = 0;
}

static struct bucket *current(struct knell_queue *queue)
{
    return &queue->bucket[queue->slot % BUCKETS];
}

/* The next delivery of the calendar, NULL if it is empty. */
static const struct knell_delivery *calendar_next(struct knell_queue *queue)
{
    if (queue->in_buckets == 0)
        return NULL;
    if (!queue->open)
        open_next(queue);
    return &current(queue)->item[queue->taken];
}

knell_time knell_queue_next(struct knell_queue *queue)
{
    const struct knell_delivery *next = calendar_next(queue);
    knell_time late = knell_heap_key(&queue->late);
    return next && next->time <= late ? next->time : late;
}

struct knell_delivery knell_queue_take(struct knell_queue *queue)
{
    const struct knell_delivery *next = calendar_next(queue);
    if (!next || next->time > knell_heap_key(&queue->late))
        return late_take(queue);
    struct knell_delivery delivery = *next;
    queue->in_buckets--;
    if (++queue->taken == current(queue)->count) {
        unsigned index = (unsigned)(queue->slot % BUCKETS);
        queue->bucket[index].count = 0;
        queue->filled[index / 64] &= ~(UINT64_C(1) << (index % 64));
        queue->taken = 0;
        queue->open = false;
    }
    return delivery;
}

knell_rank knell_queue_peek(const struct knell_queue *queue, unsigned ahead)
{
    const struct bucket *bucket = &queue->bucket[queue->slot % BUCKETS];
    if (!queue->open || queue->taken + ahead >= bucket->count)
        return KNELL_NOBODY;
    return bucket->item[queue->taken + ahead].to;
}
