/* told.c: see told.h. A thread of its own: the program may compute for long, and the detector's thread does not wait for pipes. */
#include "mpi/detector/told.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/detector/agree.h"
#include "mpi/report/tell.h"
#include "os/thread.h"

#include <knell/runtime.h>
#include <stdint.h>
#include <unistd.h>

/* Under LOCK_TOLD. */
static struct {
    bool over;
} told;

static void tell_detector(const struct job_death *death)
{
    if (death->rank < 0 || death->rank >= self.processes || death->rank == self.process)
        return;
    lock_take(LOCK_TOLD);
    lock_check(LOCK_RUNTIME);
    if (!told.over)
        knell_runtime_suspect(side_runtime(), (knell_rank)death->rank, (enum knell_why)death->why);
    lock_give(LOCK_TOLD);
}

/* Ends with the supervisor, and so with the process. */
static void *hear(void *from)
{
    int in = (int)(intptr_t)from;
    struct job_death death;
    while (read(in, &death, sizeof death) == (ssize_t)sizeof death)
        tell_detector(&death);
    return NULL;
}

void told_listen(void)
{
    pthread_t thread;
    int in = tell_open_deaths();
    if (in < 0)
        return;
    if (knell__thread_start(&thread, hear, (void *)(intptr_t)in) == 0)
        pthread_detach(thread);
    else
        close(in); /* silence tells of these deaths, later */
}

void told_stop(void)
{
    lock_take(LOCK_TOLD);
    told.over = true;
    lock_give(LOCK_TOLD);
}
