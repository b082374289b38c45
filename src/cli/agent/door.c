/* door.c: --listen: processes that are already there, or are about to start, come in by a socket (include/knell/agent.h). */
#include "cli/agent/job.h"

#include <knell/agent.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>

enum { CALLERS_WAITING = 64, ACCEPTS_MOST = 16 };

/* A socket that nobody listens at any more is left over. */
static bool is_alive(const struct sockaddr_un *at, socklen_t size)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool alive = fd >= 0 && connect(fd, (const struct sockaddr *)at, size) == 0;
    if (fd >= 0)
        close(fd);
    return alive;
}

static bool add_event(const struct job *job, int fd)
{
    return epoll_ctl(job->door, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN}) == 0;
}

/* The socket has its name, and the rights of its file, from the start. */
static bool listen_at(struct job *job, const struct sockaddr_un *at, socklen_t size)
{
    for (unsigned i = 0; i < JOB_CALLERS; i++)
        job->callers.fd[i] = -1;
    job->door = epoll_create1(EPOLL_CLOEXEC);
    int fd = job->callers.listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0077);
    bool fine = job->door >= 0 && fd >= 0 && bind(fd, (const struct sockaddr *)at, size) == 0 &&
                listen(fd, CALLERS_WAITING) == 0 && add_event(job, fd);
    int error = errno;
    umask(mask);
    errno = error;
    return fine;
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
    if (!listen_at(job, &at, size))
        return job_complain(job, EXIT_FAILED, "--listen: %s: %s", path, strerror(errno));
    snprintf(job->door_path, sizeof job->door_path, "%s", path);
    setenv("KNELL_AGENT", job->door_path, 1);
    return EXIT_OK;
}

static void drop(int *caller)
{
    close(*caller);
    *caller = -1;
}

void door_close(struct job *job)
{
    if (job->door < 0)
        return;
    for (unsigned i = 0; i < JOB_CALLERS; i++)
        if (job->callers.fd[i] >= 0)
            drop(&job->callers.fd[i]);
    if (job->callers.listening >= 0)
        close(job->callers.listening);
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

static void say(int caller, const char *text)
{
    send(caller, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Another user gets no place. What it has said already is taken: closed with that unread, it would not get the answer. */
static void send_away(int fd)
{
    char line[128];
    (void)!recv(fd, line, sizeof line, MSG_DONTWAIT);
    say(fd, "the agent belongs to another user");
    close(fd);
}

/* A free place, or else that of one who had its time. */
static int *place_for(struct job *job)
{
    for (unsigned i = 0; i < JOB_CALLERS; i++)
        if (job->callers.fd[i] < 0)
            return &job->callers.fd[i];
    int *place = &job->callers.fd[job->callers.next++ % JOB_CALLERS];
    drop(place);
    return place;
}

static void accept_some(struct job *job)
{
    int fd;
    for (int i = 0; i < ACCEPTS_MOST && (fd = accept4(job->callers.listening, NULL, NULL, SOCK_CLOEXEC)) >= 0; i++) {
        if (!may_ask(fd)) {
            send_away(fd);
            continue;
        }
        int *place = place_for(job);
        *place = fd;
        if (!add_event(job, fd))
            drop(place);
    }
}

/* One question, one answer. */
static void serve(struct job *job, int *caller)
{
    char line[128], why[AGENT_WHY];
    ssize_t got = recv(*caller, line, sizeof line - 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0) {
        line[got] = '\0';
        say(*caller, answer(job, line, why) ? "ok" : why);
    }
    drop(caller);
}

/* Nobody can hold up the agent: it waits for no caller, and takes a few at a time. */
void door_serve(struct job *job)
{
    if (job->door < 0 || poll(&(struct pollfd){.fd = job->door, .events = POLLIN}, 1, 0) <= 0)
        return;
    accept_some(job);
    for (unsigned i = 0; i < JOB_CALLERS; i++)
        if (job->callers.fd[i] >= 0)
            serve(job, &job->callers.fd[i]);
}
