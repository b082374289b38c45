/* knell/agent.h: how a process tells the agent of its host that it is there (`knell agent --listen`, docs/use/inject.md). For programs that
 * deploy themselves: nobody has to know their process numbers.
 *
 *      knell_register(getpid());       from here on the scenario acts on this process, as if it had just been loaded
 *
 * There is nothing to link. The agent listens at the path in KNELL_AGENT, or at /tmp/knell-agent-UID. A name that begins with @ is no path: it is
 * known on this host alone, and nothing of it is left (an abstract socket). */
#ifndef KNELL_AGENT_H
#define KNELL_AGENT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the agent listens; false: the path is too long for a socket. */
static inline int knell_agent_path(char *path, size_t size)
{
    const char *given = getenv("KNELL_AGENT");
    int length = given && *given ? snprintf(path, size, "%s", given)
                                 : snprintf(path, size, "/tmp/knell-agent-%ld", (long)getuid());
    return length > 0 && (size_t)length < size;
}

/* The same as an address; its size, 0: too long. */
static inline socklen_t knell_agent_address(struct sockaddr_un *to)
{
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    if (!knell_agent_path(to->sun_path, sizeof to->sun_path))
        return 0;
    if (to->sun_path[0] != '@')
        return (socklen_t)sizeof *to;
    socklen_t size = (socklen_t)(sizeof *to - sizeof to->sun_path + strlen(to->sun_path));
    to->sun_path[0] = '\0';
    return size;
}

/* Asks the agent, and waits for its answer, for 10 s at most: 0, or -1 with the reason in `why`, which has `size` bytes. `word` is "attach",
 * or "expect" for a process that executes its program next. */
static inline int knell_agent_ask(const char *word, pid_t pid, char *why, size_t size)
{
    struct sockaddr_un to;
    struct timeval limit = {10, 0};
    char line[64], answer[512];
    ssize_t got = -1;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t to_size = knell_agent_address(&to);
    if (fd < 0 || !to_size || connect(fd, (struct sockaddr *)&to, to_size) != 0) {
        snprintf(why, size, "no agent listens at %s%s: %s", to.sun_path[0] ? "" : "@", to.sun_path + !to.sun_path[0],
                 strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
#ifdef SO_PEERCRED
    if (pid == getpid()) {      /* where only ancestors may trace: this one may, too */
        int its[3] = {0, 0, 0}; /* struct ucred, which not every set of feature macros has */
        socklen_t length = sizeof its;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, its, &length) == 0)
            prctl(0x59616d61 /* PR_SET_PTRACER */, its[0], 0, 0, 0);
    }
#endif
    snprintf(line, sizeof line, "%s %ld", word, (long)pid);
    if (send(fd, line, strlen(line), MSG_NOSIGNAL) > 0 || errno == EPIPE) /* it may refuse before it is asked */
        do
            got = recv(fd, answer, sizeof answer - 1, 0);
        while (got < 0 && errno == EINTR);
    close(fd);
    answer[got > 0 ? got : 0] = '\0';
    snprintf(why, size, "%s", got > 0 ? answer : "the agent does not answer");
    return strcmp(answer, "ok") == 0 ? 0 : -1;
}

/* 0; -1: there is no agent, or it refused, and the process goes on as before. */
static inline int knell_register(pid_t pid)
{
    char why[512];
    return knell_agent_ask("attach", pid, why, sizeof why);
}

#ifdef __cplusplus
}
#endif
#endif
