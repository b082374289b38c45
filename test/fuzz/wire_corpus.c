/* wire_corpus FOLDER: writes the inputs from which wire_fuzz.c starts.
 *
 * script-*: what one node of a small random world really went through, its datagrams and the driver's wishes, as acts
 * of wire_fuzz.h. part-*: one encoding of each type as it came by. Hostile inputs are kept by hand beside them, as are
 * those that a fuzzer found. The same core gives the same folder. */
#include "util/prng.h"
#include "wire_fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX 1200
#define QUEUE 4096
#define ROOM KNELL_WIRE_MTU_MIN
#define SMALL 30 /* bytes: splits the lists of even this world */

struct datagram {
    knell_rank to;
    size_t size;
    uint8_t bytes[ROOM];
};

struct world {
    const char *folder;
    struct knell_prng random;
    struct knell_config config;
    struct knell_group group;
    knell_rank member[FUZZ_RANKS];
    struct knell_node *node[FUZZ_RANKS];
    struct knell_wire_join *join[FUZZ_RANKS];
    bool crashed[FUZZ_RANKS];
    struct datagram queue[QUEUE];
    unsigned queued;
    uint32_t number;
    knell_time now;
    knell_rank self; /* whose script it is */
    uint8_t script[SCRIPT_MAX + 64];
    size_t size;
    bool seen[KNELL_MESSAGE_END];
};

static void save(const struct world *w, const char *kind, unsigned number, const uint8_t *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%02u", w->folder, kind, number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void put(struct world *w, uint8_t byte)
{
    if (w->size < SCRIPT_MAX)
        w->script[w->size++] = byte;
}

static void put_datagram(struct world *w, const struct datagram *datagram)
{
    size_t size = datagram->size;
    if (size > 31 + 255 || w->size + size + 2 > SCRIPT_MAX) {
        w->size = SCRIPT_MAX; /* from here on it would not be what the node saw */
        return;
    }
    put(w, (uint8_t)(FUZZ_DATAGRAM | (size < 31 ? size : 31) << 3));
    if (size >= 31)
        put(w, (uint8_t)(size - 31));
    memcpy(w->script + w->size, datagram->bytes, size);
    w->size += size;
}

/* ---- the world ------------------------------------------------------------------------------------------------- */

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    struct world *w = driver;
    size_t room = knell_prng_below(&w->random, 4) == 0 && body->value_size == 0 ? SMALL : ROOM;
    w->number++;
    for (uint32_t i = 0; i < count; i++) {
        struct knell_wire_cursor cursor = {0};
        while (!cursor.done && w->queued < QUEUE) {
            struct datagram *datagram = &w->queue[w->queued];
            datagram->to = to[i];
            while (knell_wire_encode(route, body, w->number, &cursor, datagram->bytes, room, &datagram->size) != 0)
                room = ROOM;
            w->queued++;
            if (!w->seen[body->type])
                save(w, "part", body->type, datagram->bytes, datagram->size);
            w->seen[body->type] = true;
        }
    }
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    (void)driver;
    (void)fact;
}

static void step(struct world *w, knell_rank rank, struct knell_event event)
{
    const struct knell_sink sink = {w, on_send, on_tell};
    event.now = w->now;
    if (!w->crashed[rank])
        knell_node_step(w->node[rank], &event, &sink);
}

static void deliver_one(struct world *w)
{
    unsigned at = (unsigned)knell_prng_below(&w->random, w->queued);
    struct datagram datagram = w->queue[at];
    w->queue[at] = w->queue[--w->queued];
    if (datagram.to == w->self)
        put_datagram(w, &datagram);
    struct knell_body body;
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE, .as.message.body = &body};
    bool whole = false;
    if (knell_wire_join_feed(w->join[datagram.to], datagram.bytes, datagram.size, &whole, &event.as.message.route,
                             &body) == 0 &&
        whole)
        step(w, datagram.to, event);
}

static void wish(struct world *w)
{
    static const uint8_t value[8] = {0xf0, 0x0f, 1, 2, 3, 4, 5, 6};
    knell_rank rank = (knell_rank)knell_prng_below(&w->random, FUZZ_RANKS);
    uint8_t with = (uint8_t)knell_prng_below(&w->random, 32), act = FUZZ_WISH;
    struct knell_event event = {0};
    switch (knell_prng_below(&w->random, 12)) {
    case 0:
        w->crashed[rank] |= rank != w->self;
        return;
    case 1:
        act = FUZZ_SUSPECT;
        event = (struct knell_event){.type = KNELL_EVENT_SUSPECT,
                                     .as.suspect = {with & 7, with & 8 ? KNELL_WHY_LEFT : KNELL_WHY_KERNEL}};
        break;
    case 2:
        with = 2 | (with & 8);
        event.type = KNELL_EVENT_REVOKE;
        event.as.revoke.group = with & 8 ? FUZZ_GROUP : KNELL_WORLD;
        break;
    case 3:
        with = 4 | 8;
        event.type = KNELL_EVENT_LEAVE;
        if (rank == w->self)
            return;
        break;
    case 4:
        with = 0;
        event = (struct knell_event){.type = KNELL_EVENT_GROUP, .as.group.group = &w->group};
        break;
    default: /* everyone, as programs do */
        act = FUZZ_PROPOSE;
        event = (struct knell_event){.type = KNELL_EVENT_PROPOSE,
                                     .as.propose = {.group = with & 1 ? FUZZ_GROUP : KNELL_WORLD,
                                                    .kind = with >> 1 & 3,
                                                    .operation = with >> 3 & 1,
                                                    .size = with >> 4 & 1 ? 8 : 0,
                                                    .value = value}};
        for (knell_rank i = 0; i < FUZZ_RANKS; i++)
            step(w, i, event);
        put(w, (uint8_t)(act | with << 3));
        return;
    }
    if (rank == w->self)
        put(w, (uint8_t)(act | with << 3));
    step(w, rank, event);
}

static void open_world(struct world *w, uint8_t setup)
{
    const struct knell_limits limits = {
        .dead_ranges = 5, .sources = 8, .groups = 2, .agreements = 6, .value_bytes = 8, .pending_bytes = 4096};
    w->config = (struct knell_config){
        .ranks = FUZZ_RANKS,
        .eta = 10,
        .delta = 30,
        .tau = 1,
        .overlay = setup & FUZZ_HBA ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT,
        .latest_only = setup & FUZZ_LATEST,
        .on_split = setup & FUZZ_SPLIT ? KNELL_SPLIT_END : KNELL_SPLIT_GO_ON,
    };
    w->self = setup >> 4;
    put(w, setup);
    w->group = (struct knell_group){.id = FUZZ_GROUP, .member = w->member};
    for (knell_rank rank = 0; rank < FUZZ_RANKS; rank++)
        if (rank != FUZZ_OUTSIDER)
            w->member[w->group.size++] = rank;
    for (knell_rank rank = 0; rank < FUZZ_RANKS; rank++) {
        if (knell_node_init(malloc(knell_node_size(&limits)), &limits, &w->config, rank, NULL, &w->node[rank]) != 0 ||
            knell_wire_join_init(malloc(knell_wire_join_size(8, 16)), FUZZ_RANKS, 8, 16, &w->join[rank]) != 0)
            abort();
        step(w, rank, (struct knell_event){.type = KNELL_EVENT_START, .as.start.first_heartbeat = 10});
    }
}

static void close_world(struct world *w)
{
    for (knell_rank rank = 0; rank < FUZZ_RANKS; rank++) {
        free(w->node[rank]);
        free(w->join[rank]);
    }
}

static void run_world(struct world *w)
{
    for (unsigned round = 0; round < 30 && w->size < SCRIPT_MAX; round++) {
        wish(w);
        for (unsigned i = 0; w->queued > 0 && (i < 60 || round % 4 == 0); i++)
            deliver_one(w);
        w->now += 5;
        put(w, FUZZ_TICK | 5 << 3);
        for (knell_rank rank = 0; rank < FUZZ_RANKS; rank++)
            step(w, rank, (struct knell_event){.type = KNELL_EVENT_TICK});
    }
}

int main(int argc, char **argv)
{
    static struct world w;
    static bool seen[KNELL_MESSAGE_END];
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < 24; i++) {
        memset(&w, 0, sizeof w);
        w.folder = argv[1];
        memcpy(w.seen, seen, sizeof seen);
        knell_prng_seed(&w.random, i);
        open_world(&w, (uint8_t)((i * 3 % FUZZ_RANKS) << 4 | (i & 7) | (i & 16 ? FUZZ_SPLIT : 0)));
        run_world(&w);
        save(&w, "script", i, w.script, w.size);
        memcpy(seen, w.seen, sizeof seen);
        close_world(&w);
    }
    return 0;
}
