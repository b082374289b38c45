/* rendezvous: what server and client share: tags, and reading and writing with a deadline. */
#include "runtime/rendezvous.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

const char knell__rendezvous_magic[8] = "knell\0\1";

void knell__rendezvous_tag(const struct knell__key *key, char label, const uint8_t nonce[KNELL__NONCE],
                           const void *bytes, size_t size, uint8_t tag[KNELL__FRAME_TAG])
{
    crypto_generichash_state state = key->state;
    const char prefix[] = {'r', 'e', 'n', 'd', label};
    crypto_generichash_update(&state, (const uint8_t *)prefix, sizeof prefix);
    crypto_generichash_update(&state, nonce, KNELL__NONCE);
    crypto_generichash_update(&state, bytes, size);
    crypto_generichash_final(&state, tag, KNELL__FRAME_TAG);
}

int knell__rendezvous_fail(const struct knell__rendezvous *meet, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(meet->why, KNELL_RUNTIME_WHY, format, arguments);
    va_end(arguments);
    return error;
}

/* 0 when the descriptor is ready, KNELL_ETIME at the deadline. */
static int wait_for(int fd, short events, knell_time deadline)
{
    for (;;) {
        knell_time left = deadline - knell__clock_now();
        if (left <= 0)
            return KNELL_ETIME;
        struct pollfd ready = {.fd = fd, .events = events};
        int count = poll(&ready, 1, (int)(left / 1000000 < 1000 ? left / 1000000 + 1 : 1000));
        if (count > 0)
            return 0;
        if (count < 0 && errno != EINTR)
            return KNELL_ESYSTEM;
    }
}

static bool is_not_now(ssize_t moved)
{
    return moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

int knell__rendezvous_read(int fd, void *bytes, size_t size, knell_time deadline)
{
    for (size_t done = 0; done < size;) {
        int error = wait_for(fd, POLLIN, deadline);
        if (error)
            return error;
        ssize_t moved = recv(fd, (char *)bytes + done, size - done, MSG_DONTWAIT);
        if (moved == 0 || (moved < 0 && errno == ECONNRESET))
            return KNELL_EPEER;
        if (moved < 0 && !is_not_now(moved))
            return KNELL_ESYSTEM;
        done += moved > 0 ? (size_t)moved : 0;
    }
    return 0;
}

int knell__rendezvous_write(int fd, const void *bytes, size_t size, knell_time deadline)
{
    for (size_t done = 0; done < size;) {
        int error = wait_for(fd, POLLOUT, deadline);
        if (error)
            return error;
        ssize_t moved = send(fd, (const char *)bytes + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (moved < 0 && !is_not_now(moved))
            return errno == EPIPE || errno == ECONNRESET ? KNELL_EPEER : KNELL_ESYSTEM;
        done += moved > 0 ? (size_t)moved : 0;
    }
    return 0;
}
