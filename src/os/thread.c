/* thread: see thread.h. */
#include "os/thread.h"

#include <knell/types.h>

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 256 << 10, LOWEST_REAL_TIME = 1 };
#define SLICE_NS 100000

/* As the kernel has it; the C library does not declare it everywhere. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Before every ordinary thread and behind every other real-time one. What it forks is ordinary again. */
static bool become_real_time(void)
{
    struct sched_param priority = {.sched_priority = LOWEST_REAL_TIME};
    return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority) == 0;
}

/* A short slice: the scheduler lets such a thread run sooner and not longer. Older kernels refuse. */
static void wish_for_short_slices(void)
{
    struct scheduling wanted = {0};
    if (syscall(SYS_sched_getattr, 0, &wanted, sizeof wanted, 0u) != 0)
        return;
    wanted.size = sizeof wanted;
    wanted.runtime = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &wanted, 0u);
}

void knell__thread_be_prompt(bool ordinary)
{
    prctl(PR_SET_TIMERSLACK, 1000UL);
    if (sched_getscheduler(0) != SCHED_OTHER)
        return; /* whoever runs the process by other rules has chosen so */
    if (ordinary || !become_real_time())
        wish_for_short_slices();
}

int knell__thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t every, before;
    pthread_attr_t attributes;
    sigfillset(&every);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &every, &before); /* inherited */
    int error = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error ? KNELL_ESYSTEM : 0;
}

void knell__lock_make(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
