/* inbox: datagrams in. Control messages are heard as they come. Heartbeats come to a socket of their own, which nobody waits
 * for: they are heard when the thread is awake to send its own, and before it suspects. A heartbeat counts from when it was
 * emitted, so nothing is lost by hearing it later, and half the wake-ups are saved. */
#include "runtime/state.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum {
    MOST = 256,   /* per turn: a flood must not keep heartbeats from going out */
    POURING = 16, /* so many at once are no heartbeats of one emitter */
};

/* The kernel's stamp is by the clock of the day; what matters is how long ago that was. */
static knell_time arrival(struct msghdr *header, knell_time now)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp, today;
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            clock_gettime(CLOCK_REALTIME, &today);
            knell_time ago = (knell_time)(today.tv_sec - stamp.tv_sec) * 1000000000 + (today.tv_nsec - stamp.tv_nsec);
            return ago > 0 && ago < KNELL__OFFSET_SPAN ? now - ago : now; /* beyond: the clock was set */
        }
    return now;
}

/* How many were heard; at most MOST. */
static unsigned hear(struct knell_runtime *runtime, int socket)
{
    uint8_t bytes[KNELL__FRAME_MAX + 1]; /* one more: what is longer shows */
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec))];
    unsigned heard = 0;
    while (heard < MOST) {
        struct iovec piece = {bytes, sizeof bytes};
        struct msghdr header = {
            .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        ssize_t size = recvmsg(socket, &header, MSG_DONTWAIT);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            break;
        knell__drive_datagram(runtime, bytes, (size_t)size, arrival(&header, runtime->now));
        heard++;
    }
    return heard;
}

bool knell__inbox_hear_control(struct knell_runtime *runtime)
{
    return hear(runtime, runtime->control) < MOST;
}

/* A flood is listened to while it lasts: else the socket would be full when a heartbeat comes. */
static void listen_to_beats(struct knell_runtime *runtime, bool pour)
{
    if (pour && !runtime->beats_pour)
        pour = knell__ears_add(runtime->ears, runtime->beats, KNELL__HEARD_BEATS);
    else if (!pour && runtime->beats_pour)
        knell__ears_remove(runtime->ears, runtime->beats);
    runtime->beats_pour = pour;
}

bool knell__inbox_hear_beats(struct knell_runtime *runtime)
{
    unsigned heard = hear(runtime, runtime->beats);
    listen_to_beats(runtime, heard > POURING);
    return heard < MOST;
}
