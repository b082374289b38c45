/* door.c: see door.h. */
#include "channel/door.h"
#include "os/clock.h"
#include "runtime/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALLER_NS INT64_C(5000000000)
enum { ACCEPTS_MOST = CHANNEL_CALLERS / 2 };

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool add_event(const struct channel_door *door, int fd)
{
    return epoll_ctl(door->events, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN}) == 0;
}

bool channel_door_open(struct channel_door *door, const char *text)
{
    struct knell__address address, bound;
    door->events = door->listening = -1;
    for (int i = 0; i < CHANNEL_CALLERS; i++)
        door->caller[i].fd = -1;
    if (knell__address_parse_host(text, &address) != 0) {
        errno = EINVAL;
        return false;
    }
    if (!channel_key_make(door->key_text) || !channel_key_read(door->key_text, &door->key) ||
        !channel_host_id(door->host))
        return false;
    door->listening = knell__address_listen(&address, &bound);
    door->events = door->listening < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (door->events < 0)
        return false;
    knell__address_text(&bound, door->address);
    return add_event(door, door->listening);
}

static void drop(struct channel_caller *caller)
{
    close(caller->fd);
    caller->fd = -1;
}

void channel_door_close(struct channel_door *door)
{
    for (int i = 0; i < CHANNEL_CALLERS && door->listening >= 0; i++)
        if (door->caller[i].fd >= 0)
            drop(&door->caller[i]);
    if (door->listening >= 0)
        close(door->listening);
    if (door->events >= 0)
        close(door->events);
    door->listening = door->events = -1;
}

/* ---- callers ----------------------------------------------------------------------------------------------------- */

static void let_in(struct channel_door *door, struct channel_caller *caller)
{
    struct channel_welcome welcome;
    struct channel_hello hello = caller->hello;
    int fd = caller->fd;
    if (!channel_hello_check(&door->key, &caller->challenge, &hello) || !door->expects(door->driver, hello.rank)) {
        drop(caller);
        return;
    }
    channel_welcome_make(&door->key, &caller->challenge, &hello, &welcome);
    epoll_ctl(door->events, EPOLL_CTL_DEL, fd, NULL);
    caller->fd = -1;
    if (send(fd, &welcome, sizeof welcome, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof welcome)
        door->opened(door->driver, fd, &hello);
    else
        close(fd);
}

static void hear(struct channel_door *door, struct channel_caller *caller)
{
    ssize_t got =
        recv(caller->fd, (uint8_t *)&caller->hello + caller->got, sizeof caller->hello - caller->got, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(caller);
        return;
    }
    caller->got += got > 0 ? (size_t)got : 0;
    if (caller->got == sizeof caller->hello)
        let_in(door, caller);
    else if (knell__clock_now() - caller->since > CALLER_NS)
        drop(caller);
}

/* A free place, or that of one who says nothing even now. By chance: the oldest would be one of ours, where many strangers came behind it. */
static struct channel_caller *place_for(struct channel_door *door)
{
    uint8_t chance = 0;
    for (int i = 0; i < CHANNEL_CALLERS; i++)
        if (door->caller[i].fd < 0)
            return &door->caller[i];
    (void)!getrandom(&chance, sizeof chance, GRND_NONBLOCK);
    struct channel_caller *caller = &door->caller[chance % CHANNEL_CALLERS];
    hear(door, caller);
    if (caller->fd >= 0)
        drop(caller);
    return caller;
}

static void greet(struct channel_door *door, int fd)
{
    struct channel_caller *caller = place_for(door);
    if (door->listening < 0) { /* the last one was let in for it */
        close(fd);
        return;
    }
    *caller = (struct channel_caller){.fd = fd, .since = knell__clock_now()};
    if (!channel_challenge_make(&caller->challenge) ||
        send(fd, &caller->challenge, sizeof caller->challenge, MSG_NOSIGNAL | MSG_DONTWAIT) !=
            (ssize_t)sizeof caller->challenge ||
        !add_event(door, fd))
        drop(caller);
}

/* A few at a time: between them those who have come are heard, and so is everybody else. Who is let in may be the last: then the door is
 * closed meanwhile. */
void channel_door_serve(struct channel_door *door)
{
    int fd;
    for (int i = 0; i < ACCEPTS_MOST && door->listening >= 0 &&
                    (fd = accept4(door->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;
         i++)
        greet(door, fd);
    for (int i = 0; i < CHANNEL_CALLERS; i++)
        if (door->caller[i].fd >= 0)
            hear(door, &door->caller[i]);
}
