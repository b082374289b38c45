/* where.c: see where.h. */
#include "mpi/where.h"
#include "mpi/layer.h"
#include "mpi/tell.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>

enum { FRAMES = 64 };

/* A wrapper of ours, by the name it is known by to the linker: MPI_Send or PMPI_Send. */
static int call_at(void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_sname)
        return -1;
    const char *name = info.dli_sname + (strncmp(info.dli_sname, "PMPI", 4) == 0);
    return strncmp(name, "MPI", 3) == 0 ? knell__call_named(name) : -1;
}

/* The outermost one is what the program called. */
static void answer(int signal)
{
    void *frame[FRAMES];
    int kept = errno, call = -1, count = backtrace(frame, FRAMES);
    (void)signal;
    for (int i = 0; i < count; i++)
        call = call_at(frame[i]) >= 0 ? call_at(frame[i]) : call;
    knell__announce_word(KNELL__WORD_INSIDE, call);
    errno = kept;
}

void knell__where_listen(void)
{
    void *frame[1];
    if (!knell__desk())
        return;
    backtrace(frame, 1); /* the first use loads a library, which a signal handler must not */
    sigaction(KNELL__ASK_WHERE, &(struct sigaction){.sa_handler = answer, .sa_flags = SA_RESTART}, NULL);
}
