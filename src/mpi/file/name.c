/* name.c: which file a name means. The program may change its directory while it has a file open, and another may put a new file in the
 * place of one that was deleted. */
#include "mpi/file/file.h"
#include "mpi/native/native.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "ufs:/a/b": the kind of file system may stand before the name. */
static const char *without_kind(const char *name)
{
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    return colon && (!slash || colon < slash) ? colon + 1 : name;
}

char *file_path_of(const char *name)
{
    char here[PATH_MAX], *path = NULL;
    name = without_kind(name);
    if (*name == '/')
        return strdup(name);
    if (!getcwd(here, sizeof here) || asprintf(&path, "%s/%s", here, name) < 0)
        return NULL;
    return path;
}

/* While it is held, no other file has its number. */
void file_pin(struct file *file)
{
    if (file->amode & MPI_MODE_DELETE_ON_CLOSE && file->path)
        file->pin = open(file->path, O_PATH | O_CLOEXEC);
}

static bool is_there(const struct file *file)
{
    struct stat opened, found;
    return fstat(file->pin, &opened) == 0 && stat(file->path, &found) == 0 && opened.st_dev == found.st_dev &&
           opened.st_ino == found.st_ino;
}

static int delete_natively(const char *name)
{
    file_below();
    return file_above(native.file_delete(name, MPI_INFO_NULL));
}

int file_delete(const struct file *file)
{
    if (file->pin < 0)
        return delete_natively(file->name);
    if (!is_there(file))
        return MPI_ERR_NO_SUCH_FILE;
    if (unlink(file->path) == 0)
        return MPI_SUCCESS;
    return errno == ENOENT ? MPI_ERR_NO_SUCH_FILE : errno == EACCES || errno == EPERM ? MPI_ERR_ACCESS : MPI_ERR_IO;
}
