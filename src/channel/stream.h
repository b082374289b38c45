/* stream.h: messages over a connected socket that never blocks. Both ends of the supervisor's channel use it. */
#ifndef KNELL_CHANNEL_STREAM_H
#define KNELL_CHANNEL_STREAM_H

#include "channel/wire.h"

#include <stdbool.h>

struct channel_buffer {
    uint8_t *bytes;
    size_t begin, end, room;
};

struct channel_stream {
    int fd;      /* -1: none */
    bool lost;   /* the other end is gone, or does not speak this language */
    bool silent; /* it is lost because nothing came back: the other end may be alive */
    bool reset;  /* it is lost, and there was no orderly end: so answers a host, too, that has started anew */
    struct channel_buffer in, out;
};

struct channel_message {
    uint32_t kind;
    size_t size;
    const uint8_t *body; /* valid until the stream is read from again; of no alignment */
};

/* Takes the descriptor over. */
void channel_stream_open(struct channel_stream *stream, int fd);
void channel_stream_close(struct channel_stream *stream);

/* Puts a message of two parts behind those that wait, and sends what the other end takes. */
void channel_put(struct channel_stream *stream, enum channel_kind kind, const void *head, size_t head_size,
                 const void *body, size_t body_size);
/* Sends what the other end takes. */
void channel_flush(struct channel_stream *stream);
size_t channel_unsent(const struct channel_stream *stream);

/* Reads what is there. */
void channel_fill(struct channel_stream *stream);
/* The next message of what was read; false: it is not complete. */
bool channel_next(struct channel_stream *stream, struct channel_message *message);

#endif
