/* door.c: where supervisors connect. Who has not shown the key within a moment, or comes when all places of such callers are taken, is
 * dropped, the oldest first: a supervisor tries again, a stranger never gets further. */
#include "cli/run/run.h"
#include "os/clock.h"
#include "runtime/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALLER_NS INT64_C(5000000000)

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool run_door_open(struct run_links *links, const char *text)
{
    struct knell__address address, bound;
    for (int i = 0; i < RUN_CALLERS; i++)
        links->caller[i].fd = -1;
    if (knell__address_parse_host(text, &address) != 0) {
        errno = EINVAL;
        return false;
    }
    if (!channel_key_make(links->key_text) || !channel_key_read(links->key_text, &links->key) ||
        !channel_host_id(links->host))
        return false;
    links->listening = knell__address_listen(&address, &bound);
    if (links->listening < 0)
        return false;
    knell__address_text(&bound, links->address);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    return epoll_ctl(links->events, EPOLL_CTL_ADD, links->listening, &event) == 0;
}

static void drop(struct run_caller *caller)
{
    close(caller->fd);
    caller->fd = -1;
}

void run_door_close(struct run_links *links)
{
    for (int i = 0; i < RUN_CALLERS && links->listening >= 0; i++)
        if (links->caller[i].fd >= 0)
            drop(&links->caller[i]);
    if (links->listening >= 0)
        close(links->listening);
    links->listening = -1;
}

/* ---- callers ----------------------------------------------------------------------------------------------------- */

/* A free place, or that of who has waited longest. */
static struct run_caller *place_for(struct run_links *links)
{
    struct run_caller *oldest = &links->caller[0];
    for (int i = 0; i < RUN_CALLERS; i++) {
        if (links->caller[i].fd < 0)
            return &links->caller[i];
        if (links->caller[i].since < oldest->since)
            oldest = &links->caller[i];
    }
    drop(oldest);
    return oldest;
}

static void greet(struct run_links *links, int fd)
{
    struct run_caller *caller = place_for(links);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    *caller = (struct run_caller){.fd = fd, .since = knell__clock_now()};
    if (!channel_challenge_make(&caller->challenge) ||
        send(fd, &caller->challenge, sizeof caller->challenge, MSG_NOSIGNAL | MSG_DONTWAIT) !=
            (ssize_t)sizeof caller->challenge ||
        epoll_ctl(links->events, EPOLL_CTL_ADD, fd, &event) != 0)
        drop(caller);
}

/* A rank starts once. */
static bool is_expected(const struct run_links *links, const struct channel_hello *hello)
{
    return hello->rank >= 0 && hello->rank < links->ranks && !links->link[hello->rank].was_open;
}

static void let_in(struct run_job *job, struct run_caller *caller)
{
    struct run_links *links = &job->links;
    struct channel_welcome welcome;
    int fd = caller->fd;
    if (!channel_hello_check(&links->key, &caller->challenge, &caller->hello) || !is_expected(links, &caller->hello)) {
        drop(caller);
        return;
    }
    channel_welcome_make(&links->key, &caller->challenge, &caller->hello, &welcome);
    epoll_ctl(links->events, EPOLL_CTL_DEL, fd, NULL);
    caller->fd = -1;
    if (send(fd, &welcome, sizeof welcome, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof welcome)
        run_link_opened(job, caller->hello.rank, fd, &caller->hello);
    else
        close(fd);
}

static void hear(struct run_job *job, struct run_caller *caller)
{
    ssize_t got =
        recv(caller->fd, (uint8_t *)&caller->hello + caller->got, sizeof caller->hello - caller->got, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(caller);
        return;
    }
    caller->got += got > 0 ? (size_t)got : 0;
    if (caller->got == sizeof caller->hello)
        let_in(job, caller);
    else if (knell__clock_now() - caller->since > CALLER_NS)
        drop(caller);
}

void run_door_serve(struct run_job *job)
{
    struct run_links *links = &job->links;
    for (int fd; (fd = accept4(links->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;)
        greet(links, fd);
    for (int i = 0; i < RUN_CALLERS; i++)
        if (links->caller[i].fd >= 0)
            hear(job, &links->caller[i]);
}
