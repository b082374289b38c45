/* stuck.c: see stuck.h. The calls by which the layer waits only ask, and come back within microseconds; one that copies a large
 * message does so in the kernel. So a thread that has computed for SPINS seconds within one of them will do so for ever. What the
 * program itself computes does not count, and neither does time without a processor. */
#include "mpi/stuck.h"
#include "mpi/layer.h"
#include "mpi/native.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 2, LOOKS_MS = 200 };

/* A thread's visits to the MPI below. Its place is given to another thread when it ends. */
struct visitor {
    _Atomic unsigned steps; /* in and out: odd while it is in */
    _Atomic pid_t thread;   /* 0: none */
    struct visitor *_Atomic next;
    unsigned seen;          /* by who looks: its steps, */
    long computed;          /* and its processor time when they were seen first */
};

static struct visitor *_Atomic visitors;
static _Thread_local struct visitor *self __attribute__((tls_model("initial-exec")));

/* ---- who visits ------------------------------------------------------------------------------------------------------------- */

static pthread_key_t at_end;

static void give_back(void *visitor)
{
    atomic_store(&((struct visitor *)visitor)->thread, 0);
    self = NULL;
}

static void make_key(void)
{
    pthread_key_create(&at_end, give_back);
}

static struct visitor *take_old(pid_t thread)
{
    for (struct visitor *visitor = atomic_load(&visitors); visitor; visitor = atomic_load(&visitor->next)) {
        pid_t nobody = 0;
        if (atomic_compare_exchange_strong(&visitor->thread, &nobody, thread))
            return visitor;
    }
    return NULL;
}

static struct visitor *take_new(pid_t thread)
{
    struct visitor *visitor = calloc(1, sizeof *visitor), *first = atomic_load(&visitors);
    if (!visitor)
        knell__die("out of memory");
    atomic_store(&visitor->thread, thread);
    do
        atomic_store(&visitor->next, first);
    while (!atomic_compare_exchange_weak(&visitors, &first, visitor));
    return visitor;
}

static KNELL__RARE struct visitor *come_first_time(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pid_t thread = (pid_t)syscall(SYS_gettid);
    pthread_once(&once, make_key);
    self = take_old(thread);
    if (!self)
        self = take_new(thread);
    pthread_setspecific(at_end, self);
    return self;
}

static inline void step(struct visitor *visitor)
{
    unsigned steps = atomic_load_explicit(&visitor->steps, memory_order_relaxed);
    atomic_store_explicit(&visitor->steps, steps + 1, memory_order_relaxed);
}

/* ---- the calls -------------------------------------------------------------------------------------------------------------- */

static struct knell__native below;

#define VISIT(call)                                                           \
    struct visitor *visitor = KNELL__LIKELY(self) ? self : come_first_time(); \
    step(visitor);                                                            \
    int code = call;                                                          \
    step(visitor);                                                            \
    return code

static int test(MPI_Request *request, int *flag, MPI_Status *status)
{
    VISIT(below.test(request, flag, status));
}
static int testall(int count, MPI_Request request[], int *flag, MPI_Status status[])
{
    VISIT(below.testall(count, request, flag, status));
}
static int testany(int count, MPI_Request request[], int *index, int *flag, MPI_Status *status)
{
    VISIT(below.testany(count, request, index, flag, status));
}
static int testsome(int count, MPI_Request request[], int *done, int index[], MPI_Status status[])
{
    VISIT(below.testsome(count, request, done, index, status));
}
static int request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    VISIT(below.request_get_status(request, flag, status));
}
static int iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    VISIT(below.iprobe(source, tag, comm, flag, status));
}
static int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    VISIT(below.improbe(source, tag, comm, flag, message, status));
}

void knell__stuck_mark(void)
{
    below = knell__native;
    knell__native.test = test;
    knell__native.testall = testall;
    knell__native.testany = testany;
    knell__native.testsome = testsome;
    knell__native.request_get_status = request_get_status;
    knell__native.iprobe = iprobe;
    knell__native.improbe = improbe;
}

/* ---- who looks -------------------------------------------------------------------------------------------------------------- */

/* Processor time outside the kernel, in ticks: the twelfth field after the name, which may contain anything. -1: it has ended. */
static long computed(pid_t thread)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *rest = strrchr(text, ')');
    long ticks = -1;
    return rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld", &ticks) == 1 ? ticks : -1;
}

static bool is_stuck(struct visitor *visitor)
{
    unsigned steps = atomic_load_explicit(&visitor->steps, memory_order_relaxed);
    pid_t thread = atomic_load(&visitor->thread);
    if (thread == 0 || steps % 2 == 0)
        return false;
    long now = computed(thread);
    if (steps != visitor->seen) {
        visitor->seen = steps;
        visitor->computed = now;
    }
    return now - visitor->computed >= SPINS * sysconf(_SC_CLK_TCK);
}

static void *look(void *unused)
{
    for (;; nanosleep(&(struct timespec){.tv_nsec = LOOKS_MS * 1000000}, NULL))
        for (struct visitor *visitor = atomic_load(&visitors); visitor; visitor = atomic_load(&visitor->next))
            if (is_stuck(visitor)) {
                knell__say("the MPI does not come back from a call since somebody died: its shared memory was left broken, and "
                           "nothing can be received here any more. This process ends, the others go on without it "
                           "(docs/mpi.md, \"Transports that survive a death\")");
                kill(getpid(), SIGKILL);
            }
    return unused;
}

static void start(void)
{
    sigset_t every, before;
    pthread_t thread;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before); /* inherited */
    if (pthread_create(&thread, NULL, look, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void knell__stuck_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}
