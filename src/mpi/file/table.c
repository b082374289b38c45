/* table.c: from a native handle to its file. */
#include "mpi/base/lock.h"
#include "mpi/file/file.h"

enum { CHAINS = 64 };

static struct file *chain[CHAINS]; /* LOCK_FILES */

static struct file **chain_of(MPI_File handle)
{
    return &chain[(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

struct file *file_of(MPI_File handle)
{
    lock_take(LOCK_FILES);
    struct file *file = *chain_of(handle);
    while (file && file->handle != handle)
        file = file->next;
    lock_give(LOCK_FILES);
    return file;
}

void file_list(struct file *file)
{
    struct file **at = chain_of(file->handle);
    lock_take(LOCK_FILES);
    file->next = *at;
    *at = file;
    lock_give(LOCK_FILES);
}

void file_unlist(struct file *file)
{
    struct file **at = chain_of(file->handle);
    lock_take(LOCK_FILES);
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    lock_give(LOCK_FILES);
}
