/* thread.h: threads of ours: they block every signal, so that the program's handlers run in the program's threads. */
#ifndef KNELL_OS_THREAD_H
#define KNELL_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* KNELL_ESYSTEM when there is none. */
int knell__thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* The calling thread wakes on time and runs soon: in real time where that is permitted and not `ordinary`, else by a hint to
 * the scheduler. */
void knell__thread_be_prompt(bool ordinary);

/* Whoever holds it runs at the priority of those that wait for it: a program's thread does not keep the detector's out. */
void knell__lock_make(pthread_mutex_t *lock);

#endif
