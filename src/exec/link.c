/* link.c: the supervisor's end of the channel to `knell run`. */
#include "channel/hello.h"
#include "exec/exec.h"
#include "os/clock.h"
#include "runtime/address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* For the whole of the connection and its handshake. `knell run` may have to drop connections of strangers first. */
#define CONNECT_NS (30000 * MS)
#define TRY_NS (5000 * MS)
#define SENT_NS (10000 * MS)

/* ---- the connection -------------------------------------------------------------------------------------------------- */

static bool wait_for(int fd, short events, int64_t until)
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
        if (step < 0 && !wait_for(fd, out ? POLLOUT : POLLIN, until))
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
        (errno != EINPROGRESS || !wait_for(fd, POLLOUT, until) ||
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

/* A stranger may have taken the places of those who have not shown their key yet: again, after a pause. */
static int try_for_long(const struct knell__address *address, const struct knell__key *key, int number)
{
    int64_t until = knell__clock_now() + CONNECT_NS, pause = 10 * MS;
    int fd = -1;
    while ((fd = try_once(address, key, number)) < 0 && knell__clock_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
        pause = pause < 300 * MS ? 2 * pause : pause;
    }
    return fd;
}

/* Without brackets and port. */
static void host_text(struct knell__address *address, char text[KNELL__ADDRESS_TEXT])
{
    knell__address_text(address, text);
    char *end = strrchr(text, ':');
    if (end)
        end[end > text && end[-1] == ']' ? -1 : 0] = '\0';
    if (*text == '[')
        memmove(text, text + 1, strlen(text));
}

/* By which address this host is seen: the detector of the rank uses the same. `knell run` is here if it has that address, too. */
static void learn_addresses(struct exec *exec, int fd)
{
    struct knell__address own = {.size = sizeof own.as}, other = {.size = sizeof other.as};
    char here[KNELL__ADDRESS_TEXT], there[KNELL__ADDRESS_TEXT];
    if (getsockname(fd, &own.as.any, &own.size) != 0 || getpeername(fd, &other.as.any, &other.size) != 0)
        return;
    host_text(&own, here);
    host_text(&other, there);
    exec->is_apart = strcmp(here, there) != 0;
    setenv("KNELL_ADDRESS", here, 0);
}

bool link_open(struct exec *exec)
{
    const char *where = getenv("KNELL_RUN"), *secret = getenv("KNELL_KEY");
    struct knell__address address;
    struct knell__key key;
    int ends[2];
    if (knell__address_parse(where, &address) != 0 || !secret || !channel_key_read(secret, &key)) {
        exec_say(
            "KNELL_RUN=%.100s and KNELL_KEY are not what `knell run` sets: the launcher must pass them on as they are",
            where);
        return false;
    }
    int fd = try_for_long(&address, &key, exec->number);
    if (fd < 0) {
        exec_say("rank %d cannot reach knell run at %.100s: %s", exec->number, where,
                 errno ? strerror(errno) : "another program answers there");
        return false;
    }
    channel_stream_open(&exec->channel, fd);
    learn_addresses(exec, fd);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    exec->reports_in = ends[0];
    exec->reports_out = ends[1];
    fcntl(exec->reports_in, F_SETFL, O_NONBLOCK);
    return true;
}

void link_wait_sent(struct exec *exec, size_t most)
{
    int64_t until = knell__clock_now() + SENT_NS;
    for (channel_flush(&exec->channel);
         channel_unsent(&exec->channel) > most && wait_for(exec->channel.fd, POLLOUT, until);
         channel_flush(&exec->channel))
        ;
}

/* ---- reports --------------------------------------------------------------------------------------------------------- */

/* Those that go with words or values on the desk. */
static bool needs_desk(int word)
{
    return word == JOB_WORD_AT || word == JOB_WORD_CHANGED || word == JOB_WORD_READY || word == JOB_WORD_INSIDE ||
           word == JOB_WORD_ABORTED || word == JOB_WORD_ENDED;
}

void link_report(struct exec *exec, struct job_report report)
{
    if (!exec->is_heard)
        return;
    report.process = exec->number;
    if (!report.when)
        report.when = knell__clock_now();
    if (needs_desk(report.word))
        desk_tell(exec, 0, atomic_load(&exec->desk->pact.left));
    channel_put(&exec->channel, CHANNEL_REPORT, &report, sizeof report, NULL, 0);
}

void link_pass_reports(struct exec *exec)
{
    struct job_report report;
    while (exec->reports_in >= 0 && channel_unsent(&exec->channel) < EXEC_UNSENT_MOST &&
           read(exec->reports_in, &report, sizeof report) == (ssize_t)sizeof report) {
        alone_note(&report);
        link_report(exec, report);
    }
}

/* ---- orders ---------------------------------------------------------------------------------------------------------- */

static void look(struct exec *exec, const struct channel_look *order)
{
    _Atomic uint32_t *left = &exec->desk->pact.left;
    desk_tell(exec, order->number, order->takes_left ? atomic_exchange(left, 0) : atomic_load(left));
}

static void obey(struct exec *exec, const struct channel_message *message)
{
    union {
        struct channel_at at;
        struct channel_number number;
        struct channel_signal signal;
        struct channel_look look;
    } order = {0};
    memcpy(&order, message->body, message->size < sizeof order ? message->size : sizeof order);
    switch (message->kind) {
    case CHANNEL_WRITE:
        if (message->size >= sizeof order.at)
            desk_write(exec, order.at.offset, message->body + sizeof order.at, message->size - sizeof order.at);
        break;
    case CHANNEL_LEFT:
        atomic_store(&exec->desk->pact.left, (uint32_t)order.number.number);
        break;
    case CHANNEL_START:
        alone_learn(message);
        alone_heard(exec);
        exec->may_start = true;
        break;
    case CHANNEL_SIGNAL:
        desk_signal(exec, order.signal.signal, order.signal.minds_shield);
        if (order.signal.number)
            desk_tell(exec, order.signal.number, atomic_load(&exec->desk->pact.left));
        break;
    case CHANNEL_STRIKE:
        desk_strike(exec);
        desk_tell(exec, order.number.number, atomic_load(&exec->desk->pact.left));
        break;
    case CHANNEL_BYE:
        exec->may_end = true;
        break;
    case CHANNEL_LOOK:
        look(exec, &order.look);
        break;
    default:
        break;
    }
}

void link_obey(struct exec *exec)
{
    struct channel_message message;
    channel_fill(&exec->channel);
    while (channel_next(&exec->channel, &message)) {
        alone_heard(exec);
        obey(exec, &message);
    }
}
