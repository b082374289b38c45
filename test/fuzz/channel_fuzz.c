/* Fuzz target of the supervisor's channel: bytes as they come, in pieces, give whole messages within their bounds, the same whatever the
 * pieces are, or the stream is lost.
 *
 * Built with libFuzzer (KNELL_FUZZ) or with replay.c as a plain test. */
#include "channel/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
    size_t messages, bytes;
    uint64_t digest;
};

static void add(struct sum *sum, const struct channel_message *message)
{
    MUST(message->kind >= 1 && message->kind < CHANNEL_KINDS && message->size <= CHANNEL_BODY_MAX);
    sum->messages++;
    sum->bytes += message->size;
    for (size_t i = 0; i < message->size; i++)
        sum->digest = sum->digest * 31 + message->body[i];
}

static struct sum read_in_pieces(const uint8_t *data, size_t size, size_t piece)
{
    int ends[2];
    struct sum sum = {0};
    struct channel_stream stream;
    struct channel_message message;
    MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    channel_stream_open(&stream, ends[0]);
    for (size_t at = 0; at < size && !stream.lost; at += piece) {
        size_t part = size - at < piece ? size - at : piece;
        MUST(write(ends[1], data + at, part) == (ssize_t)part);
        channel_fill(&stream);
        while (channel_next(&stream, &message))
            add(&sum, &message);
    }
    channel_stream_close(&stream);
    close(ends[1]);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 8192)
        return 0;
    struct sum whole = read_in_pieces(data, size, size), parts = read_in_pieces(data, size, 1 + data[0] % 61);
    MUST(whole.messages == parts.messages && whole.bytes == parts.bytes && whole.digest == parts.digest);
    return 0;
}
