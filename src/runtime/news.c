/* news: see news.h. */
#include "runtime/news.h"

#include "os/futex.h"

#include <string.h>

enum { LINE = 64, SLOTS_LEAST = 64 };

struct slot {
    _Alignas(LINE) _Atomic uint32_t number; /* of what is in it, counting from 1; 0: being written */
    struct knell__news_item item;
};

struct knell__news_wall {
    _Alignas(LINE) _Atomic uint32_t bell;
    _Alignas(LINE) _Atomic uint32_t taken; /* numbers given to posters */
    struct slot slot[];
};

static uint32_t slots_for(uint32_t ranks)
{
    return ranks < SLOTS_LEAST ? SLOTS_LEAST : ranks;
}

size_t knell__news_size(uint32_t ranks)
{
    return sizeof(struct knell__news_wall) + slots_for(ranks) * sizeof(struct slot);
}

void knell__news_open(struct knell__news *news, void *wall, uint32_t ranks)
{
    *news = (struct knell__news){.wall = wall, .slots = slots_for(ranks)};
}

static struct slot *slot_of(const struct knell__news *news, uint32_t number)
{
    return &news->wall->slot[number % news->slots];
}

/* As it was when it was whole; false when it is not. */
static bool copy_item(const struct knell__news *news, uint32_t number, struct knell__news_item *item)
{
    struct slot *slot = slot_of(news, number);
    if (atomic_load_explicit(&slot->number, memory_order_acquire) != number + 1)
        return false;
    memcpy(item, &slot->item, offsetof(struct knell__news_item, bytes));
    if (item->size > sizeof item->bytes)
        return false;
    memcpy(item->bytes, slot->item.bytes, item->size);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slot->number, memory_order_relaxed) == number + 1;
}

static bool is_posted(const struct knell__news *news, uint64_t label, uint32_t part)
{
    uint32_t taken = atomic_load(&news->wall->taken);
    for (uint32_t back = 1; back <= news->slots && back <= taken; back++) {
        const struct slot *slot = slot_of(news, taken - back);
        if (atomic_load(&slot->number) == taken - back + 1 && slot->item.label == label && slot->item.part == part)
            return true;
    }
    return false;
}

bool knell__news_post(struct knell__news *news, knell_rank from, uint64_t label, uint32_t part, const void *bytes,
                      size_t size)
{
    if (is_posted(news, label, part))
        return false;
    uint32_t number = atomic_fetch_add(&news->wall->taken, 1);
    struct slot *slot = slot_of(news, number);
    atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    slot->item.label = label;
    slot->item.part = part;
    slot->item.from = from;
    slot->item.size = size;
    memcpy(slot->item.bytes, bytes, size);
    atomic_store_explicit(&slot->number, number + 1, memory_order_release);
    return true;
}

_Atomic uint32_t *knell__news_bell(const struct knell__news *news)
{
    return &news->wall->bell;
}

void knell__news_ring(struct knell__news *news)
{
    atomic_fetch_add(&news->wall->bell, 1);
    knell__futex_wake_all(&news->wall->bell);
}

void knell__news_read(struct knell__news *news, knell__take_news *take, void *context)
{
    uint32_t taken = atomic_load(&news->wall->taken);
    struct knell__news_item item;
    bool whole = true;
    if (taken - news->read > news->slots / 2) /* fallen behind, or waiting for one that never becomes whole */
        news->read = taken - news->slots / 2;
    for (uint32_t number = news->read; number != taken; number++) {
        if (copy_item(news, number, &item))
            take(context, &item);
        else
            whole = false;
        if (whole)
            news->read = number + 1;
    }
}
