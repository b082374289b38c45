/* open.c: MPI_File_open and MPI_File_close.
 *
 * The first member opens the file, and creates it if that is to be done. When the others hear that it has, they open it, too, each for
 * itself. At the end all agree: the file is open at all members or at none. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/file/atomic.h"
#include "mpi/file/file.h"
#include "mpi/native/native.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the MPI below does not hear of: whatever one member does for all, and what it would believe of the other members. */
enum { AMODE_LAYER = MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN };
enum { AMODE_FIRST = MPI_MODE_CREATE | MPI_MODE_EXCL };

/* What each member says when the first one has opened the file. */
struct hello {
    int64_t class, amode;
    struct memory_place place;
};

/* ---- a communicator of its own ---------------------------------------------------------------------------------------------------- */

static int raise_on_file(struct comm *comm, int code)
{
    return file_raise(comm->owner, code);
}

/* Of one process: nobody has to be asked, and no message ever needs a place. */
static int make_alone(struct comm *parent, struct comm **made)
{
    static _Atomic uint64_t count;
    int code = op_check(parent, PEER_ALL);
    if (code != MPI_SUCCESS)
        return code;
    uint64_t id = UINT64_MAX - 1 - atomic_fetch_add(&count, 1);
    *made = comm_new(&(struct comm_group){&self.process, 1, 0}, id, NULL, comm_handle_make());
    return MPI_SUCCESS;
}

static int make_comm(struct comm *parent, struct comm **made)
{
    if (parent->size == 1)
        return make_alone(parent, made);
    struct making *making =
        making_start(parent, MAKING_CREATE, NULL, comm_handle_make(), create_may_make(parent, MPI_SUCCESS));
    making_hint(making, &parent->hints);
    return making_finish(making, made);
}

static void free_comm(struct comm *comm)
{
    MPI_Comm freed = comm->handle;
    comm->raise = NULL;
    comm->owner = NULL;
    comm_unhandle(comm);
    native.comm_free(&freed);
    comm_release(comm);
}

/* ---- natively --------------------------------------------------------------------------------------------------------------------- */

/* Where several processes write, ROMIO must not read a block, change a part of it and write it back: what a neighbour wrote meanwhile
 * would be lost. The lock that it holds then is respected by those who do the same, but not by who writes one piece. */
MPI_Info file_safe_hints(const struct comm *comm, MPI_Info given)
{
    MPI_Info info = MPI_INFO_NULL;
    if (comm->size == 1 || (given == MPI_INFO_NULL ? native.info_create(&info) : native.info_dup(given, &info)) != 0)
        return MPI_INFO_NULL;
    native.info_set(info, "romio_ds_write", "disable");
    return info;
}

static int open_natively(struct file *file, int amode, MPI_Info given)
{
    if (file->amode & MPI_MODE_SEQUENTIAL && file->amode & MPI_MODE_RDWR)
        return MPI_ERR_AMODE; /* of which the MPI below would not hear */
    MPI_Info info = file_safe_hints(file->comm, given);
    file_below();
    int code = file_above(
        native.file_open(file->comm->handle, file->name, amode, info == MPI_INFO_NULL ? given : info, &file->handle));
    if (info != MPI_INFO_NULL)
        native.info_free(&info);
    if (code != MPI_SUCCESS)
        file->handle = MPI_FILE_NULL;
    return code;
}

static int close_natively(struct file *file)
{
    if (file->handle == MPI_FILE_NULL)
        return MPI_SUCCESS;
    file_below();
    return file_above(native.file_close(&file->handle));
}

/* ---- all members ------------------------------------------------------------------------------------------------------------------ */

/* The one agreement that nobody stays away from: all members have the communicator. */
static int agree(struct comm *comm, int code)
{
    int class = file_class(code);
    struct side_ticket ticket = {.group = comm->id,
                                 .kind = KNELL_KIND_CREATE,
                                 .fold = SIDE_FOLD_WORST,
                                 .alone = comm->size == 1,
                                 .size = sizeof class};
    memcpy(ticket.value, &class, sizeof class);
    side_propose(&ticket);
    for (unsigned turns = 0; !side_decided(&ticket);)
        wait_idle(&turns, comm);
    memcpy(&class, ticket.value, sizeof class);
    if (class == MPI_SUCCESS)
        class = making_deaths(comm, &ticket);
    free(ticket.dead);
    return code != MPI_SUCCESS && class == file_class(code) ? code : class;
}

/* The first member has opened the file. */
static int follow(struct file *file, const struct hello *first, MPI_Info info)
{
    if (first->class != MPI_SUCCESS)
        return (int)first->class;
    if (first->amode != file->amode)
        return MPI_ERR_NOT_SAME;
    pointer_join(&file->pointer, file->comm->process_of[0], &first->place);
    return open_natively(file, file->amode & ~(AMODE_LAYER | AMODE_FIRST), info);
}

static int open_with_others(struct file *file, MPI_Info info)
{
    struct comm *comm = file->comm;
    struct hello mine = {.amode = file->amode}, *all = malloc((size_t)comm->size * sizeof *all);
    int code = MPI_SUCCESS;
    bool first = comm->rank == 0;
    if (!all)
        layer_die("out of memory");
    if (first) {
        code = open_natively(file, file->amode & ~AMODE_LAYER, info);
        pointer_make(&file->pointer, &mine.place);
    }
    mine.class = file_class(code);
    int failed = coll_allgather(comm, &mine, all, sizeof mine);
    if (!first && failed == MPI_SUCCESS)
        code = follow(file, &all[0], info);
    code = agree(comm, failed != MPI_SUCCESS ? failed : code);
    if (first)
        pointer_close(&mine.place);
    free(all);
    return code;
}

static int open_alone(struct file *file, MPI_Info info)
{
    pointer_make_alone(&file->pointer);
    return open_natively(file, file->amode & ~AMODE_LAYER, info);
}

/* ---- open ------------------------------------------------------------------------------------------------------------------------- */

static struct file *new_file(struct comm *comm, const char *name, int amode)
{
    struct file *file = calloc(1, sizeof *file);
    if (!file || !(file->name = strdup(name)))
        layer_die("out of memory");
    file->comm = comm;
    file->path = file_path_of(name);
    file->amode = amode;
    file->handle = MPI_FILE_NULL;
    file->lock = file->pin = -1;
    return file;
}

static void free_file(struct file *file)
{
    free_comm(file->comm);
    pointer_end(&file->pointer);
    atomic_end(file);
    if (file->pin >= 0)
        close(file->pin);
    free(file->path);
    free(file->name);
    free(file);
}

/* MPI_MODE_APPEND: all pointers begin at the end. */
static void publish(struct file *file)
{
    file_handler_inherit(file);
    file_pin(file);
    file->comm->owner = file;
    file->comm->raise = raise_on_file;
    if (file->amode & MPI_MODE_APPEND)
        native.file_get_position(file->handle, &file->pointer.base);
    file_list(file);
}

static int open_file(struct comm *parent, const char *name, int amode, MPI_Info info, MPI_File *handle)
{
    struct comm *comm = NULL;
    int code = make_comm(parent, &comm);
    if (code != MPI_SUCCESS)
        return code;
    struct file *file = new_file(comm, name, amode);
    code = comm->size == 1 ? open_alone(file, info) : open_with_others(file, info);
    if (code != MPI_SUCCESS) {
        close_natively(file);
        free_file(file);
        return code;
    }
    publish(file);
    *handle = file->handle;
    return MPI_SUCCESS;
}

int mpi_file_open(MPI_Comm handle, const char *name, int amode, MPI_Info info, MPI_File *fh)
{
    struct comm *parent = comm_of(handle);
    *fh = MPI_FILE_NULL;
    bool may = parent && !comm_is_inter(parent);
    return file_raise(NULL, may ? open_file(parent, name, amode, info, fh) : MPI_ERR_COMM);
}

/* ---- close ------------------------------------------------------------------------------------------------------------------------ */

/* The lowest that lives, as far as is known here. */
static bool acts_for_all(const struct comm *comm)
{
    int rank = 0;
    while (rank < comm->rank && side_is_dead(comm->process_of[rank]))
        rank++;
    return rank == comm->rank;
}

/* When all have closed it; then all wait for that. */
static int delete_together(struct file *file, int code)
{
    if (code == MPI_SUCCESS && acts_for_all(file->comm))
        code = file_delete(file);
    return file_worst(file, code);
}

/* After a death, or on a revoked file, each closes for itself: it needs nobody, and says what it found itself. Each deletes the file, too,
 * unless another has: the lowest may die before it does. */
static int close_together(struct file *file)
{
    bool deletes = file->amode & MPI_MODE_DELETE_ON_CLOSE;
    int mine = close_natively(file), code = file_worst(file, mine);
    if (deletes && code == MPI_SUCCESS)
        code = delete_together(file, code);
    if (code != MPIX_ERR_PROC_FAILED && code != MPIX_ERR_REVOKED)
        return code;
    if (deletes && (file->pin >= 0 || acts_for_all(file->comm)))
        file_delete(file);
    return mine;
}

int mpi_file_close(MPI_File *handle)
{
    struct file *file = file_of(*handle);
    if (!file)
        return file_raise(NULL, MPI_ERR_FILE);
    file_unlist(file);
    int code = close_together(file);
    *handle = MPI_FILE_NULL;
    file_raise(file, code);
    file_handler_release(file);
    free_file(file);
    return code;
}

/* ---- without a file --------------------------------------------------------------------------------------------------------------- */

int mpi_file_delete(const char *name, MPI_Info info)
{
    file_below();
    return file_raise(NULL, file_above(native.file_delete(name, info)));
}

int mpi_register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                         MPI_Datarep_conversion_function *write_conversion_fn,
                         MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
    file_below();
    int code =
        native.register_datarep(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state);
    return file_raise(NULL, file_above(code));
}
