/* channel_in: the receiving side of channel.h: what is authentic, what is new, what is to be acknowledged. */
#include "runtime/channel.h"

/* A list holds each peer once: an entry whose acknowledgement has gone out by other ways stays until the list is emptied. */
static void ack_later(struct knell__channel *channel, knell_time now, knell_rank to)
{
    struct knell__peer *peer = &channel->peer[to];
    if (peer->ack_due)
        return;
    bool listed = false;
    for (uint32_t i = 0; i < channel->acks && !listed; i++)
        listed = channel->ack_list[i] == to;
    if (!listed)
        channel->ack_list[channel->acks++] = to;
    peer->ack_due = true;
    if (channel->ack_at == KNELL_NEVER)
        channel->ack_at = now + channel->ack_after;
}

void knell__channel_ack_done(struct knell__channel *channel, knell_rank to)
{
    channel->peer[to].ack_due = false;
}

/* True for a number that has not come before; false also for one beyond any window, which no honest peer sends. */
static bool is_new(struct knell__peer *peer, uint32_t number)
{
    if (number > peer->in_high) {
        uint32_t step = number - peer->in_high;
        if (step > KNELL__WINDOW)
            return false;
        peer->in_bits = step == KNELL__WINDOW ? 1 : peer->in_bits << step | 1;
        peer->in_high = number;
        return true;
    }
    uint32_t below = peer->in_high - number;
    if (number == 0 || below >= KNELL__WINDOW || (peer->in_bits >> below & 1))
        return false;
    peer->in_bits |= UINT64_C(1) << below;
    return true;
}

static bool receive_data(struct knell__channel *channel, knell_time now, const struct knell__frame *frame)
{
    bool fresh = is_new(&channel->peer[frame->from], frame->number);
    channel->counters.duplicates += !fresh;
    ack_later(channel, now, frame->from); /* also a duplicate: the first acknowledgement may be lost */
    return fresh;
}

bool knell__channel_receive(struct knell__channel *channel, knell_time now, const uint8_t *bytes, size_t size,
                            struct knell__received *got)
{
    struct knell__received read;
    int error = knell__frame_open(channel->key, channel->self, channel->ranks, bytes, size, &read.frame, &read.payload,
                                  &read.size);
    if (error) {
        channel->counters.refused_format += error == KNELL_EWIRE;
        channel->counters.refused_tag += error == KNELL_EAUTH;
        return false;
    }
    knell__channel_acknowledged(channel, now, read.frame.from, read.frame.ack, read.frame.ack_bits);
    bool deliver = read.frame.kind != KNELL__FRAME_ACK;
    if (read.frame.kind == KNELL__FRAME_DATA)
        deliver = receive_data(channel, now, &read.frame);
    if (read.frame.kind == KNELL__FRAME_BYE)
        knell__channel_close(channel, read.frame.from);
    if (deliver)
        *got = read;
    return deliver;
}
