/* trap_vectors: the layer stands before the C library's readv and writev (src/mpi/native/lost.c). On descriptors of the program they do
 * what they always do: data, the end of a file, errors, and a thread that waits in one of them can be cancelled. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>

enum { TOO_MANY = 1025 };

static int end_of[2]; /* of a pipe: to read, to write */
static char first[3], second[4096];
static struct iovec parts[2] = {{first, sizeof first}, {second, sizeof second}};

static void check_data(void)
{
    CHECK(pipe(end_of) == 0);
    memcpy(first, "abc", 3);
    memset(second, 'd', sizeof second);
    CHECK(writev(end_of[1], parts, 2) == 3 + sizeof second);
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    CHECK(readv(end_of[0], parts, 2) == 3 + sizeof second);
    CHECK(memcmp(first, "abc", 3) == 0 && second[0] == 'd' && second[sizeof second - 1] == 'd');
}

static void check_errors(void)
{
    static struct iovec many[TOO_MANY];
    errno = 0;
    CHECK(readv(end_of[0], many, TOO_MANY) == -1 && errno == EINVAL);
    CHECK(writev(end_of[1], many, TOO_MANY) == -1 && errno == EINVAL);
    CHECK(readv(-1, parts, 2) == -1 && errno == EBADF);
    CHECK(writev(-1, parts, 2) == -1 && errno == EBADF);
}

/* The other end is gone: that is for the program to hear. */
static void check_end(void)
{
    CHECK(close(end_of[1]) == 0);
    errno = 0;
    CHECK(readv(end_of[0], parts, 2) == 0 && errno == 0);
    CHECK(readv(end_of[0], parts, 2) == 0);
    CHECK(close(end_of[0]) == 0 && pipe(end_of) == 0 && close(end_of[0]) == 0);
    signal(SIGPIPE, SIG_IGN);
    CHECK(writev(end_of[1], parts, 2) == -1 && errno == EPIPE);
    CHECK(close(end_of[1]) == 0);
}

static void *read_forever(void *nothing)
{
    (void)readv(end_of[0], parts, 2);
    return nothing;
}

static void *write_forever(void *nothing)
{
    while (writev(end_of[1], parts, 2) > 0)
        continue;
    return nothing;
}

static void check_cancelled(void *(*forever)(void *))
{
    pthread_t thread;
    void *result = NULL;
    at = "a thread to be cancelled";
    CHECK(pipe(end_of) == 0);
    CHECK(pthread_create(&thread, NULL, forever, NULL) == 0);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(close(end_of[0]) == 0 && close(end_of[1]) == 0);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    check_data();
    check_errors();
    check_end();
    check_cancelled(read_forever);
    check_cancelled(write_forever);
    return end();
}
