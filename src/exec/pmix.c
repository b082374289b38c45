/* pmix.c: Slurm's PMIx server ends the whole step when the connection of a rank closes before the rank has said goodbye, as that of a dead
 * rank does. So the supervisor takes a duplicate of the connection as soon as the rank has one. When the rank has ended without a
 * goodbye, a process that does nothing else holds the duplicate until the step is over. mpirun's own server needs none of this. */
#include "exec/exec.h"
#include "os/clock.h"
#include "os/pidfd.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* Nothing tells that the rank has connected. */
#define LOOK_NS (20 * MS)

static struct {
    int port;     /* of the server, on this host; 0: there is none, or not of Slurm */
    int launcher; /* a pidfd of the process that started this one */
    int fd;       /* the duplicate; -1: none yet */
    int64_t look_at;
} pmix = {.fd = -1};

/* "pmix-server.83;tcp4://127.0.0.1:54499" */
static int port_of(const char *uri)
{
    const char *colon = uri ? strrchr(uri, ':') : NULL;
    return colon && strstr(uri, "tcp4://") ? atoi(colon + 1) : 0;
}

void pmix_prepare(void)
{
    static const char *const names[] = {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3",
                                        "PMIX_SERVER_URI2"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !pmix.port && getenv("SLURM_STEP_ID"); i++)
        pmix.port = port_of(getenv(names[i]));
    if (pmix.port)
        pmix.launcher = knell__pidfd_open(getppid());
}

/* ---- the duplicate --------------------------------------------------------------------------------------------------- */

static bool leads_to_server(int fd)
{
    struct sockaddr_in peer = {0};
    return getpeername(fd, (struct sockaddr *)&peer, &(socklen_t){sizeof peer}) == 0 && peer.sin_family == AF_INET &&
           ntohs(peer.sin_port) == pmix.port;
}

static void take(pid_t rank)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)rank);
    int process = knell__pidfd_open(rank);
    DIR *all = process >= 0 ? opendir(path) : NULL;
    for (struct dirent *at; all && pmix.fd < 0 && (at = readdir(all));) {
        int fd = at->d_name[0] == '.' ? -1 : (int)syscall(SYS_pidfd_getfd, process, atoi(at->d_name), 0u);
        if (fd >= 0 && leads_to_server(fd))
            pmix.fd = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (all)
        closedir(all);
    if (process >= 0)
        close(process);
}

void pmix_look(const struct exec *exec)
{
    int64_t now = knell__clock_now();
    if (!pmix.port || pmix.fd >= 0 || now < pmix.look_at)
        return;
    take(exec->rank);
    pmix.look_at = now + LOOK_NS;
}

int pmix_next_look(int other_ms)
{
    const int look_ms = (int)(LOOK_NS / MS);
    return pmix.port && pmix.fd < 0 && (other_ms < 0 || other_ms > look_ms) ? look_ms : other_ms;
}

/* ---- the keeper ------------------------------------------------------------------------------------------------------ */

/* The server closes a connection that has said goodbye. */
static bool has_said_goodbye(void)
{
    char byte;
    return recv(pmix.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static _Noreturn void keep(void)
{
    int low = pmix.fd < pmix.launcher ? pmix.fd : pmix.launcher,
        high = pmix.fd < pmix.launcher ? pmix.launcher : pmix.fd;
    setsid();
    for (int fd = 0; fd < low; fd++)
        close(fd);
    for (int fd = low + 1; fd < high; fd++)
        close(fd);
    syscall(SYS_close_range, (unsigned)high + 1, ~0u, 0u);
    while (poll(&(struct pollfd){.fd = pmix.launcher, .events = POLLIN}, 1, -1) < 0)
        ;
    _exit(0);
}

void pmix_keep(void)
{
    if (pmix.fd >= 0 && pmix.launcher >= 0 && !has_said_goodbye() && fork() == 0)
        keep();
}
