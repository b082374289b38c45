/* thread.h: threads of the runtime: they block every signal, so that the program's handlers run in the program's threads. */
#ifndef KNELL_RUNTIME_THREAD_H
#define KNELL_RUNTIME_THREAD_H

#include <pthread.h>

/* KNELL_ESYSTEM when there is none. */
int knell__thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
