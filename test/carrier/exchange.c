/* exchange.c: the turns of a process. */
#include "exchange.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void exchange_complain(struct exchange *exchange, unsigned peer, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!exchange->wrong)
        fprintf(stderr, "process %u of %u, with %u: %s\n", exchange->me, exchange->processes, peer, text);
    exchange->wrong = true;
}

static void learn_of_deaths(struct exchange *exchange)
{
    for (unsigned i = 0; i < exchange->processes; i++) {
        if (exchange->dead[i] || !atomic_load_explicit(&exchange->ledger->dead[i], memory_order_acquire))
            continue;
        exchange->dead[i] = true;
        exchange_give_up(exchange, i);
        knell_carrier_sweep(exchange->carrier, i);
    }
}

static bool take_turn(struct exchange *exchange)
{
    bool moved = false;
    int from;
    learn_of_deaths(exchange);
    while ((from = knell_carrier_next(exchange->carrier)) >= 0)
        moved |= exchange_take_some(exchange, (unsigned)from);
    for (unsigned i = 0; i < exchange->processes; i++) {
        if (i == exchange->me)
            continue;
        moved |= exchange_decide_some(exchange, i);
        if (!exchange->dead[i])
            moved |= exchange_send_some(exchange, i);
    }
    return moved;
}

static bool is_over(const struct exchange *exchange)
{
    for (unsigned i = 0; i < exchange->processes; i++)
        if (i != exchange->me && !(exchange_is_sent(exchange, i) && exchange_is_received(exchange, i)))
            return false;
    return true;
}

static void say_who_waits(const struct exchange *exchange)
{
    for (unsigned i = 0; i < exchange->processes; i++) {
        const struct outgoing *out = &exchange->out[i];
        const struct incoming *in = &exchange->in[i];
        if (i == exchange->me || (exchange_is_sent(exchange, i) && exchange_is_received(exchange, i)))
            continue;
        fprintf(stderr,
                "process %u waits for %u%s: received %u of %u, %u undecided, %u asked for in pieces%s%s; sent %u%s\n",
                exchange->me, i, exchange->dead[i] ? " (dead)" : "", in->next, exchange->numbers, in->helds, in->askeds,
                in->coming ? ", pieces coming" : "",
                knell_carrier_has(exchange->carrier, i) ? ", A MESSAGE IS THERE" : "", out->next,
                out->in_pieces ? ", pieces going" : "");
        for (unsigned k = 0; k < OUTSTANDING; k++)
            if (out->sent[k].ticket)
                fprintf(stderr, "    message %u (%s, %zu bytes), ticket %" PRIx64 ": state %d\n", out->sent[k].number,
                        message_way_name(out->sent[k].message.way), out->sent[k].message.size, out->sent[k].ticket,
                        (int)knell_carrier_state(exchange->carrier, out->sent[k].ticket));
    }
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool exchange_run(struct exchange *exchange)
{
    double end = 0;
    uint64_t idle = 0;
    while (!exchange->wrong && !is_over(exchange)) {
        if (take_turn(exchange)) {
            idle = 0;
            continue;
        }
        double now = now_s();
        if (idle++ == 0)
            end = now + LIMIT_S;
        if (now > end) {
            say_who_waits(exchange);
            exchange->wrong = true;
        }
        sched_yield();
    }
    return !exchange->wrong;
}
