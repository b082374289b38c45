/* memory.h: memory that processes of one host share, without a name in any file system: it is gone with the last process that has it, however
 * that ends. One process makes it; the others open it through /proc while the first keeps it open. */
#ifndef KNELL_MPI_DETECTOR_MEMORY_H
#define KNELL_MPI_DETECTOR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Where the others find it. They look for the key, a random number, before they take what is there: the process may be dead, and its number
 * a stranger's. */
struct memory_place {
    uint64_t key;
    int64_t pid, fd; /* fd below zero: there is none */
};

/* A descriptor, which is the caller's, or below zero. */
int memory_make(struct memory_place *place);
/* `process`, of the job, made it. */
int memory_open(const struct memory_place *place, int process);
/* The same, whoever made it. */
int memory_open_any(const struct memory_place *place);

/* All give the same size. NULL: there is none. */
void *memory_map(int fd, size_t bytes);

#endif
