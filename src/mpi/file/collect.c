/* collect.c: what the members of a file tell each other: the worst of their codes. By messages, as collectives do: a member that fails
 * tells the others, nobody waits in vain. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/file/file.h"
#include "mpi/wait/wait.h"

int file_class(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS && mpi_error_class(code, &class) != MPI_SUCCESS)
        class = MPI_ERR_OTHER;
    return class;
}

int file_trouble(const struct file *file)
{
    return RARELY(comm_trouble(file->comm)) ? op_check(file->comm, PEER_ALL) : MPI_SUCCESS;
}

/* This member's own code, if it is of that class: it says more. */
static int in_words(int code, int64_t class)
{
    return file_class(code) == class ? code : (int)class;
}

int file_worst(struct file *file, int code)
{
    int64_t worst = file_class(code);
    int failed = coll_most(file->comm, &worst, 1);
    return failed != MPI_SUCCESS ? failed : in_words(code, worst);
}

int file_worst_same(struct file *file, int code, int64_t value)
{
    int64_t most[] = {file_class(code), value, -value};
    int failed = coll_most(file->comm, most, 3);
    if (failed != MPI_SUCCESS)
        return failed;
    return most[0] == MPI_SUCCESS && most[1] != -most[2] ? MPI_ERR_NOT_SAME : in_words(code, most[0]);
}
