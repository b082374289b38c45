/* status.c: see status.h. */
#include "channel/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool write_line(const char *path, int status)
{
    char line[16];
    int size = snprintf(line, sizeof line, "%d\n", status),
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool written = fd >= 0 && write(fd, line, (size_t)size) == size;
    if (fd >= 0)
        written &= close(fd) == 0;
    return written;
}

bool channel_status_write(const char *path, int status)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid()) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (write_line(temporary, status) && rename(temporary, path) == 0)
        return true;
    int why = errno;
    unlink(temporary);
    errno = why;
    return false;
}
