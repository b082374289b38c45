/* wire.c: the format of a message, in one walk for writing and reading (docs/design/wire.md).
 *
 *      version and type, shape, from [number offset count] [totals]      in every part
 *      [hops] [path] fields of the type [digest]                         in the first
 *      ranges
 *
 * Single fields are coded in coder.c, ranges in wire_ranges.c; parts are put together in wire_join.c. */
#include <knell/wire.h>

#include "core/coder.h"
#include "core/wire_ranges.h"

/* What is out of the ordinary, so that the ordinary costs nothing. */
enum {
    SHAPE_SPLIT = 1,    /* one part of several */
    SHAPE_HOPS = 2,     /* not the first hop */
    SHAPE_PATH = 4,     /* hba: cube, copy, dimension */
    SHAPE_ACKED = 8,    /* some failures are acknowledged */
    SHAPE_SETTLED = 16, /* some of the dead are settled */
    SHAPE_KNOWN = 32,   /* those who speak say which dead they all know */
    SHAPE_ALL = 63,
};

/* Which fields a type has, in the order in which they are coded. */
enum {
    HAS_BEAT = 1, /* emitted, size, digest */
    HAS_SOURCE = 2,
    HAS_SUBJECT = 4, /* and why */
    HAS_FLAGS = 8,
    HAS_GROUP = 16,
    HAS_SEQUENCE = 32,
    HAS_VALUE = 64, /* kind, operation, root, acked, value */
    HAS_DEAD = 128,
    HAS_AGREED = 256,
};

struct format {
    uint16_t has;
    uint8_t flags; /* that may be set */
};

#define AGREEMENT_FLAGS (KNELL_FLAG_REVOKED | KNELL_FLAG_ACKED | KNELL_FLAG_MISMATCH | KNELL_FLAG_VALUE)
#define DECISION_FLAGS (AGREEMENT_FLAGS | KNELL_FLAG_ANSWER | KNELL_FLAG_HELD | KNELL_FLAG_SETTLES)
#define AGREEMENT_FIELDS (HAS_FLAGS | HAS_GROUP | HAS_SEQUENCE | HAS_VALUE | HAS_DEAD)

static const struct format formats[KNELL_MESSAGE_END] = {
    [KNELL_MESSAGE_HEARTBEAT] = {HAS_BEAT, 0},
    [KNELL_MESSAGE_NEW_OBSERVER] = {0, 0},
    [KNELL_MESSAGE_TRIGGER] = {0, 0},
    [KNELL_MESSAGE_BROADCAST] = {HAS_SOURCE | HAS_SUBJECT | HAS_SEQUENCE | HAS_DEAD, 0},
    [KNELL_MESSAGE_SYNC] = {HAS_FLAGS | HAS_DEAD, KNELL_FLAG_ANSWER},
    [KNELL_MESSAGE_REVOKE] = {HAS_SOURCE | HAS_GROUP | HAS_DEAD, 0},
    [KNELL_MESSAGE_UP] = {AGREEMENT_FIELDS, AGREEMENT_FLAGS},
    [KNELL_MESSAGE_DOWN] = {AGREEMENT_FIELDS | HAS_AGREED, DECISION_FLAGS},
};

/* A part under way: everything but the ranges themselves. */
struct frame {
    uint8_t shape;
    struct knell_wire_part part;
    struct knell_route route;
    struct knell_body body;
};

/* ---- in every part --------------------------------------------------------------------------------------------- */

static void code_type(struct knell__coder *coder, struct frame *frame)
{
    uint8_t first = (uint8_t)(KNELL_WIRE_VERSION << 4 | frame->body.type);
    knell__code_byte(coder, &first);
    frame->body.type = first & 15;
    if (first >> 4 != KNELL_WIRE_VERSION || frame->body.type < 1 || frame->body.type >= KNELL_MESSAGE_END) {
        knell__coder_refuse(coder);
        frame->body.type = KNELL_MESSAGE_TRIGGER; /* any that exists: the walk goes on */
    }
}

/* A list of r ranks has at most (r + 1) / 2 stretches, so three of them together stay below 2^32; four might not. */
static void code_totals(struct knell__coder *coder, struct frame *frame)
{
    struct knell_wire_part *part = &frame->part;
    uint32_t most = coder->ranks / 2 + 1;
    if (!(formats[frame->body.type].has & HAS_DEAD))
        return;
    knell__code_u32(coder, &part->gone, most);
    if (part->gone > 0)
        knell__code_u32(coder, &part->left, most);
    if (frame->shape & SHAPE_SETTLED) {
        knell__code_u32(coder, &part->settled, most);
        if (part->settled == 0 || part->gone == 0)
            knell__coder_refuse(coder);
    }
    if (formats[frame->body.type].has & HAS_AGREED)
        knell__code_u32(coder, &part->agreed, most);
    if (part->agreed > UINT32_MAX - (part->gone + part->left + part->settled))
        knell__coder_refuse(coder);
}

static void code_place(struct knell__coder *coder, struct knell_wire_part *part, bool split)
{
    if (split) {
        knell__code_u32(coder, &part->number, UINT32_MAX);
        knell__code_u32(coder, &part->offset, UINT32_MAX);
        knell__code_u32(coder, &part->count, UINT32_MAX);
    }
}

static void check_place(struct knell__coder *coder, struct knell_wire_part *part, bool split)
{
    uint32_t total = knell__part_total(part);
    part->whole = !split;
    if (!split)
        part->count = total;
    else if (part->count == 0 || part->count >= total || part->offset > total - part->count)
        knell__coder_refuse(coder);
}

/* ---- in the first part ----------------------------------------------------------------------------------------- */

static void code_route(struct knell__coder *coder, uint8_t shape, struct knell_route *route)
{
    if (shape & SHAPE_HOPS) {
        knell__code_byte(coder, &route->hops);
        if (route->hops < 2)
            knell__coder_refuse(coder);
    }
    if (shape & SHAPE_PATH) {
        uint32_t path = route->cube | (uint32_t)route->copy << 1 | (uint32_t)route->dimension << 6;
        if (route->cube > 1 || route->copy > 31 || route->dimension > 31)
            knell__coder_refuse(coder);
        knell__code_u32(coder, &path, (1 << 11) - 1);
        if (path == 0)
            knell__coder_refuse(coder);
        route->cube = path & 1;
        route->copy = path >> 1 & 31;
        route->dimension = (uint8_t)(path >> 6);
    }
}

static void code_beat(struct knell__coder *coder, struct knell_body *body)
{
    knell__code_time(coder, &body->emitted);
    knell__code_u32(coder, &body->dead.size, coder->ranks - 1);
    if (body->dead.size > 0)
        knell__code_digest(coder, &body->dead.digest);
}

static void code_subject(struct knell__coder *coder, struct knell_body *body)
{
    uint32_t beyond = body->subject + 1; /* KNELL_NOBODY is 0 */
    knell__code_u32(coder, &beyond, coder->ranks);
    body->subject = beyond - 1;
    knell__code_byte(coder, &body->why);
    if (body->why < 1 || body->why >= KNELL_WHY_END)
        knell__coder_refuse(coder);
}

static void code_value(struct knell__coder *coder, uint8_t shape, struct knell_body *body)
{
    knell__code_byte(coder, &body->kind);
    if (body->kind >= KNELL_KIND_END)
        knell__coder_refuse(coder);
    knell__code_byte(coder, &body->operation);
    knell__code_u32(coder, &body->root, coder->ranks - 1);
    if (shape & SHAPE_ACKED) {
        knell__code_digest(coder, &body->acked);
        if (body->acked == 0)
            knell__coder_refuse(coder);
    }
    if (shape & SHAPE_KNOWN) {
        knell__code_digest(coder, &body->known);
        if (body->known == 0)
            knell__coder_refuse(coder);
    }
    if (body->flags & KNELL_FLAG_VALUE) {
        knell__code_u32(coder, &body->value_size, KNELL_VALUE_MAX);
        knell__code_bytes(coder, &body->value, body->value_size);
    } else if (body->value_size > 0) {
        knell__coder_refuse(coder);
    }
}

static void code_fields(struct knell__coder *coder, struct frame *frame)
{
    const struct format *format = &formats[frame->body.type];
    struct knell_body *body = &frame->body;
    if (format->has & HAS_BEAT)
        code_beat(coder, body);
    if (format->has & HAS_SOURCE)
        knell__code_u32(coder, &body->source, coder->ranks - 1);
    if (format->has & HAS_SUBJECT)
        code_subject(coder, body);
    if (format->has & HAS_FLAGS) {
        knell__code_byte(coder, &body->flags);
        if (body->flags & ~format->flags)
            knell__coder_refuse(coder);
    }
    if (format->has & HAS_GROUP)
        knell__code_number(coder, &body->group, UINT64_MAX);
    if (format->has & HAS_SEQUENCE)
        knell__code_u32(coder, &body->sequence, UINT32_MAX);
    if (format->has & HAS_VALUE)
        code_value(coder, frame->shape, body);
    if (frame->part.gone > 0)
        knell__code_digest(coder, &body->dead.digest);
}

/* Everything before the ranges. */
static void code_frame(struct knell__coder *coder, struct frame *frame)
{
    code_type(coder, frame);
    knell__code_byte(coder, &frame->shape);
    bool split = frame->shape & SHAPE_SPLIT;
    bool valued = formats[frame->body.type].has & HAS_VALUE;
    bool listed = formats[frame->body.type].has & HAS_DEAD;
    if (frame->shape & ~SHAPE_ALL || (frame->shape & SHAPE_ACKED && !valued) ||
        (frame->shape & SHAPE_SETTLED && !listed) ||
        (frame->shape & SHAPE_KNOWN && frame->body.type != KNELL_MESSAGE_UP))
        knell__coder_refuse(coder);
    knell__code_u32(coder, &frame->route.from, coder->ranks - 1);
    code_place(coder, &frame->part, split);
    code_totals(coder, frame);
    check_place(coder, &frame->part, split);
    if (frame->part.offset == 0) {
        code_route(coder, frame->shape, &frame->route);
        code_fields(coder, frame);
    } else if ((frame->shape & ~SHAPE_SETTLED) != SHAPE_SPLIT) {
        knell__coder_refuse(coder);
    }
}

/* ---- out ------------------------------------------------------------------------------------------------------- */

/* What a message has that its type does not say is not sent; what could not be read again is refused. */
static int make_frame(const struct knell_route *route, const struct knell_body *body, uint32_t number, uint32_t offset,
                      struct frame *frame)
{
    if (body->type < 1 || body->type >= KNELL_MESSAGE_END || route->hops == 0)
        return KNELL_EINVAL;
    uint16_t has = formats[body->type].has;
    *frame = (struct frame){.part = {.number = number, .offset = offset}, .route = *route, .body = *body};
    if (has & HAS_DEAD) {
        frame->part.gone = body->dead.gone_ranges;
        frame->part.left = body->dead.left_ranges;
        frame->part.settled = body->dead.settled_ranges;
    }
    if (has & HAS_AGREED)
        frame->part.agreed = body->agreed_ranges;
    bool empty = has & HAS_BEAT ? body->dead.size == 0 : frame->part.gone == 0;
    if (has & (HAS_BEAT | HAS_DEAD) && empty &&
        (body->dead.digest != 0 || frame->part.left > 0 || frame->part.settled > 0))
        return KNELL_EINVAL;
    if (frame->part.settled > 0)
        frame->shape |= SHAPE_SETTLED;
    if (offset > 0)
        return 0;
    if (route->hops != 1)
        frame->shape |= SHAPE_HOPS;
    if (route->cube || route->copy || route->dimension)
        frame->shape |= SHAPE_PATH;
    if (has & HAS_VALUE && body->acked != 0)
        frame->shape |= SHAPE_ACKED;
    if (body->type == KNELL_MESSAGE_UP && body->known != 0)
        frame->shape |= SHAPE_KNOWN;
    return 0;
}

/* How many of the ranges that the frame names fit into `room` with it. */
static int measure(const struct frame *frame, size_t room, uint32_t *fits)
{
    struct knell__coder coder = {.size = room, .ranks = KNELL_RANKS_MAX};
    struct frame walked = *frame;
    code_frame(&coder, &walked);
    if (coder.error)
        return coder.error;
    uint32_t count = knell__code_row(&coder, &walked.part, &walked.body, NULL);
    if (coder.error == KNELL_EINVAL)
        return KNELL_EINVAL;
    *fits = count;
    return 0;
}

/* Settles what goes into this part: everything if it fits, else as many ranges as do. The count is measured at its
 * longest; a byte or two may stay unused. */
static int choose(struct frame *frame, size_t room)
{
    uint32_t total = knell__part_total(&frame->part), fits = 0;
    if (frame->part.offset == 0) {
        int error = measure(frame, room, &fits);
        if (error == KNELL_EINVAL || (error == 0 && fits == total))
            return error;
        if (total < 2)
            return KNELL_ESPACE;
    }
    frame->shape |= SHAPE_SPLIT;
    frame->part.count = frame->part.offset ? total - frame->part.offset : total - 1; /* never all in one */
    int error = measure(frame, room, &fits);
    if (error)
        return error;
    frame->part.count = fits;
    return fits ? 0 : KNELL_ESPACE;
}

int knell_wire_encode(const struct knell_route *route, const struct knell_body *body, uint32_t number,
                      struct knell_wire_cursor *cursor, uint8_t *bytes, size_t room, size_t *used)
{
    struct frame frame;
    int error = cursor->done ? KNELL_EINVAL : make_frame(route, body, number, cursor->next, &frame);
    if (error == 0)
        error = choose(&frame, room);
    if (error)
        return error;
    struct knell__coder coder = {.out = bytes, .size = room, .ranks = KNELL_RANKS_MAX};
    code_frame(&coder, &frame);
    knell__code_row(&coder, &frame.part, &frame.body, NULL);
    if (coder.error)
        return coder.error;
    cursor->next += frame.part.count;
    cursor->done = cursor->next == knell__part_total(&frame.part);
    *used = coder.used;
    return 0;
}

/* ---- in -------------------------------------------------------------------------------------------------------- */

int knell_wire_decode(const uint8_t *bytes, size_t size, uint32_t ranks, struct knell_range *storage,
                      size_t storage_ranges, struct knell_wire_part *part, struct knell_route *route,
                      struct knell_body *body)
{
    if (ranks < 2 || ranks > KNELL_RANKS_MAX)
        return KNELL_EINVAL;
    if (size == 0)
        return KNELL_EWIRE;
    struct knell__coder coder = {.in = bytes, .size = size, .ranks = ranks};
    struct frame frame = {.route = {.hops = 1}, .body = {.subject = KNELL_NOBODY}};
    code_frame(&coder, &frame);
    if (coder.error)
        return coder.error;
    if (frame.part.count > size - coder.used) /* a range takes a byte at least */
        return KNELL_EWIRE;
    if (frame.part.count > storage_ranges)
        return KNELL_ESPACE;
    knell__code_row(&coder, &frame.part, NULL, storage);
    if (coder.error || coder.used != size)
        return KNELL_EWIRE;
    if (frame.part.whole && !knell__row_settle(&frame.part, ranks, storage, &frame.body))
        return KNELL_EWIRE;
    *part = frame.part;
    *route = frame.route;
    *body = frame.body;
    return 0;
}
