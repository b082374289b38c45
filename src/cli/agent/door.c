/* door.c: --listen: processes that are already there, or are about to start, come in by a socket (include/knell/agent.h). */
#include "cli/agent/job.h"

#include <knell/agent.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { CALLERS_WAITING = 64 };

/* A socket that nobody listens at any more is left over. */
static bool is_alive(const struct sockaddr_un *at, socklen_t size)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool alive = fd >= 0 && connect(fd, (const struct sockaddr *)at, size) == 0;
    if (fd >= 0)
        close(fd);
    return alive;
}

int door_open(struct job *job)
{
    struct sockaddr_un at;
    struct stat there;
    char path[sizeof at.sun_path];
    socklen_t size = knell_agent_address(&at);
    if (!size || !knell_agent_path(path, sizeof path))
        return job_complain(job, EXIT_USAGE, "KNELL_AGENT: the path of a socket has at most %zu letters",
                            sizeof at.sun_path - 1);
    if (is_alive(&at, size))
        return job_complain(job, EXIT_USAGE,
                            "--listen: another agent listens at %s; KNELL_AGENT gives this one another path", path);
    if (at.sun_path[0] && stat(at.sun_path, &there) == 0 && S_ISSOCK(there.st_mode))
        unlink(at.sun_path);
    job->door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0077);
    bool fine =
        job->door >= 0 && bind(job->door, (struct sockaddr *)&at, size) == 0 && listen(job->door, CALLERS_WAITING) == 0;
    int error = errno;
    umask(mask);
    if (!fine)
        return job_complain(job, EXIT_FAILED, "--listen: %s: %s", path, strerror(error));
    snprintf(job->door_path, sizeof job->door_path, "%s", path);
    setenv("KNELL_AGENT", job->door_path, 1);
    return EXIT_OK;
}

void door_close(struct job *job)
{
    if (job->door < 0)
        return;
    close(job->door);
    if (*job->door_path && *job->door_path != '@')
        unlink(job->door_path);
}

/* ---- callers ----------------------------------------------------------------------------------------------------- */

/* The same user, or root. */
static bool may_ask(int caller)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && (who.uid == getuid() || who.uid == 0);
}

static bool answer(struct job *job, const char *line, char why[AGENT_WHY])
{
    long pid;
    snprintf(why, AGENT_WHY, "the agent does not understand this");
    if (sscanf(line, "attach %ld", &pid) == 1 && pid > 0)
        return agent_attach(job->agent, (pid_t)pid, why) == 0;
    if (sscanf(line, "expect %ld", &pid) == 1 && pid > 0)
        return agent_expect(job->agent, (pid_t)pid, why) == 0;
    return false;
}

/* One question, one answer. A caller that says nothing for a second is sent away: nobody may hold up the agent. */
static void serve(struct job *job, int caller)
{
    char line[128], why[AGENT_WHY] = "the agent belongs to another user";
    if (poll(&(struct pollfd){.fd = caller, .events = POLLIN}, 1, 1000) <= 0)
        return;
    ssize_t got = recv(caller, line, sizeof line - 1, MSG_DONTWAIT);
    if (got <= 0)
        return;
    line[got] = '\0';
    const char *said = may_ask(caller) && answer(job, line, why) ? "ok" : why;
    send(caller, said, strlen(said), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void door_serve(struct job *job)
{
    int caller;
    while (job->door >= 0 && (caller = accept4(job->door, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        serve(job, caller);
        close(caller);
    }
}
