/* sem_file_apart.c: a file whose members do not all have the memory of the shared pointer, as if they were on different hosts: here the last
 * rank cannot open it. What is by ranks works all the same; what is by the pointer alone is refused where there is none. Nobody hangs. */
#include "file.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

static int is_apart;

/* Instead of the C library's, for the layer too. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return is_apart && strstr(path, "/fd/") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int main(int argc, char **argv)
{
    MPI_File file;
    int value = -1;
    begin(&argc, &argv, 60);
    name_file("sem-file-apart");
    is_apart = me == all - 1;
    OK(MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
    is_apart = 0;
    OK(MPI_File_write_ordered(file, &me, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered(file, &me, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(file));
    for (int i = 0; i < 2 * all; i++) {
        OK(MPI_File_read_at(file, i * (MPI_Offset)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK(value == i % all);
    }
    int code = class_of(MPI_File_read_shared(file, &value, 0, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(code == (me == all - 1 ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS));
    CHECK(class_of(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)) == MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_File_close(&file));
    return end();
}
