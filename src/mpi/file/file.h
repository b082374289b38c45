/* file.h: files. Each member opens the file natively for itself, on a communicator of one; what is collective is the layer's, on a
 * duplicate of the communicator that the file was opened with (docs/design/mpi.md, "Files"). No member waits for another inside the MPI
 * below. */
#ifndef KNELL_MPI_FILE_FILE_H
#define KNELL_MPI_FILE_FILE_H

#include "mpi/comm/comm.h"
#include "mpi/file/pointer.h"

#include <mpi.h>
#include <stddef.h>

/* An error handler that the layer holds: natively a file has MPI_ERRORS_RETURN, so that the MPI below raises nothing by itself. */
struct file_handler {
    MPI_Errhandler handle;                  /* a reference of the layer's own */
    MPI_File_errhandler_function *function; /* NULL: predefined, or of another language */
};

struct file {
    struct file *next; /* with the same hash: table.c */
    MPI_File handle;   /* the native one, of this member alone */
    struct comm *comm; /* its own: nobody else's collectives go there */
    char *name;        /* the program's */
    char *path;        /* the kernel's, also after a chdir; NULL: not known */
    int amode;         /* the program's; the native one is another */
    struct file_handler handler;
    struct pointer pointer; /* shared */
    bool atomic;
    int lock; /* a descriptor for locks, once atomic mode was asked for; -1: none */
    int pin;  /* one that says which file is to be deleted when it is closed; -1: none */
    _Atomic bool lock_is_held;
    enum job_call ends; /* what will end the split collective that has begun; 0: there is none */
    MPI_Status split_status;
};

/* ---- handles (table.c) ------------------------------------------------------------------------------------------------------------ */

/* NULL: there is no such file. */
struct file *file_of(MPI_File handle);
void file_list(struct file *file);
void file_unlist(struct file *file);

/* ---- errors (handler.c) ----------------------------------------------------------------------------------------------------------- */

/* Calls the file's handler and returns the code, if the handler does; NULL: that of MPI_FILE_NULL. MPI_SUCCESS passes. */
int file_raise(struct file *file, int code);
/* What a new file has: the handler of MPI_FILE_NULL. */
void file_handler_inherit(struct file *file);
void file_handler_release(struct file *file);

/* Codes of the MPI below mean something in one process only, classes in all. */
int file_class(int code);

/* ---- names (name.c) --------------------------------------------------------------------------------------------------------------- */

/* The kernel's name of the file, from malloc; NULL: there is none. */
char *file_path_of(const char *name);
/* From here on the file can be told from a later one of the same name: for MPI_MODE_DELETE_ON_CLOSE. */
void file_pin(struct file *file);
/* Deletes it, unless it is gone: then MPI_ERR_NO_SUCH_FILE. */
int file_delete(const struct file *file);

/* ---- hints (open.c) --------------------------------------------------------------------------------------------------------------- */

/* What the MPI below is to hear instead, which the caller frees; MPI_INFO_NULL: what the program gave. */
MPI_Info file_safe_hints(const struct comm *comm, MPI_Info given);

/* ---- what is collective (collect.c) ----------------------------------------------------------------------------------------------- */

/* Why a collective call cannot be made: a member is dead, or the file is revoked. */
int file_trouble(const struct file *file);
/* The worst of the members' codes, the same class at all of them. Fails when a member dies, and never waits for one in vain. */
int file_worst(struct file *file, int code);
/* The same, and all must have given the same value: MPI_ERR_NOT_SAME. */
int file_worst_same(struct file *file, int code, int64_t value);

/* Around native calls, which may call MPI themselves. */
static inline void file_below(void)
{
    layer_guard++;
}

static inline int file_above(int code)
{
    layer_guard--;
    return code;
}

#endif
