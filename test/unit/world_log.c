/* See world_log.h. */
#include "world_log.h"

#include "test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_text[] = {"agree", "shrink", "create"};

static void write_text(struct world *w, const char *format, va_list args)
{
    char text[512];
    int size = vsnprintf(text, sizeof text, format, args);
    CHECK(size >= 0 && (size_t)size < sizeof text);
    if (w->log_size + sizeof text > w->log_room) {
        w->log_room = 2 * w->log_room + 2 * sizeof text;
        w->log = realloc(w->log, w->log_room);
    }
    memcpy(w->log + w->log_size, text, (size_t)size + 1);
    w->log_size += (size_t)size;
}

static void __attribute__((format(printf, 2, 3))) add(struct world *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_text(w, format, args);
    va_end(args);
}

void world_note(struct world *w, const char *format, ...)
{
    va_list args;
    if (w->quiet)
        return;
    add(w, "%4" PRId64 "  ", w->now);
    va_start(args, format);
    write_text(w, format, args);
    va_end(args);
    add(w, "\n");
}

static void add_ranges(struct world *w, const char *before, const struct knell_range *range, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add(w, "%s%" PRIu32, i ? "," : before, range[i].first);
        if (range[i].last > range[i].first)
            add(w, "-%" PRIu32, range[i].last);
    }
}

static void add_flags(struct world *w, uint8_t flags)
{
    if (flags & KNELL_FLAG_REVOKED)
        add(w, ", revoked");
    if (flags & KNELL_FLAG_ACKED)
        add(w, ", acknowledged");
    if (flags & KNELL_FLAG_MISMATCH)
        add(w, ", mismatch");
}

static void add_value(struct world *w, const uint8_t *value, uint32_t size)
{
    for (uint32_t i = 0; i < size && i < WORLD_VALUE; i++)
        add(w, "%s%02x", i ? "" : " ", value[i]);
}

static void add_agreement(struct world *w, const struct knell_body *body)
{
    add(w, " %s %" PRIu32 " of group %" PRIu64, kind_text[body->kind], body->sequence, body->group);
    add(w, " under %" PRIu32 ":", body->root);
    if (body->flags & KNELL_FLAG_VALUE)
        add_value(w, body->value, body->value_size);
    else
        add(w, " no value");
    add_flags(w, body->flags);
    add_ranges(w, ", agreed dead ", body->agreed, body->agreed_ranges);
}

void world_log_message(struct world *w, const knell_rank *to, uint32_t count, const struct knell_route *route,
                       const struct knell_body *body)
{
    if (w->quiet || count == 0 || (body->type == KNELL_MESSAGE_HEARTBEAT && !w->log_heartbeats))
        return;
    add(w, "%4" PRId64 "  %" PRIu32 " -> ", w->now, route->from);
    for (uint32_t i = 0; i < count; i++)
        add(w, "%s%" PRIu32, i ? " " : "", to[i]);
    add(w, ":  %s", knell_message_text(body->type));
    switch (body->type) {
    case KNELL_MESSAGE_BROADCAST:
        add(w, " %" PRIu32 ".%" PRIu32, body->source, body->sequence);
        if (body->subject != KNELL_NOBODY)
            add(w, ": %" PRIu32 " %s", body->subject, knell_why_text(body->why));
        if (w->config.overlay == KNELL_OVERLAY_HBA)
            add(w, " (cube %u copy %u dimension %u)", route->cube, route->copy, route->dimension);
        break;
    case KNELL_MESSAGE_SYNC:
        add(w, "%s", body->flags & KNELL_FLAG_ANSWER ? ", answer me" : "");
        break;
    case KNELL_MESSAGE_REVOKE:
        add(w, " group %" PRIu64 " by %" PRIu32, body->group, body->source);
        break;
    case KNELL_MESSAGE_UP:
    case KNELL_MESSAGE_DOWN:
        add_agreement(w, body);
        break;
    default:
        break;
    }
    add_ranges(w, "; gone ", body->dead.gone, body->dead.gone_ranges);
    add_ranges(w, "; left ", body->dead.left, body->dead.left_ranges);
    add_ranges(w, "; settled ", body->dead.settled, body->dead.settled_ranges);
    add(w, "\n");
}

void world_log_fact(struct world *w, const struct world_fact *told)
{
    const struct knell_fact *fact = &told->fact;
    if (w->quiet)
        return;
    add(w, "%4" PRId64 "  at %" PRIu32 ": ", w->now, told->at);
    switch (fact->type) {
    case KNELL_FACT_FAILED:
        add(w, "%" PRIu32 " failed (%s, by %" PRIu32 ")", fact->rank, knell_why_text(fact->why), fact->by);
        break;
    case KNELL_FACT_LEFT:
        add(w, "%" PRIu32 " left (by %" PRIu32 ")", fact->rank, fact->by);
        break;
    case KNELL_FACT_REVOKED:
        add(w, "group %" PRIu64 " is revoked (by %" PRIu32 ")", fact->group, fact->by);
        break;
    case KNELL_FACT_DECIDED:
        add(w, "%s %" PRIu32 " of group %" PRIu64 " decided:", kind_text[fact->kind], fact->instance, fact->group);
        add_value(w, told->value, fact->value_size);
        add_flags(w, fact->flags);
        if (told->dead_count)
            add(w, ", %" PRIu32 " dead", told->dead_count);
        break;
    case KNELL_FACT_FENCED:
        add(w, "fenced (by %" PRIu32 "): it must end", fact->by);
        break;
    case KNELL_FACT_SPLIT:
        add(w, "a split, %" PRIu32 " here, %" PRIu32 " silent: it must end", fact->sides.here, fact->sides.silent);
        break;
    }
    add(w, "\n");
}
