/* call.c: see call.h. */
#include "channel/call.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* For the whole of the connection and its handshake. The door may have to drop connections of strangers first. */
#define CONNECT_NS (30000 * MS)
#define TRY_NS (5000 * MS)
enum { REFUSED_MOST = 6 }; /* in a row: most of a second */

bool channel_wait(int fd, short events, int64_t until)
{
    int64_t left = until - knell__clock_now();
    return left > 0 && poll(&(struct pollfd){.fd = fd, .events = events}, 1, (int)(left / MS) + 1) > 0;
}

static bool transfer(int fd, void *bytes, size_t size, bool out, int64_t until)
{
    for (size_t done = 0; done < size;) {
        ssize_t step = out ? send(fd, (uint8_t *)bytes + done, size - done, MSG_NOSIGNAL)
                           : recv(fd, (uint8_t *)bytes + done, size - done, 0);
        if (step == 0 || (step < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        done += step > 0 ? (size_t)step : 0;
        if (step < 0 && !channel_wait(fd, out ? POLLOUT : POLLIN, until))
            return false;
    }
    return true;
}

static int connect_to(const struct knell__address *address, int64_t until)
{
    int error = 0;
    int fd = socket(address->as.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, &address->as.any, address->size) != 0 &&
        (errno != EINPROGRESS || !channel_wait(fd, POLLOUT, until) ||
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error}) != 0 || error)) {
        errno = error ? error : errno == EINPROGRESS ? ETIMEDOUT : errno;
        close(fd);
        return -1;
    }
    return fd;
}

static bool shake_hands(int fd, const struct knell__key *key, int number, int64_t until)
{
    struct channel_challenge challenge;
    struct channel_hello hello;
    struct channel_welcome welcome;
    errno = 0;
    return transfer(fd, &challenge, sizeof challenge, false, until) &&
           channel_hello_make(key, &challenge, number, &hello) && transfer(fd, &hello, sizeof hello, true, until) &&
           transfer(fd, &welcome, sizeof welcome, false, until) &&
           channel_welcome_check(key, &challenge, &hello, &welcome);
}

/* One attempt; -1: errno says why, 0 that the other side is not ours. */
static int try_once(const struct knell__address *address, const struct knell__key *key, int number)
{
    int64_t until = knell__clock_now() + TRY_NS;
    int fd = connect_to(address, until);
    if (fd >= 0 && !shake_hands(fd, key, number, until)) {
        int kept = errno;
        close(fd);
        errno = kept;
        fd = -1;
    }
    return fd;
}

/* Again, after a pause. The door is open before anybody is told to call: where nothing listens any more, it is over. */
int channel_call(const struct knell__address *address, const struct knell__key *key, int number)
{
    int64_t until = knell__clock_now() + CONNECT_NS, pause = 10 * MS;
    int fd = -1, refused = 0;
    while ((fd = try_once(address, key, number)) < 0 && knell__clock_now() < until) {
        refused = errno == ECONNREFUSED ? refused + 1 : 0;
        if (refused > REFUSED_MOST)
            break;
        nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
        pause = pause < 300 * MS ? 2 * pause : pause;
    }
    return fd;
}
