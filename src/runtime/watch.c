/* watch: see watch.h. */
#include "runtime/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What follows the name in a stat file, from the state on; NULL when there is none. The name may contain anything, so count
 * from its last parenthesis. */
static char *read_stat(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return NULL;
    text[size] = '\0';
    char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

/* Field 22; the state is the third. */
static uint64_t started(pid_t pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    char *at = read_stat(path, text, sizeof text);
    for (unsigned field = 3; at && field < 22; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? strtoull(at, NULL, 10) : 0;
}

/* A thread in a tracer's stop has state t; T if it was stopped when the tracer came. Who is traced and runs is as others are. */
static bool has_tracer(pid_t pid, uint32_t thread)
{
    char path[64], line[128];
    long tracer = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%lu/status", (long)pid, (unsigned long)thread);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "TracerPid: %ld", &tracer) != 1)
        continue;
    if (status)
        fclose(status);
    return tracer != 0;
}

enum knell__silence knell__process_silence(const struct knell__process *process, uint32_t thread)
{
    char path[64], text[1024];
    thread = thread ? thread : (uint32_t)process->pid;
    snprintf(path, sizeof path, "/proc/%ld/task/%lu/stat", (long)process->pid, (unsigned long)thread);
    const char *state = read_stat(path, text, sizeof text);
    if (state && strchr("tT", *state) && has_tracer(process->pid, thread))
        return KNELL__SILENCE_TRACED;
    return state && strchr("RSD", *state) ? KNELL__SILENCE_STARVED : KNELL__SILENCE_STOPPED;
}

struct knell__process knell__process_self(void)
{
    return (struct knell__process){getpid(), started(getpid())};
}

int knell__watch_open(const struct knell__process *process)
{
    int fd = knell__pidfd_open(process->pid);
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
