/* hosts.c: the hosts of `knell live --hosts H`. The script tools/hosts makes them; tests and users run the same
 * script, so there is one implementation. This file enters hosts and cuts links by system calls: a process forked
 * into a host stays a child of this process, and the moment of a cut is known to the microsecond. */
#include "cli/live/run.h"
#include "os/clock.h"
#include "os/pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MADE_WITHIN (60000 * LIVE_MS) /* the script starts dozens of small programs */
enum { PARTS = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS };

/* ---- the script -------------------------------------------------------------------------------------------------- */

/* The script relative to the folder of this program: as installed, or in a build tree. */
static bool find_script(char path[PATH_MAX])
{
    static const char *const places[] = {"../libexec/knell/hosts", "../../libexec/knell/hosts"};
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *given = getenv("KNELL_HOSTS");
    if (given)
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX && access(path, X_OK) == 0;
    if (size <= 0)
        return false;
    self[size] = '\0';
    *strrchr(self, '/') = '\0';
    for (unsigned i = 0; i < COUNT_OF(places); i++)
        if (snprintf(path, PATH_MAX, "%s/%s", self, places[i]) < PATH_MAX && access(path, X_OK) == 0)
            return true;
    return false;
}

/* The script ends when this process ends, for whatever reason. It has its own process group, so that ctrl-C reaches
 * only this process. */
static pid_t start_script(const char *path, int count, int *output)
{
    char name[32], number[16];
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    snprintf(name, sizeof name, "live-%ld", (long)parent);
    snprintf(number, sizeof number, "%d", count);
    pid_t pid = fork();
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        if (getppid() == parent && dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(ends[1], STDERR_FILENO) >= 0)
            execl(path, path, "hold", name, number, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return pid;
}

static int pidfd_of(const char *text)
{
    return knell__pidfd_open((pid_t)strtol(text, NULL, 10));
}

/* Parses "switch PID" or "NUMBER PID ADDRESS"; any other line is an error message. True: all hosts are there. */
static bool take_line(struct live_hosts *hosts, const char *line, char *why)
{
    char pid[16], address[16];
    int number;
    if (strcmp(line, "ready") == 0)
        return true;
    if (sscanf(line, "switch %15[0-9]", pid) == 1)
        hosts->switch_pid = pidfd_of(pid);
    else if (sscanf(line, "%d %15[0-9] %15[0-9.]", &number, pid, address) == 3 && number >= 1 &&
             number <= hosts->count) {
        hosts->host_pid[number - 1] = pidfd_of(pid);
        strcpy(hosts->address[number - 1], address);
    } else
        snprintf(why, KNELL_RUNTIME_WHY, "%.200s", strncmp(line, "hosts: ", 7) == 0 ? line + 7 : line);
    return false;
}

/* Reads lines until the hosts are ready. */
static bool hear_script(struct live_hosts *hosts, int output, char *why)
{
    char text[512];
    size_t size = 0;
    int64_t deadline = knell__clock_now() + MADE_WITHIN;
    for (;;) {
        int64_t left = deadline - knell__clock_now();
        struct pollfd wait = {.fd = output, .events = POLLIN};
        if (left <= 0 || poll(&wait, 1, (int)(left / LIVE_MS) + 1) <= 0)
            return snprintf(why, KNELL_RUNTIME_WHY, "%d hosts were not ready within 60 s", hosts->count), false;
        ssize_t got = read(output, text + size, sizeof text - 1 - size);
        if (got <= 0)
            return false;
        size += (size_t)got;
        text[size] = '\0';
        for (char *end; (end = strchr(text, '\n'));) {
            *end++ = '\0';
            if (take_line(hosts, text, why))
                return true;
            memmove(text, end, (size_t)(text + size - end) + 1);
            size -= (size_t)(end - text);
        }
        if (size == sizeof text - 1)
            size = 0;
    }
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

/* Makes a socket in the network namespace of another process. */
static int socket_within(int pidfd, int (*make)(void *context), void *context)
{
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), made = -1;
    if (home >= 0 && setns(pidfd, CLONE_NEWNET) == 0) {
        made = make(context);
        if (setns(home, CLONE_NEWNET) != 0)
            abort(); /* a process in the wrong network would do harm */
    }
    if (home >= 0)
        close(home);
    return made;
}

static int make_control(void *context)
{
    (void)context;
    return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

struct door {
    const char *address;
    struct knell__address *bound;
};

static int make_door(void *context)
{
    struct door *door = context;
    struct knell__address address;
    return knell__address_parse_host(door->address, &address) == 0 ? knell__address_listen(&address, door->bound) : -1;
}

int live_hosts_listen(struct live_hosts *hosts, int host, struct knell__address *bound)
{
    return socket_within(hosts->host_pid[host], make_door, &(struct door){hosts->address[host], bound});
}

static void close_descriptors(struct live_hosts *hosts)
{
    for (int i = 0; i < hosts->count; i++)
        if (hosts->host_pid[i] >= 0)
            close(hosts->host_pid[i]);
    if (hosts->control >= 0)
        close(hosts->control);
    if (hosts->switch_pid >= 0)
        close(hosts->switch_pid);
}

/* setns to a PID namespace applies to later children, to other namespaces at once. So the parent enters the PID
 * namespace and goes back, and the child enters the others. */
pid_t live_hosts_fork(struct live_hosts *hosts, int host)
{
    int home = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    if (home < 0 || setns(hosts->host_pid[host], CLONE_NEWPID) != 0) {
        if (home >= 0)
            close(home);
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        if (setns(hosts->host_pid[host], PARTS) != 0)
            _exit(127);
        close_descriptors(hosts);
        close(home);
        return 0;
    }
    int error = errno;
    if (setns(home, CLONE_NEWPID) != 0)
        abort();
    close(home);
    errno = error;
    return pid;
}

int64_t live_hosts_cut(struct live_hosts *hosts, int host)
{
    struct ifreq port = {0};
    snprintf(port.ifr_name, sizeof port.ifr_name, "port%d", host + 1);
    if (ioctl(hosts->control, SIOCGIFFLAGS, &port) != 0)
        return -1;
    port.ifr_flags &= (short)~IFF_UP;
    int64_t now = knell__clock_now(); /* nothing passes the link once the call has taken effect */
    return ioctl(hosts->control, SIOCSIFFLAGS, &port) == 0 ? now : -1;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

int live_hosts_open(struct live_hosts *hosts, int count, char *why)
{
    char path[PATH_MAX];
    int output = -1;
    hosts->count = count;
    hosts->switch_pid = hosts->control = -1;
    for (int i = 0; i < count; i++)
        hosts->host_pid[i] = -1;
    strcpy(why, "the script that makes hosts ended without a message");
    if (!find_script(path)) {
        strcpy(why, "the script `hosts` is not installed; KNELL_HOSTS may say where it is");
        return -1;
    }
    hosts->holder = start_script(path, count, &output);
    bool ready = hosts->holder > 0 && hear_script(hosts, output, why);
    if (output >= 0)
        close(output);
    if (ready && hosts->switch_pid >= 0)
        hosts->control = socket_within(hosts->switch_pid, make_control, NULL);
    for (int i = 0; i < count && ready; i++)
        ready = hosts->host_pid[i] >= 0;
    if (ready && hosts->control >= 0)
        return 0;
    live_hosts_close(hosts);
    return -1;
}

void live_hosts_close(struct live_hosts *hosts)
{
    struct pollfd ended = {.fd = hosts->switch_pid, .events = POLLIN};
    if (hosts->holder > 0) {
        kill(hosts->holder, SIGKILL);
        waitpid(hosts->holder, NULL, 0);
        if (hosts->switch_pid >= 0)
            poll(&ended, 1, 5000); /* the script ends after all processes on its hosts */
    }
    close_descriptors(hosts);
    *hosts = (struct live_hosts){.switch_pid = -1, .control = -1};
}
