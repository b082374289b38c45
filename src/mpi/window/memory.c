/* memory.c: memory that the members of a window share: see window.h. Neither a file nor a name is left behind whenever the processes are
 * killed: a memfd has none, and another process reaches it only through one that has it open. */
#include "mpi/detector/neighbours.h"
#include "mpi/window/window.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAME_MOST = 64 };

static void write_name(uint64_t id, char *name)
{
    snprintf(name, NAME_MOST, "knell-window-%016" PRIx64, id);
}

int memory_make(uint64_t id)
{
    char name[NAME_MOST];
    write_name(id, name);
    return memfd_create(name, MFD_CLOEXEC);
}

/* Is it this one? The process may be dead, and its number another's by now. */
static bool is_named(const char *path, uint64_t id)
{
    char name[NAME_MOST], wanted[NAME_MOST + 8], found[2 * NAME_MOST];
    ssize_t size = readlink(path, found, sizeof found - 1);
    write_name(id, name);
    snprintf(wanted, sizeof wanted, "/memfd:%s", name);
    return size > 0 && strncmp((found[size] = '\0', found), wanted, strlen(wanted)) == 0;
}

int memory_open(uint64_t id, int process, int fd)
{
    char path[NAME_MOST];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)neighbour_pid(process), fd);
    return is_named(path, id) ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

/* Whoever comes first gives it its size. Pages come to be where they are touched first. */
void *memory_map(int fd, size_t bytes)
{
    if (ftruncate(fd, (off_t)bytes) != 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
