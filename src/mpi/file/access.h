/* access.h: around the native calls on files, for the wrappers: finds the file, says why a call cannot be made, holds the lock of atomic
 * mode, gives the offset of the shared pointer, raises what went wrong.
 *
 *      if (access_begin(&access, fh, ACCESS_WRITES, count, datatype))
 *          access.code = native.file_write(fh, buf, count, datatype, status);
 *      return access_end(&access);
 */
#ifndef KNELL_MPI_FILE_ACCESS_H
#define KNELL_MPI_FILE_ACCESS_H

#include "mpi/file/file.h"

enum {
    ACCESS_WRITES = 1,
    ACCESS_AT = 2,      /* at an offset of the program's */
    ACCESS_ALL = 4,     /* collective */
    ACCESS_SHARED = 8,  /* by the shared pointer; collective too: in the order of ranks */
    ACCESS_SPLIT = 16,  /* its end is another call */
    ACCESS_POINTER = 32 /* a query of the individual pointer */
};

struct access {
    struct file *file; /* NULL: there is no such file */
    int code;
    bool refused; /* the native call is not made, because of a death or a revoke */
    bool below, locked;
    MPI_Offset offset; /* by the shared pointer */
    MPI_Status status; /* split */
};

/* False: the native call is not to be made. Ends follow in any case. */
bool access_begin(struct access *access, MPI_File handle, unsigned how, MPI_Offset count, MPI_Datatype datatype);
bool access_begin_query(struct access *access, MPI_File handle, unsigned how);

int access_end(struct access *access);
/* Of a nonblocking call. */
int access_end_request(struct access *access, MPI_Request *request);
/* Of the first half of a split collective, which does all the work; `ends`: the call that is the second. */
int access_end_begin(struct access *access, enum job_call ends);
int access_end_split(MPI_File handle, enum job_call ends, MPI_Status *status);

#endif
