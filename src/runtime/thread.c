/* thread: see thread.h. */
#include "runtime/thread.h"

#include <knell/types.h>

#include <signal.h>

enum { STACK = 256 << 10 };

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
