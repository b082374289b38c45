/* pidfd: see pidfd.h. */
#include "os/pidfd.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int knell__pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0u);
}

bool knell__pidfd_has_ended(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) == 1;
}

void knell__pidfd_kill(int fd)
{
    syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0u);
}
