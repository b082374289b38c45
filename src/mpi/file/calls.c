/* calls.c: the collective calls on an open file that move no data, what was given at its opening, and revoke. */
#include "mpi/base/gen/own.h"
#include "mpi/comm/native_group.h"
#include "mpi/detector/side.h"
#include "mpi/file/file.h"
#include "mpi/native/native.h"

static int no_file(void)
{
    return file_raise(NULL, MPI_ERR_FILE);
}

/* ---- one member does it for all --------------------------------------------------------------------------------------------------- */

/* When all are there, with the same size: who is late may still write. */
static int one_for_all(MPI_File handle, MPI_Offset size, int (*act)(MPI_File handle, MPI_Offset size))
{
    struct file *file = file_of(handle);
    if (!file)
        return no_file();
    int code = file_worst_same(file, size < 0 ? MPI_ERR_ARG : MPI_SUCCESS, size);
    if (code == MPI_SUCCESS && file->comm->rank == 0) {
        file_below();
        code = file_above(act(handle, size));
    } else if (code != MPI_SUCCESS) {
        return file_raise(file, code); /* so it is at all */
    }
    return file_raise(file, file_worst(file, code));
}

int mpi_file_set_size(MPI_File handle, MPI_Offset size)
{
    return one_for_all(handle, size, native.file_set_size);
}

int mpi_file_preallocate(MPI_File handle, MPI_Offset size)
{
    return one_for_all(handle, size, native.file_preallocate);
}

/* ---- each member does it for itself ----------------------------------------------------------------------------------------------- */

int mpi_file_sync(MPI_File handle)
{
    struct file *file = file_of(handle);
    if (!file)
        return no_file();
    int code = file_trouble(file);
    if (code != MPI_SUCCESS)
        return file_raise(file, code);
    file_below();
    code = file_above(native.file_sync(handle));
    return file_raise(file, file_worst(file, code));
}

/* None given, none changed. */
static MPI_Info safe_hints(const struct file *file, MPI_Info info)
{
    return info == MPI_INFO_NULL ? info : file_safe_hints(file->comm, info);
}

static void free_hints(MPI_Info safe)
{
    if (safe != MPI_INFO_NULL)
        native.info_free(&safe);
}

int mpi_file_set_info(MPI_File handle, MPI_Info info)
{
    struct file *file = file_of(handle);
    if (!file)
        return no_file();
    int code = file_trouble(file);
    if (code != MPI_SUCCESS)
        return file_raise(file, code);
    MPI_Info safe = safe_hints(file, info);
    file_below();
    code = file_above(native.file_set_info(handle, safe == MPI_INFO_NULL ? info : safe));
    free_hints(safe);
    return file_raise(file, code);
}

/* A file that was opened with MPI_MODE_SEQUENTIAL has no other displacement than where the shared pointer is. */
static int displacement(const struct file *file, MPI_Offset *disp)
{
    if (!(file->amode & MPI_MODE_SEQUENTIAL) || *disp != MPI_DISPLACEMENT_CURRENT || !file->pointer.counter)
        return MPI_SUCCESS;
    return native.file_get_byte_offset(file->handle, pointer_get(&file->pointer), disp);
}

/* Views are each member's own; the standard asks for no synchronisation, and none is done. The shared pointer begins anew. */
static int set_view(struct file *file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
                    MPI_Info info)
{
    int size = 0;
    MPI_Info safe = safe_hints(file, info);
    file_below();
    int code = displacement(file, &disp);
    if (code == MPI_SUCCESS)
        code = native.file_set_view(file->handle, disp, etype, filetype, datarep, safe == MPI_INFO_NULL ? info : safe);
    free_hints(safe);
    if (code == MPI_SUCCESS)
        code = native.type_size(etype, &size);
    if (code == MPI_SUCCESS)
        file->pointer.etype = size;
    return file_above(code);
}

int mpi_file_set_view(MPI_File handle, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
                      MPI_Info info)
{
    struct file *file = file_of(handle);
    if (!file)
        return no_file();
    int code = file_trouble(file);
    if (code != MPI_SUCCESS)
        return file_raise(file, code);
    code = set_view(file, disp, etype, filetype, datarep, info);
    int failed = pointer_renew(&file->pointer, file->comm, 0);
    return file_raise(file, failed != MPI_SUCCESS ? failed : code);
}

/* ---- the shared pointer ----------------------------------------------------------------------------------------------------------- */

static int pointer_allowed(const struct file *file)
{
    bool allowed = file->pointer.counter && !(file->amode & MPI_MODE_SEQUENTIAL);
    return allowed ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_OPERATION;
}

/* The end of the file in this view, found by the individual pointer, which is put back. */
static int end_of(const struct file *file, MPI_Offset *end)
{
    MPI_Offset before;
    int code = native.file_get_position(file->handle, &before);
    if (code == MPI_SUCCESS)
        code = native.file_seek(file->handle, 0, MPI_SEEK_END);
    if (code != MPI_SUCCESS)
        return code;
    code = native.file_get_position(file->handle, end);
    native.file_seek(file->handle, before, MPI_SEEK_SET);
    return code;
}

static int base_of(struct file *file, MPI_Offset offset, int whence, MPI_Offset *base)
{
    int code = MPI_SUCCESS;
    MPI_Offset from = 0;
    if (whence == MPI_SEEK_CUR)
        from = pointer_get(&file->pointer);
    else if (whence == MPI_SEEK_END) {
        file_below();
        code = file_above(end_of(file, &from));
    } else if (whence != MPI_SEEK_SET)
        code = MPI_ERR_ARG;
    *base = from + offset;
    return code == MPI_SUCCESS && *base < 0 ? MPI_ERR_ARG : code;
}

/* All are there before anybody looks where the pointer or the end of the file is, and nobody moves either before all have looked. */
int mpi_file_seek_shared(MPI_File handle, MPI_Offset offset, int whence)
{
    struct file *file = file_of(handle);
    MPI_Offset base = 0;
    if (!file)
        return no_file();
    int code = file_worst_same(file, pointer_allowed(file), offset);
    if (code == MPI_SUCCESS) {
        code = base_of(file, offset, whence, &base);
        code = file_worst_same(file, code, base);
    }
    if (code == MPI_SUCCESS)
        code = pointer_renew(&file->pointer, file->comm, base);
    return file_raise(file, code);
}

int mpi_file_get_position_shared(MPI_File handle, MPI_Offset *offset)
{
    struct file *file = file_of(handle);
    if (!file)
        return no_file();
    int code = pointer_allowed(file);
    if (code == MPI_SUCCESS)
        *offset = pointer_get(&file->pointer);
    return file_raise(file, code);
}

/* ---- as it was opened ------------------------------------------------------------------------------------------------------------- */

int mpi_file_get_group(MPI_File handle, MPI_Group *group)
{
    const struct file *file = file_of(handle);
    if (!file)
        return no_file();
    *group = native_group_of(file->comm->process_of, file->comm->size);
    return MPI_SUCCESS;
}

int mpi_file_get_amode(MPI_File handle, int *amode)
{
    const struct file *file = file_of(handle);
    if (!file)
        return no_file();
    *amode = file->amode;
    return MPI_SUCCESS;
}

/* ---- revoke ----------------------------------------------------------------------------------------------------------------------- */

int mpi_file_revoke(MPI_File handle)
{
    const struct file *file = file_of(handle);
    if (!file)
        return no_file();
    comm_note_revoke(file->comm->id);
    side_epoch_raise();
    if (file->comm->size > 1)
        side_revoke(file->comm->id);
    return MPI_SUCCESS;
}
