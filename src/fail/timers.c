/* A binary heap of timers by number, each in it at most once, so that it never grows. */
#include "fail/world.h"

static bool sooner(const struct knell__timers *t, uint32_t a, uint32_t b)
{
    return t->deadline[a] < t->deadline[b] || (t->deadline[a] == t->deadline[b] && a < b);
}

static void place(struct knell__timers *t, uint32_t position, uint32_t timer)
{
    t->heap[position] = timer;
    t->position[timer] = position;
}

static void rise(struct knell__timers *t, uint32_t position, uint32_t timer)
{
    while (position > 0 && sooner(t, timer, t->heap[(position - 1) / 2])) {
        place(t, position, t->heap[(position - 1) / 2]);
        position = (position - 1) / 2;
    }
    place(t, position, timer);
}

static void sink(struct knell__timers *t, uint32_t position, uint32_t timer)
{
    for (;;) {
        uint32_t child = 2 * position + 1;

        if (child + 1 < t->armed && sooner(t, t->heap[child + 1], t->heap[child]))
            child++;
        if (child >= t->armed || sooner(t, timer, t->heap[child]))
            break;
        place(t, position, t->heap[child]);
        position = child;
    }
    place(t, position, timer);
}

void knell__timers_cancel(struct knell__timers *t, uint32_t timer)
{
    uint32_t hole = t->position[timer], last;

    if (hole == KNELL__NOTHING)
        return;
    t->position[timer] = KNELL__NOTHING;
    last = t->heap[--t->armed];
    if (last == timer)
        return;
    if (hole > 0 && sooner(t, last, t->heap[(hole - 1) / 2]))
        rise(t, hole, last);
    else
        sink(t, hole, last);
}

void knell__timers_arm(struct knell__timers *t, uint32_t timer, knell_time deadline)
{
    knell__timers_cancel(t, timer);
    t->deadline[timer] = deadline;
    rise(t, t->armed++, timer);
}

uint32_t knell__timers_due(const struct knell__timers *t, knell_time now)
{
    return t->armed > 0 && t->deadline[t->heap[0]] <= now ? t->heap[0] : KNELL__NOTHING;
}
