/* wire_random: see wire_random.h. */
#include "wire_random.h"

#include <string.h>

static uint64_t below(struct knell_prng *g, uint64_t n)
{
    return knell_prng_below(g, n);
}

/* Any number up to `highest`, each length about as often. */
static uint64_t number(struct knell_prng *g, uint64_t highest)
{
    uint64_t drawn = knell_prng_next(g) >> below(g, 64);
    return below(g, 8) == 0 ? highest : drawn <= highest ? drawn : drawn % highest;
}

static uint32_t finish_list(struct knell_range *range, uint32_t count)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        range[i].before = size;
        size += range[i].last - range[i].first + 1;
    }
    return size;
}

/* One rank at either end stays out: never everyone. */
static uint32_t random_list(struct knell_prng *g, struct knell_range *range, uint32_t ranks, uint32_t most)
{
    uint32_t count = 0, wanted = (uint32_t)below(g, most + 1);
    uint64_t low = below(g, 2), end = ranks - 1 + low; /* within low .. end - 1 */
    while (count < wanted && low < end) {
        uint64_t share = (end - low) / (wanted - count), gap = below(g, 3) ? below(g, share / 2 + 1) : 0;
        uint64_t length = below(g, 3) ? 1 : 1 + below(g, share / 2 + 1);
        uint64_t first = low + gap, last = first + length - 1;
        if (last >= end)
            break;
        range[count++] = (struct knell_range){(knell_rank)first, (knell_rank)last, 0};
        low = last + 2;
    }
    finish_list(range, count);
    return count;
}

static uint32_t random_subset(struct knell_prng *g, struct knell_range *left, const struct knell_range *gone,
                              uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && n + 2 <= WIRE_RANGES; i++) {
        uint32_t length = gone[i].last - gone[i].first + 1, style = (uint32_t)below(g, 4);
        if (style == 0) {
            left[n++] = gone[i];
        } else if (style == 1 && length >= 3) { /* both ends */
            left[n++] = (struct knell_range){gone[i].first, gone[i].first, 0};
            left[n++] = (struct knell_range){gone[i].last, gone[i].last, 0};
        } else if (style == 2) {
            uint32_t first = gone[i].first + (uint32_t)below(g, length);
            left[n++] = (struct knell_range){first, first + (uint32_t)below(g, gone[i].last - first + 1), 0};
        }
    }
    finish_list(left, n);
    return n;
}

static void random_dead(struct wire_message *m, struct knell_prng *g, uint32_t ranks, uint32_t ranges)
{
    struct knell_dead *dead = &m->body.dead;
    dead->gone = m->gone;
    dead->left = m->left;
    dead->settled = m->settled;
    dead->gone_ranges = random_list(g, m->gone, ranks, ranges);
    dead->left_ranges = below(g, 2) ? random_subset(g, m->left, m->gone, dead->gone_ranges) : 0;
    dead->settled_ranges = below(g, 2) ? random_subset(g, m->settled, m->gone, dead->gone_ranges) : 0;
    dead->size = finish_list(m->gone, dead->gone_ranges);
    dead->digest = dead->gone_ranges ? knell_prng_next(g) : 0;
}

static void random_agreement(struct wire_message *m, struct knell_prng *g, uint32_t ranks, uint32_t ranges)
{
    struct knell_body *body = &m->body;
    body->flags = (uint8_t)below(g, 16) * 2;
    body->kind = (uint8_t)below(g, KNELL_KIND_END);
    body->operation = (uint8_t)number(g, 255);
    body->root = (uint32_t)number(g, ranks - 1);
    body->acked = below(g, 2) ? knell_prng_next(g) : 0;
    if (body->type == KNELL_MESSAGE_UP)
        body->known = below(g, 2) ? knell_prng_next(g) : 0;
    else
        body->flags |= (uint8_t)(below(g, 2) * KNELL_FLAG_SETTLES);
    if (body->flags & KNELL_FLAG_VALUE) {
        body->value_size = (uint32_t)number(g, KNELL_VALUE_MAX);
        for (uint32_t i = 0; i < body->value_size; i++)
            m->value[i] = (uint8_t)knell_prng_next(g);
        body->value = m->value;
    }
    if (body->type == KNELL_MESSAGE_DOWN) {
        body->agreed = m->agreed;
        body->agreed_ranges = random_list(g, m->agreed, ranks, ranges);
    }
}

void wire_random(struct wire_message *m, struct knell_prng *g, enum knell_message type, uint32_t ranks, uint32_t ranges)
{
    struct knell_body *body = &m->body;
    m->route = (struct knell_route){.from = (knell_rank)number(g, ranks - 1), .hops = 1};
    if (below(g, 2))
        m->route.hops = (uint8_t)(1 + number(g, 254));
    if (below(g, 4) == 0) {
        m->route.cube = (uint8_t)below(g, 2);
        m->route.copy = (uint8_t)below(g, 32);
        m->route.dimension = (uint8_t)below(g, 32);
    }
    *body = (struct knell_body){.type = (uint8_t)type, .subject = KNELL_NOBODY};
    switch (type) {
    case KNELL_MESSAGE_HEARTBEAT:
        body->emitted = (knell_time)number(g, INT64_MAX) * (below(g, 2) ? 1 : -1);
        body->dead.size = (uint32_t)number(g, ranks - 1);
        body->dead.digest = body->dead.size ? knell_prng_next(g) : 0;
        return;
    case KNELL_MESSAGE_NEW_OBSERVER:
    case KNELL_MESSAGE_TRIGGER:
        return;
    case KNELL_MESSAGE_BROADCAST:
        body->source = (knell_rank)number(g, ranks - 1);
        body->subject = below(g, 4) ? (knell_rank)number(g, ranks - 1) : KNELL_NOBODY;
        body->why = (uint8_t)(1 + below(g, KNELL_WHY_END - 1));
        body->sequence = (uint32_t)number(g, UINT32_MAX);
        break;
    case KNELL_MESSAGE_SYNC:
        body->flags = (uint8_t)below(g, 2);
        break;
    case KNELL_MESSAGE_REVOKE:
        body->source = (knell_rank)number(g, ranks - 1);
        body->group = number(g, UINT64_MAX);
        break;
    default:
        body->group = number(g, UINT64_MAX);
        body->sequence = (uint32_t)number(g, UINT32_MAX);
        random_agreement(m, g, ranks, ranges);
    }
    random_dead(m, g, ranks, ranges);
}

/* Far ranks, and stretches so long that every number takes all its bytes. */
static void longest_list(struct knell_range *range, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i == 0 ? UINT32_C(1) << 28 : range[i - 1].last + 2;
        uint32_t length = i == 0 ? UINT32_C(1) << 29 : 1;
        range[i] = (struct knell_range){first, first + length, 0};
    }
    finish_list(range, count);
}

void wire_longest(struct wire_message *m, enum knell_message type, uint32_t ranges)
{
    knell_rank rank = KNELL_RANKS_MAX - 1;
    longest_list(m->gone, ranges);
    longest_list(m->left, ranges);
    longest_list(m->settled, ranges);
    longest_list(m->agreed, ranges);
    memset(m->value, 0xff, sizeof m->value);
    m->route = (struct knell_route){rank, 255, 1, 31, 31};
    m->body = (struct knell_body){
        .type = (uint8_t)type,
        .why = KNELL_WHY_LEFT,
        .source = rank,
        .sequence = UINT32_MAX,
        .subject = rank,
        .emitted = INT64_MIN,
        .dead = {m->gone, m->left, m->settled, ranges, ranges, ranges, KNELL_RANKS_MAX - 1, UINT64_MAX},
    };
    if (type == KNELL_MESSAGE_REVOKE || type >= KNELL_MESSAGE_UP)
        m->body.group = UINT64_MAX;
    if (type < KNELL_MESSAGE_UP)
        return;
    m->body.flags = KNELL_FLAG_VALUE;
    m->body.kind = KNELL_KIND_CREATE;
    m->body.operation = 255;
    m->body.acked = UINT64_MAX;
    m->body.known = UINT64_MAX;
    m->body.root = rank;
    m->body.value_size = KNELL_VALUE_MAX;
    m->body.value = m->value;
    m->body.agreed = m->agreed;
    m->body.agreed_ranges = type == KNELL_MESSAGE_DOWN ? ranges : 0;
}

static bool same_list(const struct knell_range *a, uint32_t a_count, const struct knell_range *b, uint32_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

bool wire_same(const struct wire_message *written, const struct knell_route *route, const struct knell_body *body)
{
    const struct knell_body *a = &written->body, *b = body;
    const struct knell_route *r = &written->route;
    return r->from == route->from && r->hops == route->hops && r->cube == route->cube && r->copy == route->copy &&
           r->dimension == route->dimension && a->type == b->type && a->why == b->why && a->flags == b->flags &&
           a->kind == b->kind && a->operation == b->operation && a->source == b->source && a->sequence == b->sequence &&
           a->subject == b->subject && a->emitted == b->emitted && a->group == b->group && a->acked == b->acked &&
           a->known == b->known && a->root == b->root && a->value_size == b->value_size &&
           (a->value_size == 0 || memcmp(a->value, b->value, a->value_size) == 0) && a->dead.size == b->dead.size &&
           a->dead.digest == b->dead.digest &&
           same_list(a->dead.gone, a->dead.gone_ranges, b->dead.gone, b->dead.gone_ranges) &&
           same_list(a->dead.left, a->dead.left_ranges, b->dead.left, b->dead.left_ranges) &&
           same_list(a->dead.settled, a->dead.settled_ranges, b->dead.settled, b->dead.settled_ranges) &&
           same_list(a->agreed, a->agreed_ranges, b->agreed, b->agreed_ranges);
}
