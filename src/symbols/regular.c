/* regular.c: see regular.h. */
#include "symbols/regular.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int symbols_open_regular(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}
