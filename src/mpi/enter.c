/* enter.c: the slow way in and out, and the layer's voice. */
#include "mpi/ghost.h"
#include "mpi/inject.h"
#include "mpi/layer.h"
#include "mpi/native.h"
#include "mpi/where.h"

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

int64_t knell__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void knell__heed(void)
{
    unsigned attention = atomic_load(&knell__attention);
    if (attention & KNELL__ATTENTION_GHOST)
        knell__ghost_park();
    if (attention & KNELL__ATTENTION_ASKED)
        knell__where_answer(NULL);
}

bool knell__enter_slowly(enum job_call call, const int64_t *arguments, unsigned count)
{
    unsigned attention = atomic_load(&knell__attention);
    if (attention & KNELL__ATTENTION_OFF)
        knell__native_ready();
    if ((attention & KNELL__ATTENTION_OFF) || knell__guard)
        return false;
    if (attention & KNELL__ATTENTION_GHOST)
        knell__ghost_park();
    if (attention & KNELL__ATTENTION_INJECT)
        knell__inject_before(call, arguments, count);
    return true;
}

int knell__leave_slowly(enum job_call call, int code)
{
    unsigned attention = atomic_load(&knell__attention);
    knell__heed(); /* on the way out: a call that waits has said more by then */
    if (attention & KNELL__ATTENTION_INJECT)
        knell__inject_after(call);
    return code;
}

/* ---- the MPI below ------------------------------------------------------------------------------------------------------ */

/* Left NULL when the MPI lacks it: then nobody can have linked to it either. */
void *knell__native_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Constructors of other libraries come first: that of Open MPI's C++ library asks MPI_Initialized. */
__attribute__((constructor)) void knell__native_ready(void)
{
    if (knell__native.initialized)
        return;
    knell__native_find();
    knell__native_tune();
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
    return knell__native.abort(MPI_COMM_WORLD, code);
}

/* A ghost whose other thread is in the middle of a call finds its detector gone: the dead end nobody. */
void knell__die(const char *format, ...)
{
    va_list arguments;
    if (atomic_load(&knell__attention) & KNELL__ATTENTION_GHOST)
        knell__ghost_park();
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    knell__abort(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}
