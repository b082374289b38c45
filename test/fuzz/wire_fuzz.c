/* Fuzz target of the wire codec and of what stands behind it: any bytes, twice.
 *
 * First as one datagram for worlds of several sizes: what can be read must be written as the very same bytes again,
 * and split into small parts and joined it must still be the same message. Then as a script for a running node of a
 * world of eight (see play): datagrams through a joiner into the node, mixed with the driver's own events. Whatever
 * the node sends must be encodable and readable, whatever it holds must be valid, and no assert of the core may be
 * reached.
 *
 * Built with libFuzzer (KNELL_FUZZ) or with replay.c as a plain test. */
#include "wire_fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- messages -------------------------------------------------------------------------------------------------- */

/* Sorted, disjoint, apart, `before` right, not all ranks. Returns how many. */
static uint32_t check_list(const struct knell_range *range, uint32_t count, uint32_t ranks)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        MUST(range[i].first <= range[i].last && range[i].last < ranks && range[i].before == size);
        MUST(i == 0 || range[i].first > range[i - 1].last + 1);
        size += range[i].last - range[i].first + 1;
    }
    MUST(size < ranks);
    return size;
}

static void check_subset(const struct knell_dead *dead, const struct knell_range *subset, uint32_t ranges,
                         uint32_t ranks)
{
    check_list(subset, ranges, ranks);
    for (uint32_t i = 0, at = 0; i < ranges; i++) {
        while (at < dead->gone_ranges && dead->gone[at].last < subset[i].first)
            at++;
        MUST(at < dead->gone_ranges && dead->gone[at].first <= subset[i].first);
        MUST(subset[i].last <= dead->gone[at].last);
    }
}

static void check_dead(const struct knell_dead *dead, uint32_t ranks)
{
    MUST(check_list(dead->gone, dead->gone_ranges, ranks) == dead->size);
    check_subset(dead, dead->left, dead->left_ranges, ranks);
    check_subset(dead, dead->settled, dead->settled_ranges, ranks);
}

static uint32_t ranges_of(const struct knell_body *body)
{
    return body->dead.gone_ranges + body->dead.left_ranges + body->dead.settled_ranges + body->agreed_ranges;
}

static uint8_t *encode_whole(const struct knell_route *route, const struct knell_body *body, size_t *used)
{
    size_t ranges = ranges_of(body);
    size_t room = KNELL_WIRE_MTU_MIN + 10 * ranges;
    struct knell_wire_cursor cursor = {0};
    uint8_t *bytes = malloc(room);
    MUST(knell_wire_encode(route, body, 0, &cursor, bytes, room, used) == 0 && cursor.done);
    return bytes;
}

/* Split into parts of at most `mtu` bytes and joined, a message is what it was: its one encoding is. */
static void check_split(const struct knell_route *route, const struct knell_body *body, uint32_t ranks, size_t mtu)
{
    uint32_t ranges = ranges_of(body) + 1;
    void *memory = malloc(knell_wire_join_size(1, ranges));
    uint8_t *bytes = malloc(mtu);
    struct knell_wire_cursor cursor = {0};
    struct knell_wire_join *join;
    struct knell_route came;
    struct knell_body read;
    bool whole = false;
    MUST(knell_wire_join_init(memory, ranks, 1, ranges, &join) == 0);
    while (!cursor.done) {
        size_t used;
        int error = knell_wire_encode(route, body, 77, &cursor, bytes, mtu, &used);
        MUST(error == 0 || (error == KNELL_ESPACE && mtu < KNELL_WIRE_MTU_MIN));
        if (error)
            break;
        MUST(!whole && knell_wire_join_feed(join, bytes, used, &whole, &came, &read) == 0);
    }
    MUST(whole == cursor.done);
    if (whole) {
        size_t a, b;
        uint8_t *first = encode_whole(route, body, &a), *second = encode_whole(&came, &read, &b);
        MUST(a == b && memcmp(first, second, a) == 0);
        free(first);
        free(second);
    }
    free(bytes);
    free(memory);
}

/* The input as one datagram. */
static void read_one(const uint8_t *data, size_t size, uint32_t ranks)
{
    struct knell_range *storage = malloc((size + 1) * sizeof *storage);
    struct knell_wire_part part;
    struct knell_route route;
    struct knell_body body;
    int error = knell_wire_decode(data, size, ranks, storage, size, &part, &route, &body);
    MUST(error == 0 || error == KNELL_EWIRE);
    if (error == 0 && part.whole) {
        size_t used;
        uint8_t *again = encode_whole(&route, &body, &used);
        MUST(used == size && memcmp(data, again, size) == 0);
        free(again);
        if (body.type != KNELL_MESSAGE_HEARTBEAT)
            check_dead(&body.dead, ranks);
        check_list(body.agreed, body.agreed_ranges, ranks);
        check_split(&route, &body, ranks, 48);
        check_split(&route, &body, ranks, KNELL_WIRE_MTU_MIN);
    }
    free(storage);
}

/* ---- a node that is played with -------------------------------------------------------------------------------- */

struct play {
    struct knell_config config;
    struct knell_node *node;
    struct knell_wire_join *join;
    knell_time now;
    struct knell_group group;
    knell_rank member[FUZZ_RANKS];
};

static void or_bits(uint8_t *into, const uint8_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        into[i] |= from[i];
}

static void and_bits(uint8_t *into, const uint8_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        into[i] &= from[i];
}

static knell_combine *const operations[] = {and_bits, or_bits};

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    (void)driver;
    for (uint32_t i = 0; i < count; i++)
        MUST(to[i] < FUZZ_RANKS);
    check_split(route, body, FUZZ_RANKS, KNELL_WIRE_MTU_MIN);
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    (void)driver;
    MUST(fact->rank < FUZZ_RANKS && fact->by < FUZZ_RANKS && fact->value_size <= KNELL_VALUE_MAX);
    check_list(fact->dead, fact->dead_ranges, FUZZ_RANKS);
    for (uint32_t i = 0; i < fact->value_size; i++)
        (void)*(const volatile uint8_t *)&fact->value[i]; /* the bytes are there */
}

static struct knell_node *move(struct knell_node *node, const struct knell_limits *limits)
{
    size_t size = knell_node_size(limits);
    if (size == 0 || size > 1 << 20)
        return NULL;
    struct knell_node *moved;
    MUST(knell_node_move(node, malloc(size), limits, &moved) == 0);
    free(node); /* a node begins where its block does */
    return moved;
}

/* Feeds an event, with as much memory as it takes up to a bound; beyond that the event is lost. */
static void step(struct play *play, struct knell_event event)
{
    const struct knell_sink sink = {play, on_send, on_tell};
    event.now = play->now;
    while (knell_node_step(play->node, &event, &sink) == KNELL_EFULL) {
        struct knell_limits wanted = knell_node_wanted(play->node);
        struct knell_node *moved = move(play->node, &wanted);
        if (!moved)
            break;
        play->node = moved;
    }
    struct knell_dead dead = knell_node_dead(play->node);
    check_dead(&dead, FUZZ_RANKS);
}

static void play_datagram(struct play *play, const uint8_t *bytes, size_t size)
{
    struct knell_body body;
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE, .as.message.body = &body};
    bool whole = false;
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    if (knell_wire_join_feed(play->join, exact, size, &whole, &event.as.message.route, &body) == 0 && whole)
        step(play, event);
    free(exact);
}

static void play_propose(struct play *play, unsigned with)
{
    static const uint8_t value[8] = {0xf0, 0x0f, 1, 2, 3, 4, 5, 6};
    uint64_t group = with & 1 ? play->group.id : KNELL_WORLD;
    step(play, (struct knell_event){.type = KNELL_EVENT_PROPOSE,
                                    .as.propose = {.group = group,
                                                   .kind = with >> 1 & 3,
                                                   .operation = with >> 3 & 1,
                                                   .size = with >> 4 & 1 ? 8 : 0,
                                                   .value = value,
                                                   .acked = knell_node_failures(play->node, group)}});
}

static void play_wish(struct play *play, unsigned with)
{
    struct knell_event event = {0};
    struct knell_limits same = {
        .dead_ranges = 5, .sources = 4, .groups = 1, .agreements = 3, .value_bytes = 64, .pending_bytes = 512};
    struct knell_node *moved;
    switch (with & 7) {
    case 0:
        event.type = KNELL_EVENT_GROUP;
        event.as.group.group = &play->group;
        break;
    case 1:
        event.type = KNELL_EVENT_DROP;
        event.as.drop.id = play->group.id;
        break;
    case 2:
        event.type = KNELL_EVENT_REVOKE;
        event.as.revoke.group = with & 8 ? play->group.id : KNELL_WORLD;
        break;
    case 3:
        event.type = KNELL_EVENT_RESUMED;
        event.as.resumed.gap = with >> 3;
        break;
    case 4:
        event.type = with & 8 ? KNELL_EVENT_LEAVE : KNELL_EVENT_TRIGGER;
        break;
    default: /* refused when a limit would shrink, which is as well */
        moved = malloc(knell_node_size(&same));
        if (knell_node_move(play->node, moved, &same, &moved) == 0) {
            free(play->node);
            play->node = moved;
        } else {
            free(moved);
        }
        return;
    }
    step(play, event);
}

static void play_open(struct play *play, uint8_t setup)
{
    struct knell_limits limits = {.dead_ranges = 2};
    if (setup & FUZZ_ROOMY)
        limits = knell_limits_default();
    knell_rank self = setup >> 4 & 7;
    play->config = (struct knell_config){
        .ranks = FUZZ_RANKS,
        .eta = 10,
        .delta = 30,
        .tau = 1,
        .overlay = setup & FUZZ_HBA ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT,
        .latest_only = setup & FUZZ_LATEST,
        .on_split = setup & FUZZ_SPLIT ? KNELL_SPLIT_END : KNELL_SPLIT_GO_ON,
        .combine = operations,
        .combine_count = 2,
    };
    play->group = (struct knell_group){.id = FUZZ_GROUP, .member = play->member};
    for (knell_rank rank = 0; rank < FUZZ_RANKS; rank++)
        if (rank == self || rank != FUZZ_OUTSIDER)
            play->member[play->group.size++] = rank;
    MUST(knell_node_init(malloc(knell_node_size(&limits)), &limits, &play->config, self, NULL, &play->node) == 0);
    MUST(knell_wire_join_init(malloc(knell_wire_join_size(2, 16)), FUZZ_RANKS, 2, 16, &play->join) == 0);
    step(play, (struct knell_event){.type = KNELL_EVENT_START, .as.start.first_heartbeat = 10});
}

/* The input as a script: a byte of setup, then acts (wire_fuzz.h). */
static void play_script(const uint8_t *data, size_t size)
{
    struct play play = {0};
    play_open(&play, data[0]);
    for (size_t at = 1; at < size;) {
        unsigned act = data[at] & 7, with = data[at] >> 3;
        at++;
        if (act <= FUZZ_DATAGRAM_LAST) {
            size_t length = with == 31 && at < size ? 31 + (size_t)data[at++] : with;
            if (length > size - at)
                length = size - at;
            play_datagram(&play, data + at, length);
            at += length;
        } else if (act == FUZZ_TICK) {
            knell_time deadline = knell_node_deadline(play.node);
            play.now = with == 0 && deadline != KNELL_NEVER && deadline > play.now ? deadline : play.now + with;
            step(&play, (struct knell_event){.type = KNELL_EVENT_TICK});
        } else if (act == FUZZ_SUSPECT) {
            enum knell_why why = with & 8 ? KNELL_WHY_LEFT : KNELL_WHY_KERNEL;
            step(&play, (struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {with & 7, why}});
        } else if (act == FUZZ_PROPOSE) {
            play_propose(&play, with);
        } else {
            play_wish(&play, with);
        }
    }
    free(play.node);
    free(play.join);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_one(data, size, FUZZ_RANKS);
    read_one(data, size, 256000);
    read_one(data, size, KNELL_RANKS_MAX);
    if (size > 0)
        play_script(data, size);
    return 0;
}
