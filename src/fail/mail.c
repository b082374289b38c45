/* Messages: one pool for the whole world, so that its bound is the bound. A message is in one of three lists: on its
 * way (in the order of sending, which is that of arrival as the delay is constant), in a mailbox, or free. */
#include "fail/world.h"

static void append(struct knell_fail_world *w, struct knell__list *list, uint32_t mail)
{
    w->mail[mail].next = KNELL__NOTHING;
    w->mail[mail].previous = list->first == KNELL__NOTHING ? KNELL__NOTHING : list->last;
    if (list->first == KNELL__NOTHING)
        list->first = mail;
    else
        w->mail[list->last].next = mail;
    list->last = mail;
}

static void cut_out(struct knell_fail_world *w, struct knell__list *list, uint32_t mail)
{
    uint32_t next = w->mail[mail].next, previous = w->mail[mail].previous;

    if (previous == KNELL__NOTHING)
        list->first = next;
    else
        w->mail[previous].next = next;
    if (next == KNELL__NOTHING)
        list->last = previous;
    else
        w->mail[next].previous = previous;
}

static uint32_t pop(struct knell_fail_world *w, struct knell__list *list)
{
    uint32_t mail = list->first;

    if (mail != KNELL__NOTHING)
        cut_out(w, list, mail);
    return mail;
}

bool knell__mail_put(struct knell_fail_world *w, uint32_t to, uint32_t sender, uint32_t message, knell_time arrival)
{
    uint32_t mail = pop(w, &w->free);

    if (mail == KNELL__NOTHING) {
        w->counters.dropped++;
        return false;
    }
    w->mail[mail] = (struct knell__mail){.arrival = arrival, .to = to, .sender = sender, .message = message};
    append(w, &w->flying, mail);
    return true;
}

/* The action says to whom; receivers hosted elsewhere are left to the driver. */
void knell__mail_send(struct knell_fail_world *w, uint32_t sender, struct knell_fail_action *send)
{
    knell_time arrival;

    if (__builtin_add_overflow(w->now, w->config.message_delay, &arrival))
        arrival = KNELL_NEVER;
    for (uint32_t i = 0; i < send->count; i++) {
        uint32_t to = send->first + i;

        if (!knell__world_hosts(w, to))
            send->remote = true;
        else if (w->instances[to - w->first].daemon)
            send->dropped += !knell__mail_put(w, to - w->first, sender, send->subject, arrival);
    }
}

uint32_t knell__mail_land(struct knell_fail_world *w, knell_time now)
{
    uint32_t mail = w->flying.first;
    struct knell__instance *in;

    if (mail == KNELL__NOTHING || w->mail[mail].arrival > now)
        return KNELL__NOTHING;
    pop(w, &w->flying);
    in = &w->instances[w->mail[mail].to];
    append(w, &in->mailbox, mail);
    in->waiting++;
    in->waiting_mask |= UINT64_C(1) << (w->mail[mail].message % 64);
    return mail;
}

void knell__mail_take(struct knell_fail_world *w, uint32_t mail)
{
    struct knell__instance *in = &w->instances[w->mail[mail].to];

    cut_out(w, &in->mailbox, mail);
    append(w, &w->free, mail);
    if (--in->waiting == 0)
        in->waiting_mask = 0;
}

/* ---- instances whose mailbox must be looked through -------------------------------------------------------------- */

void knell__dirty_add(struct knell_fail_world *w, uint32_t instance)
{
    struct knell__instance *in = &w->instances[instance];

    if (in->dirty || in->waiting == 0)
        return;
    in->dirty = true;
    in->next_dirty = KNELL__NOTHING;
    if (w->dirty.first == KNELL__NOTHING)
        w->dirty.first = instance;
    else
        w->instances[w->dirty.last].next_dirty = instance;
    w->dirty.last = instance;
}

void knell__dirty_drop(struct knell_fail_world *w)
{
    struct knell__instance *in = &w->instances[w->dirty.first];

    in->dirty = false;
    w->dirty.first = in->next_dirty;
}
