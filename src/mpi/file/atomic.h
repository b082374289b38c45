/* atomic.h: atomic mode: every access holds a lock on the whole file, which the kernel gives back when its holder dies. */
#ifndef KNELL_MPI_FILE_ATOMIC_H
#define KNELL_MPI_FILE_ATOMIC_H

#include "mpi/file/file.h"

int atomic_lock(struct file *file, bool writes);
void atomic_unlock(struct file *file);
void atomic_end(struct file *file);

#endif
