/* patience.c: MPICH's blocking calls give the processor away while the job starts and ends.
 *
 * They spin in the progress of UCX, which asks the kernel for messages over TCP by epoll_wait. Where ranks share processors each turn of
 * one that waits keeps a rank from running that the others wait for. MPICH 4.0.2 has a blocking broadcast in every MPI_Comm_idup: with 64
 * ranks on two processors 17 of them take 7 s, and 1 s like this. Once the job has started, the layer waits by itself. */
#include <mpi.h>

#ifdef MPICH
#include "mpi/base/layer.h"

#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>

typedef int epoll_call(int epfd, struct epoll_event *events, int maxevents, int timeout);

/* Whose turn it would be without the layer. */
static epoll_call *find_next(void)
{
    static epoll_call *_Atomic known;
    epoll_call *next = atomic_load_explicit(&known, memory_order_relaxed);
    if (RARELY(!next)) {
        next = (epoll_call *)layer_symbol("epoll_wait");
        atomic_store_explicit(&known, next, memory_order_relaxed);
    }
    return next;
}

__attribute__((visibility("default"))) int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
    int count = find_next()(epfd, events, maxevents, timeout);
    if (count == 0 && timeout == 0 && atomic_load_explicit(&layer_attention, memory_order_relaxed) & ATTENTION_OFF)
        sched_yield();
    return count;
}
#endif
