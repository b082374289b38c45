/* stream.c: see stream.h. */
#include "channel/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 16 << 10 };

/* ---- buffers --------------------------------------------------------------------------------------------------------- */

/* Room for so many more bytes behind the end. */
static bool make_room(struct channel_buffer *buffer, size_t size)
{
    if (buffer->begin > 0 && buffer->room - buffer->end < size) {
        memmove(buffer->bytes, buffer->bytes + buffer->begin, buffer->end - buffer->begin);
        buffer->end -= buffer->begin;
        buffer->begin = 0;
    }
    if (buffer->room - buffer->end >= size)
        return true;
    size_t room = 2 * (buffer->end + size);
    uint8_t *bytes = realloc(buffer->bytes, room);
    if (!bytes)
        return false;
    buffer->bytes = bytes;
    buffer->room = room;
    return true;
}

static void append(struct channel_buffer *buffer, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(buffer->bytes + buffer->end, bytes, size);
    buffer->end += size;
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

void channel_stream_open(struct channel_stream *stream, int fd)
{
    *stream = (struct channel_stream){.fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void channel_stream_close(struct channel_stream *stream)
{
    if (stream->fd >= 0)
        close(stream->fd);
    free(stream->in.bytes);
    free(stream->out.bytes);
    *stream = (struct channel_stream){.fd = -1, .lost = true};
}

/* By the errno of a failed transfer. */
static void lose(struct channel_stream *stream)
{
    stream->lost = true;
    stream->silent = errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH;
    stream->reset = errno == ECONNRESET;
}

/* ---- out ------------------------------------------------------------------------------------------------------------- */

void channel_flush(struct channel_stream *stream)
{
    struct channel_buffer *out = &stream->out;
    while (!stream->lost && out->begin < out->end) {
        ssize_t sent = send(stream->fd, out->bytes + out->begin, out->end - out->begin, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0 && errno != EINTR)
            lose(stream);
        out->begin += sent > 0 ? (size_t)sent : 0;
    }
    out->begin = out->end = 0;
}

void channel_put(struct channel_stream *stream, enum channel_kind kind, const void *head, size_t head_size,
                 const void *body, size_t body_size)
{
    struct channel_head first = {(uint32_t)(head_size + body_size), kind};
    if (stream->lost)
        return;
    if (!make_room(&stream->out, sizeof first + head_size + body_size)) {
        stream->lost = true;
        return;
    }
    append(&stream->out, &first, sizeof first);
    append(&stream->out, head, head_size);
    append(&stream->out, body, body_size);
    channel_flush(stream);
}

size_t channel_unsent(const struct channel_stream *stream)
{
    return stream->lost ? 0 : stream->out.end - stream->out.begin;
}

/* ---- in -------------------------------------------------------------------------------------------------------------- */

void channel_fill(struct channel_stream *stream)
{
    struct channel_buffer *in = &stream->in;
    while (!stream->lost) {
        if (!make_room(in, PIECE)) {
            stream->lost = true;
            return;
        }
        ssize_t got = recv(stream->fd, in->bytes + in->end, in->room - in->end, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got < 0)
            lose(stream);
        else if (got == 0)
            stream->lost = true;
        in->end += got > 0 ? (size_t)got : 0;
        if (in->end - in->begin > (size_t)4 * CHANNEL_BODY_MAX) /* messages first, then more of them */
            return;
    }
}

bool channel_next(struct channel_stream *stream, struct channel_message *message)
{
    struct channel_buffer *in = &stream->in;
    struct channel_head head;
    size_t there = in->end - in->begin;
    if (there < sizeof head)
        return false;
    memcpy(&head, in->bytes + in->begin, sizeof head);
    if (head.size > CHANNEL_BODY_MAX || head.kind < 1 || head.kind >= CHANNEL_KINDS) {
        stream->lost = true;
        in->begin = in->end = 0;
        return false;
    }
    if (there < sizeof head + head.size)
        return false;
    *message = (struct channel_message){head.kind, head.size, in->bytes + in->begin + sizeof head};
    in->begin += sizeof head + head.size;
    return true;
}
