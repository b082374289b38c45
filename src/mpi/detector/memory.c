/* memory.c: see memory.h. It is a memfd: that has no name, and another process reaches it only through one that has it open. */
#include "mpi/detector/memory.h"
#include "mpi/detector/neighbours.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum { NAME_MOST = 64 };

static void write_name(uint64_t key, char *name)
{
    snprintf(name, NAME_MOST, "knell-%016" PRIx64, key);
}

int memory_make(struct memory_place *place)
{
    char name[NAME_MOST];
    *place = (struct memory_place){.pid = getpid(), .fd = -1};
    if (getrandom(&place->key, sizeof place->key, 0) != (ssize_t)sizeof place->key)
        return -1;
    write_name(place->key, name);
    int fd = memfd_create(name, MFD_CLOEXEC);
    place->fd = fd;
    return fd;
}

/* Is it that one? */
static bool is_named(const char *path, uint64_t key)
{
    char name[NAME_MOST], wanted[2 * NAME_MOST], found[2 * NAME_MOST];
    ssize_t size = readlink(path, found, sizeof found - 1);
    write_name(key, name);
    snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
    return size > 0 && strcmp((found[size] = '\0', found), wanted) == 0;
}

/* Looked at before, so that nothing of a stranger's is opened, and again when it can be no other any more. */
int memory_open_any(const struct memory_place *place)
{
    char path[NAME_MOST], own[NAME_MOST];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId64, place->pid, place->fd);
    int fd = place->fd >= 0 && is_named(path, place->key) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (fd >= 0 && !is_named(own, place->key)) {
        close(fd);
        return -1;
    }
    return fd;
}

int memory_open(const struct memory_place *place, int process)
{
    return neighbour_of((pid_t)place->pid) == process ? memory_open_any(place) : -1;
}

/* Whoever comes first gives it its size. Pages come to be where they are touched first. */
void *memory_map(int fd, size_t bytes)
{
    if (ftruncate(fd, (off_t)bytes) != 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
