/* datagram.c: one datagram with its times, sealed and opened as the runtime does it with a heartbeat. */
#include "cli/calibrate/calibrate.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { AT_DUE = 0, AT_SENT = 8, AT_NUMBER = 16, PAYLOAD = 24 };

bool calibrate_datagram_send(const struct knell__key *key, int fd, knell_rank from, knell_rank to,
                             enum knell__frame_kind kind, const struct calibrate_datagram *timed,
                             const struct knell__address *address)
{
    uint8_t payload[PAYLOAD] = {0}, bytes[CALIBRATE_DATAGRAM_SIZE];
    memcpy(payload + AT_DUE, &timed->due, sizeof timed->due);
    memcpy(payload + AT_SENT, &timed->sent, sizeof timed->sent);
    memcpy(payload + AT_NUMBER, &timed->number, sizeof timed->number);
    struct knell__frame frame = {.kind = (uint8_t)kind, .from = from, .to = to};
    size_t size = knell__frame_seal(key, &frame, payload, sizeof payload, bytes);
    return sendto(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, &address->as.any, address->size) == (ssize_t)size;
}

int calibrate_datagram_receive(const struct knell__key *key, int fd, knell_rank self, uint32_t ranks, uint8_t *kind,
                               struct calibrate_datagram *timed, struct knell__address *from)
{
    struct knell__address sender = {.size = sizeof sender.as};
    struct knell__frame frame;
    const uint8_t *payload;
    uint8_t bytes[KNELL__FRAME_MAX];
    size_t payload_size;
    ssize_t size;
    do
        size = recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT, &sender.as.any, &sender.size);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return 0;
    if (knell__frame_open(key, self, ranks, bytes, (size_t)size, &frame, &payload, &payload_size) != 0 ||
        payload_size != PAYLOAD)
        return -1;
    *kind = frame.kind;
    memcpy(&timed->due, payload + AT_DUE, sizeof timed->due);
    memcpy(&timed->sent, payload + AT_SENT, sizeof timed->sent);
    memcpy(&timed->number, payload + AT_NUMBER, sizeof timed->number);
    if (from)
        *from = sender;
    return 1;
}
