/* watch: see watch.h. */
#include "runtime/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Field 22 of /proc/PID/stat; the second is a name that may contain anything, so count from its last parenthesis. */
static uint64_t started(pid_t pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    char *at = strrchr(text, ')');
    for (unsigned field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

struct knell__process knell__process_self(void)
{
    return (struct knell__process){getpid(), started(getpid())};
}

int knell__watch_open(const struct knell__process *process)
{
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0u);
    if (fd < 0)
        return errno == ESRCH ? -1 : -2;
    /* From here on the descriptor stands for one process. Is it the one that was meant? */
    uint64_t now = process->started ? started(process->pid) : 0;
    if (process->started && now != process->started) {
        close(fd);
        return -1;
    }
    return fd;
}

bool knell__watch_has_ended(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) == 1;
}

void knell__watch_kill(int fd)
{
    syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0u);
}
