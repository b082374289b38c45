/* outbox: datagrams on their way to the socket, many per system call. What the socket refuses is lost, as on any network:
 * control messages are repeated, heartbeats come again. */
#include "runtime/state.h"

#include <errno.h>
#include <string.h>

void knell__outbox_put(void *driver, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size)
{
    struct knell_runtime *runtime = driver;
    struct knell__outbox *out = runtime->outbox;
    const struct knell__directory_entry *member = &runtime->directory.member[to];
    unsigned at = out->count++;
    out->address[at] = member->address;
    if (kind == KNELL__FRAME_BEAT)
        knell__address_set_port(&out->address[at], member->beats);
    memcpy(out->bytes[at], bytes, size);
    out->piece[at] = (struct iovec){out->bytes[at], size};
    out->header[at].msg_hdr = (struct msghdr){
        .msg_name = &out->address[at].as,
        .msg_namelen = out->address[at].size,
        .msg_iov = &out->piece[at],
        .msg_iovlen = 1,
    };
    runtime->counters.datagrams_sent++;
    runtime->counters.bytes_sent += size;
    if (out->count == KNELL__BATCH)
        knell__outbox_flush(runtime);
}

void knell__outbox_flush(struct knell_runtime *runtime)
{
    struct knell__outbox *out = runtime->outbox;
    for (unsigned sent = 0; sent < out->count;) {
        int count = sendmmsg(runtime->control, out->header + sent, out->count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        sent += count > 0 ? (unsigned)count : 1; /* the first one was refused: go on behind it */
    }
    out->count = 0;
}
