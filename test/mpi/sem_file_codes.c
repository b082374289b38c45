/* sem_file_codes.c: members that fail for different reasons: all of them have the same class. Here the kernel refuses to bring data of some
 * ranks to the disk, and to say where the end of the file is. */
#include "file.h"

#include <errno.h>
#include <sys/syscall.h>

static int refusal;

static long refuse(void)
{
    errno = refusal;
    return -1;
}

/* Instead of the C library's, for the MPI below too. */
#define REPLACE __attribute__((visibility("default")))
REPLACE int fsync(int fd)
{
    return refusal ? (int)refuse() : (int)syscall(SYS_fsync, fd);
}

REPLACE off_t lseek(int fd, off_t offset, int whence)
{
    return refusal ? refuse() : syscall(SYS_lseek, fd, offset, whence);
}

REPLACE off64_t lseek64(int fd, off64_t offset, int whence)
{
    return refusal ? refuse() : syscall(SYS_lseek, fd, offset, whence);
}

static MPI_File file;

static void all_fail(int code)
{
    refusal = 0;
    CHECK(code != MPI_SUCCESS);
    check_same(MPI_COMM_WORLD, class_of(code));
}

/* There must be something to be brought there: MPICH looks. */
static void sync_fails(int why)
{
    OK(MPI_File_write_at(file, (MPI_Offset)sizeof me * me, &me, 1, MPI_INT, MPI_STATUS_IGNORE));
    refusal = why;
    all_fail(CODE(MPI_File_sync(file)));
}

/* One cannot know the end, the others ask for nonsense: two classes. */
static void seek_fails(int who)
{
    refusal = me == who ? EIO : 0;
    all_fail(CODE(MPI_File_seek_shared(file, 0, me == who ? MPI_SEEK_END : -77)));
}

int main(int argc, char **argv)
{
    static const int why[] = {EROFS, ENOSPC, EACCES, EIO};
    begin(&argc, &argv, 60);
    name_file("sem-file-codes");
    OK(MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
    for (int i = 0; i < 4; i++) {
        sync_fails(why[(me + i) % 4]);
        sync_fails(me == 1 ? why[i] : 0); /* at one of them */
        seek_fails(i);
    }
    OK(MPI_File_sync(file));
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
    OK(MPI_File_close(&file));
    return end();
}
