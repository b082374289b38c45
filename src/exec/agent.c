/* agent.c: the agent of this host, which runs its part of a scenario (`knell agent --join`). One supervisor of a host starts it, by order of
 * `knell run`; it is nobody's child afterwards, has nothing open that the launcher waits for, and ends when `knell run` says so or is gone. */
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* `told` is the only descriptor that is left, until exec. */
static _Noreturn void become_agent(const char *knell, uint64_t number, int told)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    setsid();
    dup2(told, STDERR_FILENO + 1);
    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    syscall(SYS_close_range, STDERR_FILENO + 2u, ~0u, 0u);
    execl(knell, "knell", "agent", "--join", text, (char *)NULL);
    int error = errno;
    (void)!write(STDERR_FILENO + 1, &error, sizeof error);
    _exit(127);
}

/* 0: it runs. */
static int start(const char *knell, uint64_t number)
{
    int told[2], error = 0;
    if (pipe2(told, O_CLOEXEC) != 0)
        return errno;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            become_agent(knell, number, told[1]);
        _exit(0);
    }
    close(told[1]);
    if (child < 0 || waitpid(child, NULL, 0) != child)
        error = errno;
    else if (read(told[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0;
    close(told[0]);
    return error;
}

void agent_start(struct exec *exec, uint64_t number, const struct channel_message *order)
{
    char knell[PATH_MAX], why[PATH_MAX + 128];
    size_t size = order->size - sizeof(struct channel_number);
    if (order->size <= sizeof(struct channel_number) || size >= sizeof knell)
        return;
    memcpy(knell, order->body + sizeof(struct channel_number), size);
    knell[size] = '\0';
    int error = start(knell, number);
    if (!error)
        return;
    snprintf(why, sizeof why, "the agent cannot be started: %s: %s", knell, strerror(error));
    channel_put(&exec->channel, CHANNEL_TELL, &(struct channel_number){1}, sizeof(struct channel_number), why,
                strlen(why));
}
