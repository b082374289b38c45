/* Who shares processors with this process: by what each may use, not by what the host has. */
#include "runtime/crowd.h"

#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static cpu_set_t before; /* this process' own */

/* The number-th processor of those allowed to this process. */
static cpu_set_t only(int number)
{
    cpu_set_t set;
    int cpu = -1;
    do
        cpu++;
    while (!CPU_ISSET(cpu, &before) || number-- > 0);
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return set;
}

static void bind_to(pid_t pid, const cpu_set_t *set)
{
    CHECK(sched_setaffinity(pid, sizeof *set, set) == 0);
}

/* It has this process' processors. */
static pid_t start_other(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void end_other(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    bind_to(0, &before);
}

static struct knell__crowd crowd_with(pid_t other)
{
    struct knell__crowd crowd;
    knell__crowd_begin(&crowd);
    knell__crowd_add(&crowd, getpid());
    if (other)
        knell__crowd_add(&crowd, other);
    return crowd;
}

TEST(one_process_has_all_that_it_may_use)
{
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    struct knell__crowd crowd = crowd_with(0);
    CHECK_EQ_I64(crowd.processes, 1);
    CHECK_EQ_I64(knell__crowd_processors(&crowd), CPU_COUNT(&before));
}

TEST(two_confined_to_one_processor_are_a_crowd)
{
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    cpu_set_t first = only(0);
    bind_to(0, &first);
    pid_t other = start_other();
    struct knell__crowd crowd = crowd_with(other);
    CHECK_EQ_I64(crowd.processes, 2);
    CHECK_EQ_I64(knell__crowd_processors(&crowd), 1);
    end_other(other);
}

TEST(each_bound_to_its_own_are_none)
{
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    if (CPU_COUNT(&before) < 2)
        return;
    cpu_set_t first = only(0), second = only(1);
    pid_t other = start_other();
    bind_to(other, &second);
    bind_to(0, &first);
    struct knell__crowd crowd = crowd_with(other);
    CHECK_EQ_I64(crowd.processes, 1);
    CHECK_EQ_I64(knell__crowd_processors(&crowd), 1);
    end_other(other);
}

TEST(of_who_is_gone_nothing_is_known)
{
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    pid_t other = start_other();
    end_other(other);
    struct knell__crowd crowd = crowd_with(other);
    CHECK_EQ_I64(crowd.processes, 2);
    CHECK_EQ_I64(knell__crowd_processors(&crowd), CPU_COUNT(&before));
}
