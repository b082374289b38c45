/* ears: see ears.h. */
#include "runtime/ears.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

enum { MOST = 4 };

int knell__ears_open(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

bool knell__ears_add(int ears, int fd, unsigned heard)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = heard};
    return epoll_ctl(ears, EPOLL_CTL_ADD, fd, &event) == 0;
}

void knell__ears_remove(int ears, int fd)
{
    epoll_ctl(ears, EPOLL_CTL_DEL, fd, NULL);
}

/* Before Linux 5.11 the list itself knows only milliseconds: there it is waited for as a descriptor. */
static int wait_as_descriptor(int ears, struct epoll_event *event, const struct timespec *time)
{
    struct pollfd list = {.fd = ears, .events = POLLIN};
    return ppoll(&list, 1, time, NULL) == 1 ? epoll_wait(ears, event, MOST, 0) : 0;
}

static int wait_for_events(int ears, struct epoll_event *event, const struct timespec *time)
{
    int count = (int)syscall(SYS_epoll_pwait2, ears, event, MOST, time, NULL, 0);
    return count < 0 && errno == ENOSYS ? wait_as_descriptor(ears, event, time) : count;
}

unsigned knell__ears_wait(int ears, knell_time deadline)
{
    struct epoll_event event[MOST];
    knell_time left = deadline == KNELL_NEVER ? 0 : deadline - knell__clock_now();
    left = left > 0 ? left : 0;
    struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    int count = wait_for_events(ears, event, deadline == KNELL_NEVER ? NULL : &time);
    unsigned heard = 0;
    for (int i = 0; i < count; i++)
        heard |= event[i].data.u32;
    return heard;
}
