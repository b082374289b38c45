/* access.c: see access.h. */
#include "mpi/file/access.h"
#include "mpi/file/atomic.h"
#include "mpi/file/under_way.h"
#include "mpi/native/native.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>

/* ---- may it be done? -------------------------------------------------------------------------------------------------------------- */

/* A revoked file is of no use to anybody; a death concerns what is collective. */
static int trouble_of(const struct file *file, unsigned how)
{
    int code = file_trouble(file);
    return how & ACCESS_ALL || code == MPIX_ERR_REVOKED ? code : MPI_SUCCESS;
}

/* What MPI_MODE_SEQUENTIAL excludes: everything but shared pointers. Natively the file is not opened so. */
static int mode_of(const struct file *file, unsigned how)
{
    bool excluded = file->amode & MPI_MODE_SEQUENTIAL && !(how & ACCESS_SHARED);
    if (file->ends && how & ACCESS_ALL)
        return MPI_ERR_IO; /* one split collective at a time, and no other collective access meanwhile */
    return excluded ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
}

static int refuse(struct access *access, unsigned how)
{
    int code = trouble_of(access->file, how);
    access->refused = code != MPI_SUCCESS;
    return code;
}

/* ---- shared pointers -------------------------------------------------------------------------------------------------------------- */

/* How many etypes that is. */
static int etypes_of(const struct file *file, MPI_Offset count, MPI_Datatype datatype, MPI_Offset *etypes)
{
    MPI_Count size = 0;
    int code = count < 0 ? MPI_ERR_COUNT : datatype == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = native.type_size_x(datatype, &size);
    if (code == MPI_SUCCESS && (file->pointer.etype == 0 || count * size % file->pointer.etype != 0))
        code = MPI_ERR_IO;
    *etypes = code == MPI_SUCCESS ? count * size / file->pointer.etype : 0;
    return code;
}

/* A member that cannot do its part moves nothing, but takes its turn: the others wait for it. */
static int offset_of(struct access *access, unsigned how, MPI_Offset count, MPI_Datatype datatype)
{
    struct file *file = access->file;
    MPI_Offset etypes = 0;
    int code = etypes_of(file, count, datatype, &etypes);
    if (how & ACCESS_ALL) {
        int failed = pointer_add_ordered(&file->pointer, file->comm, etypes, &access->offset);
        return failed != MPI_SUCCESS ? failed : code;
    }
    if (!file->pointer.counter)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    if (code == MPI_SUCCESS)
        access->offset = pointer_add(&file->pointer, etypes);
    return code;
}

/* ---- begin ------------------------------------------------------------------------------------------------------------------------ */

static bool begin(struct access *access, MPI_File handle)
{
    access->file = file_of(handle);
    access->code = access->file ? MPI_SUCCESS : MPI_ERR_FILE; /* Open MPI has other words for it in some calls */
    access->refused = access->below = access->locked = false;
    return access->file != NULL;
}

static bool go(struct access *access)
{
    access->below = access->code == MPI_SUCCESS;
    if (access->below)
        file_below();
    return access->below;
}

bool access_begin(struct access *access, MPI_File handle, unsigned how, MPI_Offset count, MPI_Datatype datatype)
{
    if (!begin(access, handle))
        return false;
    access->code = refuse(access, how);
    if (access->code == MPI_SUCCESS)
        access->code = mode_of(access->file, how);
    if (access->code == MPI_SUCCESS && how & ACCESS_SHARED)
        access->code = offset_of(access, how, count, datatype);
    if (access->code == MPI_SUCCESS && access->file->atomic) {
        access->code = atomic_lock(access->file, how & ACCESS_WRITES);
        access->locked = access->code == MPI_SUCCESS;
    }
    access->refused |= access->code == MPIX_ERR_PROC_FAILED || access->code == MPIX_ERR_REVOKED;
    return go(access);
}

bool access_begin_query(struct access *access, MPI_File handle, unsigned how)
{
    if (!begin(access, handle))
        return false;
    access->code = how & ACCESS_ALL ? refuse(access, how) : MPI_SUCCESS;
    if (access->code == MPI_SUCCESS && how & ACCESS_POINTER)
        access->code = mode_of(access->file, how);
    access->refused |= access->code != MPI_SUCCESS;
    return go(access);
}

/* ---- end -------------------------------------------------------------------------------------------------------------------------- */

static int up(struct access *access)
{
    if (access->below)
        file_above(access->code);
    if (access->locked)
        atomic_unlock(access->file);
    return access->code;
}

int access_end(struct access *access)
{
    return file_raise(access->file, up(access));
}

/* A nonblocking call that a death or a revoke concerns succeeds; its completion does not. */
int access_end_request(struct access *access, MPI_Request *request)
{
    struct file *file = access->file;
    if (access->refused)
        access->code = request_settled(file->comm, access->code, NULL, request);
    else if (access->code == MPI_SUCCESS && file)
        access->code = under_way(file->comm, access->locked, request);
    int code = up(access);
    if (code != MPI_SUCCESS)
        *request = MPI_REQUEST_NULL;
    return file_raise(file, code);
}

int access_end_begin(struct access *access, enum job_call ends)
{
    int code = up(access);
    if (access->file && code == MPI_SUCCESS) {
        access->file->ends = ends;
        access->file->split_status = access->status;
    }
    return file_raise(access->file, code);
}

int access_end_split(MPI_File handle, enum job_call ends, MPI_Status *status)
{
    struct file *file = file_of(handle);
    if (!file || file->ends != ends)
        return file_raise(file, file ? MPI_ERR_IO : MPI_ERR_FILE);
    file->ends = 0;
    wait_status_set(status, &file->split_status);
    return MPI_SUCCESS;
}
