/* where.c: see where.h. */
#include "mpi/wait/where.h"
#include "mpi/base/layer.h"
#include "mpi/detector/side.h"
#include "mpi/report/tell.h"
#include "os/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FRAMES = 64 };
/* A wait of so long is told of. */
#define LONG_NS INT64_C(300000000)

/* ---- in a thread inside a call ----------------------------------------------------------------------------------------------- */

/* A wrapper of ours, by the name it is known by to the linker: MPI_Send or PMPI_Send. */
static int call_at(void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_sname)
        return -1;
    const char *name = info.dli_sname + (strncmp(info.dli_sname, "PMPI", 4) == 0);
    return strncmp(name, "MPI", 3) == 0 ? job_call_named(name) : -1;
}

/* The outermost one is what the program called. */
static int outermost(void)
{
    void *frame[FRAMES];
    int call = JOB_INSIDE_NONE, count = backtrace(frame, FRAMES);
    for (int i = 0; i < count; i++)
        call = call_at(frame[i]) >= 0 ? call_at(frame[i]) : call;
    return call;
}

/* On the desk, before the report that it is there. */
static int write_place(const struct where_aim *aim)
{
    struct job_desk *desk = tell_desk();
    int call = outermost();
    if (desk && call >= 0)
        where_write((enum job_call)call, aim, desk->seen.words.place, sizeof desk->seen.words.place);
    return call;
}

void where_answer(const struct where_aim *aim)
{
    if (!(atomic_fetch_and(&layer_attention, ~(unsigned)ATTENTION_ASKED) & ATTENTION_ASKED))
        return; /* another thread does */
    tell_word(JOB_WORD_INSIDE, write_place(aim));
}

/* ---- in a thread that waits for long ------------------------------------------------------------------------------------------ */

/* The wait that this thread is in. */
struct waiting {
    unsigned turns;
    bool is_said;
    int64_t since, others;
};

/* Processor time of all threads but this one. */
static int64_t time_of_others(void)
{
    return self.threads ? knell__clock_used() - knell__clock_used_here() : 0;
}

/* Turns count up within one wait. */
static void begin_if_new(struct waiting *wait, unsigned turns, int64_t now)
{
    if (turns <= wait->turns || !wait->since)
        *wait = (struct waiting){.since = now, .others = time_of_others()};
    wait->turns = turns;
}

/* Where several threads call MPI, one may wait for ever while another works. Those that use a tenth of a processor do. */
static bool others_work(struct waiting *wait, int64_t now)
{
    if (!self.threads || 10 * (time_of_others() - wait->others) < now - wait->since)
        return false;
    wait->turns = UINT_MAX; /* it counts from here on */
    return true;
}

void where_waits(unsigned turns, const struct where_aim *aim)
{
    static _Thread_local struct waiting wait __attribute__((tls_model("initial-exec")));
    struct job_desk *desk = tell_desk();
    int64_t now = desk ? knell__clock_now() : 0;
    if (!desk)
        return;
    begin_if_new(&wait, turns, now);
    if (now - wait.since < LONG_NS || others_work(&wait, now))
        return;
    if (!wait.is_said) {
        write_place(aim);
        atomic_store(&desk->seen.words.waits_since, wait.since);
        wait.is_said = true;
    }
    atomic_store(&desk->seen.words.waits_seen, now);
}

/* ---- in a signal handler: nothing but system calls ----------------------------------------------------------------------------- */

/* The section of the wrappers (gen/wrappers.c); the linker names its ends. */
extern const char __start_knell_calls[] __attribute__((visibility("hidden")));
extern const char __stop_knell_calls[] __attribute__((visibility("hidden")));

static bool is_in_wrapper(uintptr_t word)
{
    return word >= (uintptr_t)__start_knell_calls && word < (uintptr_t)__stop_knell_calls;
}

/* Who is inside a call has a return address into its wrapper on the stack. Who is not may have one there as well, left from an
 * earlier call in memory that was not written since. The kernel reads: where the stack ends it says so. */
static bool may_be_inside(const void *stack)
{
    enum { WORDS = 64, MOST = 8 << 20 };
    uintptr_t word[WORDS];
    struct iovec here = {word, sizeof word}, there = {(void *)stack, sizeof word};
    for (size_t seen = 0; seen < MOST; seen += sizeof word) {
        ssize_t size = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        for (ssize_t i = 0; i < size / (ssize_t)sizeof *word; i++)
            if (is_in_wrapper(word[i]))
                return true;
        if (size < (ssize_t)sizeof word)
            return size < 0 && errno != EFAULT;
        there.iov_base = (char *)there.iov_base + sizeof word;
    }
    return false;
}

/* The registers of the thread are on its stack, between this frame and its own: where it is is among them. */
static void ask(int signal)
{
    int kept = errno;
    (void)signal;
    tell_word(JOB_WORD_INSIDE, may_be_inside(__builtin_frame_address(0)) ? JOB_INSIDE_UNSURE : JOB_INSIDE_NONE);
    atomic_fetch_or(&layer_attention, ATTENTION_ASKED);
    side_epoch_raise(); /* who sleeps in MPI_Finalize waits for that */
    errno = kept;
}

void where_listen(void)
{
    if (tell_desk())
        sigaction(JOB_ASK_WHERE, &(struct sigaction){.sa_handler = ask, .sa_flags = SA_RESTART}, NULL);
}
