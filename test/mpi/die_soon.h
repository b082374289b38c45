/* die_soon.h: for tests in which a rank is killed in the middle of its work. */
#ifndef KNELL_TEST_MPI_DIE_SOON_H
#define KNELL_TEST_MPI_DIE_SOON_H

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void die_now(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

/* After some milliseconds of work, wherever that is. ITIMER_VIRTUAL counts what the program does, ITIMER_PROF the kernel's work, too. */
static inline void die_soon(int timer)
{
    struct itimerval soon = {.it_value = {.tv_usec = 3000 + 700 * (getpid() % 7)}};
    signal(timer == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF, die_now);
    setitimer(timer, &soon, NULL);
}

#endif
