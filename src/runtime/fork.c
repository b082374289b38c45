/* fork: a child of fork has no detector. It closes the descriptors it got, so that a socket ends with its owner, and every
 * call on the runtime is refused. (vfork and posix_spawn run no handlers: there the descriptors close on exec.) */
#include "runtime/state.h"

#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct knell_runtime *all;

static void before(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    for (struct knell_runtime *runtime = all; runtime; runtime = runtime->next) {
        runtime->inert = true;
        close(runtime->ears);
        close(runtime->control);
        close(runtime->beats);
        close(runtime->wake);
        close(runtime->facts_fd);
        if (runtime->watch_fd >= 0)
            close(runtime->watch_fd);
        runtime->board = (struct knell__board){0}; /* not mapped here */
    }
    all = NULL;
    pthread_mutex_unlock(&lock);
}

static void install(void)
{
    pthread_atfork(before, in_parent, in_child);
}

void knell__fork_register(struct knell_runtime *runtime)
{
    pthread_once(&once, install);
    pthread_mutex_lock(&lock);
    runtime->next = all;
    all = runtime;
    pthread_mutex_unlock(&lock);
}

void knell__fork_forget(struct knell_runtime *runtime)
{
    pthread_mutex_lock(&lock);
    for (struct knell_runtime **at = &all; *at; at = &(*at)->next)
        if (*at == runtime) {
            *at = runtime->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}
