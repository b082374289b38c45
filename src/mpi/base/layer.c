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

struct knell__self knell__self;
_Atomic unsigned knell__attention = KNELL__ATTENTION_OFF;
_Thread_local int knell__guard;
_Atomic int knell__tasks_active;

static void (*_Atomic park)(void);

void knell__park_by(void (*by)(void))
{
    atomic_store(&park, by);
}

void knell__park(void)
{
    atomic_load(&park)();
}

void *knell__native_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int64_t knell__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static void say(const char *format, va_list arguments)
{
    char line[512];
    int at = snprintf(line, sizeof line, "knell: rank %d: ", knell__self.process);
    vsnprintf(line + at, sizeof line - (size_t)at - 1, format, arguments);
    strcat(line, "\n");
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

void knell__say(const char *format, ...)
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

int knell__abort(int code)
{
    let_words_be_read();
    int (*abort_natively)(MPI_Comm, int) = (int (*)(MPI_Comm, int))knell__native_symbol("MPI_Abort");
    return abort_natively(MPI_COMM_WORLD, code);
}

/* A ghost whose other thread is in the middle of a call finds its detector gone: the dead end nobody. */
void knell__die(const char *format, ...)
{
    va_list arguments;
    if (atomic_load(&knell__attention) & KNELL__ATTENTION_GHOST)
        knell__park();
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    knell__abort(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}
