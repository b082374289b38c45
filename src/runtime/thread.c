/* thread: see thread.h. */
#include "runtime/thread.h"

#include <knell/types.h>

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 256 << 10 };
#define SLICE_NS 100000

/* As the kernel has it; the C library does not declare it everywhere. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* A short slice: the scheduler lets such a thread run sooner and not longer. Only a wish; older kernels refuse. */
void knell__thread_be_prompt(void)
{
    struct scheduling wish = {0};
    prctl(PR_SET_TIMERSLACK, 1000UL);
    /* Only an ordinary thread: whoever runs the process in real time has chosen so. */
    if (syscall(SYS_sched_getattr, 0, &wish, sizeof wish, 0u) != 0 || wish.policy != 0)
        return;
    wish.size = sizeof wish;
    wish.runtime = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &wish, 0u);
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
