/* lost.c: connections of Open MPI over TCP whose other end is gone. What Open MPI still has to send there it completes with an error that it
 * answers by ending this process ("pml_ob1_sendreq.c: FATAL"). So the layer stands between: Open MPI does not hear of the end. Such a
 * connection is never ready again, what waits for it stays incomplete, and the detector ends these operations. All that came
 * before the end has been read by then. */
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

#ifdef OPEN_MPI
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Open MPI's TCP transport, a file of its own or a part of its library; the program's connections are its own. */
static bool is_of_transport(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname &&
           (strstr(info.dli_fname, "mca_btl_tcp") || strstr(info.dli_fname, "libopen-pal"));
}

/* An epoll descriptor that watches nothing: never readable, never writable, and read and write answer EINVAL. */
static bool park(int fd)
{
    int nothing = epoll_create1(EPOLL_CLOEXEC);
    bool parked = nothing >= 0 && dup3(nothing, fd, O_CLOEXEC) == fd;
    if (nothing >= 0)
        close(nothing);
    return parked;
}

static bool is_parked(int fd)
{
    return epoll_wait(fd, &(struct epoll_event){0}, 1, 0) == 0;
}

/* The last four: the host is gone, and TCP has given up on it. */
static bool means_end(int error)
{
    return error == ECONNRESET || error == EPIPE || error == ETIMEDOUT || error == EHOSTUNREACH ||
           error == ENETUNREACH || error == EHOSTDOWN;
}

/* What the transport hears: of a connection that is gone, that it has to wait. */
static ssize_t hear(int fd, ssize_t result, bool is_end, const void *caller)
{
    int error = errno;
    bool gone = is_end || (result < 0 && means_end(error));
    bool stays = result < 0 && error == EINVAL;
    if ((gone || stays) && is_of_transport(caller) && (gone ? park(fd) : is_parked(fd))) {
        errno = EAGAIN;
        return -1;
    }
    errno = error;
    return result;
}

typedef ssize_t vector_call(int fd, const struct iovec *part, int parts);

/* Whose turn it would be without the layer: the C library's, where a waiting thread can be cancelled, or that of another tool. */
static vector_call *next_of(vector_call *_Atomic *known, const char *name)
{
    vector_call *next = atomic_load_explicit(known, memory_order_relaxed);
    if (!next) {
        next = (vector_call *)layer_symbol(name);
        atomic_store_explicit(known, next, memory_order_relaxed);
    }
    return next;
}

/* Both stand before the C library's. */
EXPORT ssize_t readv(int fd, const struct iovec *part, int parts)
{
    static vector_call *_Atomic next;
    ssize_t result = next_of(&next, "readv")(fd, part, parts);
    return result > 0 ? result : hear(fd, result, result == 0, __builtin_return_address(0));
}

EXPORT ssize_t writev(int fd, const struct iovec *part, int parts)
{
    static vector_call *_Atomic next;
    ssize_t result = next_of(&next, "writev")(fd, part, parts);
    return result >= 0 ? result : hear(fd, result, false, __builtin_return_address(0));
}
#endif
