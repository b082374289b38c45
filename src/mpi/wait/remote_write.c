/* remote_write.c: memory of other processes, into which the MPI below may write. UCX, below MPICH, has large messages written straight
 * into the receiver's memory. To find the receiver dead is an error that it answers by ending this process. So the layer stands
 * between: what is written to a dead member of the job is gone, and that is all. The MPI below completes the send; the layer does
 * not believe it (doubt.h). The program may have the buffer of a send to the dead back, and have freed it: that is gone, too.
 *
 * Reading from a dead sender cannot be mended like this: the receive would complete with what never came. So the receiver
 * must not be the one that copies (UCX_RNDV_SCHEME=put_zcopy, see docs/design/mpi.md). */
#include "mpi/detector/neighbours.h"
#include "mpi/detector/side.h"
#include "mpi/wait/doubt.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t size_of(const struct iovec *part, unsigned long parts)
{
    size_t size = 0;
    for (unsigned long i = 0; i < parts; i++)
        size += part[i].iov_len;
    return (ssize_t)size;
}

__attribute__((visibility("default"))) ssize_t process_vm_writev(pid_t pid, const struct iovec *local,
                                                                 unsigned long locals, const struct iovec *remote,
                                                                 unsigned long remotes, unsigned long flags)
{
    ssize_t written = syscall(SYS_process_vm_writev, pid, local, locals, remote, remotes, flags);
    int process = written < 0 && (errno == ESRCH || errno == EFAULT) ? neighbour_of(pid) : -1;
    if (process < 0 || (errno == EFAULT && !side_is_dead(process)))
        return written;
    doubt_process(process);
    return size_of(local, locals);
}
