/* atomic.c: see atomic.h. Locks of an open file description, on a descriptor of the layer's own: those of a process would be lost when the
 * MPI below closes any descriptor of the same file. */
#include "mpi/file/atomic.h"
#include "mpi/base/gen/own.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The weaker kinds of access have one kind of lock only. */
static int open_lock(const char *path, int amode)
{
    if (amode & MPI_MODE_RDWR)
        return open(path, O_RDWR | O_CLOEXEC);
    return open(path, (amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* One byte, where no data is: ROMIO holds locks of this process on the data while it writes, which a lock of a description would stop, though
 * it is the same process that has it. */
static int set(struct file *file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1};
    return fcntl(file->lock, F_OFD_SETLK, &lock);
}

/* One thread of the process at a time: the lock does not tell them apart. */
static bool taken(struct file *file, short type, int *error)
{
    if (atomic_exchange(&file->lock_is_held, true))
        return false;
    if (set(file, type) == 0)
        return true;
    *error = errno;
    atomic_store(&file->lock_is_held, false);
    return false;
}

/* Asked for again and again, since nothing else would end the wait when the file is revoked. */
int atomic_lock(struct file *file, bool writes)
{
    bool shared = file->amode & MPI_MODE_RDONLY || (file->amode & MPI_MODE_RDWR && !writes);
    short type = shared ? F_RDLCK : F_WRLCK; /* whoever may not write hears it from the MPI below */
    int error = EAGAIN;
    for (unsigned turns = 0; !taken(file, type, &error); wait_idle(&turns, file->comm)) {
        if (error != EAGAIN && error != EACCES && error != EINTR)
            return MPI_ERR_IO;
        if (file_trouble(file) == MPIX_ERR_REVOKED)
            return MPIX_ERR_REVOKED;
    }
    return MPI_SUCCESS;
}

void atomic_unlock(struct file *file)
{
    set(file, F_UNLCK);
    atomic_store(&file->lock_is_held, false);
}

void atomic_end(struct file *file)
{
    if (file->lock >= 0)
        close(file->lock);
    file->lock = -1;
}

int mpi_file_set_atomicity(MPI_File handle, int flag)
{
    struct file *file = file_of(handle);
    if (!file)
        return file_raise(NULL, MPI_ERR_FILE);
    if (flag && file->lock < 0 && file->path)
        file->lock = open_lock(file->path, file->amode);
    int code = flag && file->lock < 0 ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
    code = file_worst_same(file, code, flag != 0);
    if (code == MPI_SUCCESS)
        file->atomic = flag;
    return file_raise(file, code);
}

int mpi_file_get_atomicity(MPI_File handle, int *flag)
{
    const struct file *file = file_of(handle);
    if (!file)
        return file_raise(NULL, MPI_ERR_FILE);
    *flag = file->atomic;
    return MPI_SUCCESS;
}
