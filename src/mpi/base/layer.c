/* layer.c: see layer.h. */
#include "mpi/base/layer.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* How long a launcher may take to read what was written to it. */
enum { READ_MS = 200 };

struct self self;
_Atomic unsigned layer_attention = ATTENTION_OFF;
_Thread_local int layer_guard;
_Atomic int layer_tasks;

static void (*_Atomic park)(void);

void layer_park_by(void (*by)(void))
{
    atomic_store(&park, by);
}

void layer_park(void)
{
    void (*by)(void) = atomic_load(&park);
    by();
}

static void (*_Atomic count)(void);

void layer_count_by(void (*by)(void))
{
    atomic_store(&count, by);
}

void layer_step(void)
{
    void (*by)(void) = atomic_load_explicit(&count, memory_order_relaxed);
    if (by)
        by();
}

void *layer_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static void say(const char *format, va_list arguments)
{
    char line[512];
    int at = snprintf(line, sizeof line, "knell: rank %d: ", self.process);
    vsnprintf(line + at, sizeof line - (size_t)at - 1, format, arguments);
    strcat(line, "\n");
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

void layer_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

/* MPICH's launcher throws away what it has not read when it ends the job: an error would go without a word. */
static void let_words_be_read(void)
{
    int unread = 0;
    for (int ms = 0; ms < READ_MS && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

int layer_abort(int code)
{
    let_words_be_read();
    int (*abort_natively)(MPI_Comm, int) = (int (*)(MPI_Comm, int))layer_symbol("PMPI_Abort");
    return abort_natively(MPI_COMM_WORLD, code);
}

/* A ghost whose other thread is in the middle of a call finds its detector gone: the dead end nobody. */
void layer_die(const char *format, ...)
{
    va_list arguments;
    if (atomic_load(&layer_attention) & ATTENTION_GHOST)
        layer_park();
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    layer_abort(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}
