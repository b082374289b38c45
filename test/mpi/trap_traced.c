/* trap_traced: a debugger stops a rank for longer than its silence may last (default delta: 500 ms, and 1 s more for one that starves),
 * then lets it go: nobody dies. The debugger is a child of the rank that it stops. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { STOPPED_S = 2, THREADS = 64 };
#define HEARD_S 0.6 /* by then its first heartbeats were heard: before them a detector is more patient */

/* All threads of the process, as a debugger does. Returns how many. */
static int stop_all(pid_t pid, pid_t thread[THREADS])
{
    char path[40];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) && count < THREADS;)
        if (atoi(entry->d_name) > 0 && ptrace(PTRACE_ATTACH, atoi(entry->d_name), NULL, NULL) == 0)
            thread[count++] = atoi(entry->d_name);
    for (int i = 0; i < count; i++)
        waitpid(thread[i], NULL, __WALL);
    return count;
}

/* Status 0: it has stopped it. */
static _Noreturn void debug(pid_t pid)
{
    pid_t thread[THREADS];
    alarm(30);
    int count = stop_all(pid, thread);
    sleep(STOPPED_S);
    for (int i = 0; i < count; i++)
        ptrace(PTRACE_DETACH, thread[i], NULL, NULL);
    _exit(count > 1 ? 0 : 1);
}

static pid_t start_debugger(void)
{
    int go[2];
    char byte = 0;
    pid_t pid = getpid();
    CHECK(pipe(go) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        if (read(go[0], &byte, 1) == 1)
            debug(pid);
        _exit(1);
    }
    prctl(PR_SET_PTRACER, child);
    CHECK(write(go[1], &byte, 1) == 1);
    close(go[0]);
    close(go[1]);
    return child;
}

static bool is_over(pid_t debugger)
{
    int status;
    if (waitpid(debugger, &status, WNOHANG) != debugger)
        return false;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return true;
}

int main(int argc, char **argv)
{
    int over = 0, sum = 0;
    begin(&argc, &argv, 40);
    pid_t debugger = 0;
    double start = MPI_Wtime();
    AT("working beside a debugger");
    while (sum == 0) {
        if (me == 1 && !debugger && MPI_Wtime() - start > HEARD_S)
            debugger = start_debugger();
        over = debugger && is_over(debugger);
        OK(MPI_Allreduce(&over, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    }
    return end();
}
