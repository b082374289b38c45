/* arena.c: the memory of all rings: made by one process, mapped by each. Pages come to be where they are touched first. */
#include "carrier/carrier.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

size_t knell_carrier_size(unsigned processes)
{
    return processes * sizeof(struct process) + (size_t)processes * processes * sizeof(struct pair);
}

int knell_carrier_make(unsigned processes, int *fd)
{
    if (processes == 0 || processes > MOST_PROCESSES)
        return -EINVAL;
    int made = memfd_create("knell-carrier", MFD_CLOEXEC);
    if (made < 0)
        return -errno;
    if (ftruncate(made, (off_t)knell_carrier_size(processes)) != 0) {
        int code = -errno;
        close(made);
        return code;
    }
    *fd = made;
    return 0;
}

static bool allocate(struct knell_carrier *carrier)
{
    carrier->out = calloc(carrier->processes, sizeof *carrier->out);
    carrier->in = calloc(carrier->processes, sizeof *carrier->in);
    carrier->look = calloc(carrier->processes / 64 + 1, sizeof *carrier->look);
    return carrier->out && carrier->in && carrier->look;
}

/* Without a proof nobody reads this process' memory: it has no number then. */
static void introduce(struct knell_carrier *carrier)
{
    struct process *self = &carrier->process[carrier->me];
    if (getrandom(&carrier->proof, sizeof carrier->proof, 0) != (ssize_t)sizeof carrier->proof)
        return;
    self->proof = carrier->proof;
    self->proof_at = (uint64_t)(uintptr_t)&carrier->proof;
    STEP();
    atomic_store_explicit(&self->pid, (int32_t)getpid(), memory_order_release);
    STEP();
}

/* A file that is too short would end a process later, at its first message. */
static int map(int fd, size_t size, void **memory)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return -errno;
    if ((uint64_t)file.st_size < size)
        return -EINVAL;
    *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (*memory == MAP_FAILED)
        return -errno;
    madvise(*memory, size, MADV_NOHUGEPAGE); /* a pair that has spoken is to take its pages and no more */
    return 0;
}

int knell_carrier_join(int fd, unsigned processes, unsigned me, struct knell_carrier **joined)
{
    if (me >= processes || processes > MOST_PROCESSES)
        return -EINVAL;
    struct knell_carrier *carrier = calloc(1, sizeof *carrier);
    if (!carrier)
        return -ENOMEM;
    carrier->me = me;
    carrier->processes = processes;
    carrier->size = knell_carrier_size(processes);
    if (!allocate(carrier)) {
        knell_carrier_leave(carrier);
        return -ENOMEM;
    }
    void *memory;
    int code = map(fd, carrier->size, &memory);
    if (code != 0) {
        knell_carrier_leave(carrier);
        return code;
    }
    carrier->process = memory;
    carrier->pair = (struct pair *)(carrier->process + processes);
    introduce(carrier);
    *joined = carrier;
    return 0;
}

void knell_carrier_leave(struct knell_carrier *carrier)
{
    if (carrier->process)
        munmap(carrier->process, carrier->size);
    free(carrier->out);
    free(carrier->in);
    free(carrier->look);
    free(carrier);
}
