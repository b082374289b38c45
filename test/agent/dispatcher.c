/* dispatcher.c: MS N PROGRAM ARGUMENT...: keeps N processes of a program alive for MS milliseconds: one that died is launched again, as
 * the dispatcher of MPICH-Vcl does. Then ends them, and prints how many died by SIGKILL before. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static pid_t launch(char **program)
{
    pid_t child = fork();
    if (child == 0) {
        execv(program[0], program);
        _exit(127);
    }
    return child;
}

static void wake(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    pid_t child[MOST];
    int deaths = 0, status, n = argc > 3 ? atoi(argv[2]) : 0;
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = wake}, NULL);
    for (int i = 0; i < n && i < MOST; i++)
        child[i] = launch(argv + 3);
    for (double end = now() + (argc > 1 ? atof(argv[1]) : 0); now() < end;) {
        pid_t dead = waitpid(-1, &status, WNOHANG);
        if (dead <= 0)
            usleep(2000); /* SIGCHLD ends it early */
        for (int i = 0; dead > 0 && i < n; i++)
            if (child[i] == dead) {
                deaths += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
                child[i] = launch(argv + 3);
            }
    }
    for (int i = 0; i < n; i++)
        kill(child[i], SIGTERM);
    while (waitpid(-1, &status, 0) > 0)
        deaths += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    printf("deaths %d\n", deaths);
    return 0;
}
