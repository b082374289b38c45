/* A tiny program with the installed runtime, in C and (runtime.cpp) in C++: two processes watch each other, one ends, the
 * other is told so. Usage: PROGRAM FILE, where they meet. */
#include <knell/runtime.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char key[] = "a secret of this job";

static struct knell_runtime *start(knell_rank rank, const char *meeting)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct knell_runtime *runtime;
    char why[KNELL_RUNTIME_WHY];

    config.rank = rank;
    config.ranks = 2;
    config.key = key;
    config.key_size = sizeof key;
    config.rendezvous = meeting;
    if (knell_runtime_start(&config, &runtime, why) == 0)
        return runtime;
    printf("rank %u: %s\n", (unsigned)rank, why);
    return NULL;
}

/* Waits 20 s at most. */
static int hear_of_death(struct knell_runtime *runtime)
{
    struct pollfd facts;
    struct knell_fact fact;

    facts.fd = knell_runtime_fd(runtime);
    facts.events = POLLIN;
    while (poll(&facts, 1, 20000) == 1)
        while (knell_runtime_poll(runtime, &fact) == 1)
            if (fact.type == KNELL_FACT_FAILED) {
                printf("rank %u is dead (%s)\n", (unsigned)fact.rank, knell_why_text(fact.why));
                return fact.rank != 1;
            }
    printf("rank 0 waits in vain for the death of rank 1\n");
    return 1;
}

int main(int argc, char **argv)
{
    char meeting[256];
    pid_t child;
    int wrong = 1;

    if (argc != 2 || snprintf(meeting, sizeof meeting, "file:%s", argv[1]) >= (int)sizeof meeting ||
        (child = fork()) < 0)
        return 2;
    struct knell_runtime *runtime = start(child == 0, meeting);
    if (child == 0) {
        raise(runtime ? SIGKILL : SIGTERM);
        return 1;
    }
    if (runtime)
        wrong = hear_of_death(runtime);
    knell_runtime_stop(runtime);
    waitpid(child, NULL, 0);
    return wrong;
}
