/* sem_file_death.c: files when ranks die, and when they are revoked: collective calls fail and never hang, the rest goes on, close works,
 * and the survivors find in the file what was written before. Ten ranks, eight deaths. */
#include "file.h"

#include <glob.h>

static MPI_File file;
static MPI_Comm comm; /* of the survivors */
static int rank, ranks;

/* Nothing of the MPI below lies beside it: Open MPI would put a file there where it cannot have one in its session folder. */
static void open_file(MPI_Comm on)
{
    char pattern[80];
    glob_t found;
    OK(MPI_File_open(on, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    snprintf(pattern, sizeof pattern, "%s*", file_name);
    CHECK(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1);
    globfree(&found);
}

static void repair(void)
{
    MPI_Comm old = comm;
    comm = shrunk(old);
    if (old != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&old));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &ranks));
}

static void write_turns(void)
{
    int data[BLOCK * BLOCKS];
    fill(data, rank, BLOCK * BLOCKS);
    set_turns(file, rank, ranks);
    OK(MPI_File_write_all(file, data, BLOCK * BLOCKS, MPI_INT, MPI_STATUS_IGNORE));
}

static void read_turns(MPI_File from, int of, int among)
{
    int data[BLOCK * BLOCKS] = {0};
    set_turns(from, of, among);
    OK(MPI_File_read_all(from, data, BLOCK * BLOCKS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(is_filled(data, of, BLOCK * BLOCKS));
}

/* ---- a death or a revoke that is known --------------------------------------------------------------------------------------------- */

static int heard;

static void hear(MPI_File *of, int *code, ...)
{
    (void)of;
    (void)code;
    heard++;
}

#define FAILS_ONCE(call, wanted)     \
    do {                             \
        int before_ = heard;         \
        FAILS(call, wanted);         \
        CHECK(heard == before_ + 1); \
    } while (0)

static void all_collective_fail(int wanted)
{
    int data[BLOCK] = {0}, before;
    MPI_Request request;
    MPI_Status status;
    FAILS_ONCE(MPI_File_write_all(file, data, BLOCK, MPI_INT, &status), wanted);
    FAILS_ONCE(MPI_File_read_at_all(file, 0, data, BLOCK, MPI_INT, &status), wanted);
    FAILS_ONCE(MPI_File_write_all_begin(file, data, BLOCK, MPI_INT), wanted);
    FAILS_ONCE(MPI_File_write_ordered(file, data, BLOCK, MPI_INT, &status), wanted);
    FAILS_ONCE(MPI_File_set_size(file, 0), wanted);
    FAILS_ONCE(MPI_File_preallocate(file, 1000000), wanted);
    FAILS_ONCE(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), wanted);
    FAILS_ONCE(MPI_File_set_atomicity(file, 1), wanted);
    FAILS_ONCE(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), wanted);
    FAILS_ONCE(MPI_File_sync(file), wanted);
    before = heard;
    OK(MPI_File_iwrite_all(file, data, BLOCK, MPI_INT, &request));
    CHECK(heard == before && request != MPI_REQUEST_NULL);
    FAILS_ONCE(MPI_Wait(&request, &status), wanted);
    OK(MPI_File_iread_at_all(file, 0, data, BLOCK, MPI_INT, &request));
    FAILS_ONCE(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    CHECK(status.MPI_ERROR == wanted);
}

static void listen_to(MPI_File to)
{
    MPI_Errhandler handler;
    OK(MPI_File_create_errhandler(hear, &handler));
    OK(MPI_File_set_errhandler(to, handler));
    OK(MPI_Errhandler_free(&handler));
}

/* What a rank does by itself goes on: here, to write again what it had written. */
static void check_known(void)
{
    int data[BLOCK * BLOCKS], victim = ranks - 1;
    MPI_Offset size = -1;
    MPI_Request request;
    open_file(comm);
    listen_to(file);
    write_turns();
    meet(comm);
    die_if(rank == victim);
    learn_death(comm, victim);
    all_collective_fail(MPIX_ERR_PROC_FAILED);
    fill(data, rank, BLOCK * BLOCKS);
    OK(MPI_File_write_at(file, 0, data, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_iwrite_at(file, BLOCK, data + BLOCK, BLOCK, MPI_INT, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_get_size(file, &size));
    CHECK(size == (MPI_Offset)sizeof(int) * BLOCK * BLOCKS * ranks);
    OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    int code = CODE(MPI_File_open(comm, file_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK(code == MPIX_ERR_PROC_FAILED && file == MPI_FILE_NULL);
    int before = ranks;
    repair();
    open_file(comm);
    read_turns(file, victim, before);
    read_turns(file, rank, before);
    OK(MPI_File_close(&file));
}

static void check_revoked(void)
{
    int data[BLOCK] = {0};
    MPI_File other;
    open_file(comm);
    OK(MPI_File_open(comm, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, &other));
    listen_to(file);
    meet(comm);
    if (rank == 0)
        OK(MPIX_File_revoke(file));
    else /* waits for rank 0, which does not come */
        FAILS(MPI_File_sync(file), MPIX_ERR_REVOKED);
    all_collective_fail(MPIX_ERR_REVOKED);
    FAILS_ONCE(MPI_File_write(file, data, 1, MPI_INT, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    FAILS_ONCE(MPI_File_read_at(file, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    FAILS_ONCE(MPI_File_write_shared(file, data, 1, MPI_INT, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    OK(MPI_File_close(&file));
    OK(MPI_File_sync(other)); /* another file, as the communicator, is as it was */
    OK(MPI_File_close(&other));
    OK(MPI_Barrier(comm));
}

/* ---- a death in the middle --------------------------------------------------------------------------------------------------------- */

enum { IN_OPEN, IN_CLOSE, IN_SYNC, IN_SIZE, IN_ORDERED, CALLS };

static int call_it(int which, MPI_File *of)
{
    int data[BLOCK] = {0};
    switch (which) {
    case IN_OPEN:
        return CODE(MPI_File_open(comm, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, of));
    case IN_CLOSE:
        return CODE(MPI_File_close(of));
    case IN_SYNC:
        return CODE(MPI_File_sync(*of));
    case IN_SIZE:
        return CODE(MPI_File_set_size(*of, 4096));
    default:
        return CODE(MPI_File_write_ordered(*of, data, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    }
}

/* The others wait for it in a call. The next victim is not the last rank: who acts for all is among them. */
static void check_midway(int which)
{
    int victim = which % 2 ? 0 : ranks - 1;
    file = MPI_FILE_NULL;
    if (which != IN_OPEN)
        open_file(comm);
    meet(comm);
    die_if(rank == victim);
    int code = call_it(which, &file);
    CHECK(code == MPIX_ERR_PROC_FAILED || (which == IN_CLOSE && code == MPI_SUCCESS));
    CHECK(which != IN_OPEN || file == MPI_FILE_NULL);
    if (file != MPI_FILE_NULL)
        OK(MPI_File_close(&file));
    repair();
}

/* To be deleted when it is closed: also when the lowest that lives, as others know, dies before it has closed. */
static void check_deleted(void)
{
    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, closed = 0;
    OK(MPI_File_open(comm, file_name, amode, MPI_INFO_NULL, &file));
    meet(comm);
    die_if(rank == 0);
    learn_death(comm, 0);
    for (int i = 2; rank == 1 && i < ranks; i++)
        OK(MPI_Recv(&closed, 1, MPI_INT, i, 5, comm, MPI_STATUS_IGNORE));
    die_if(rank == 1);
    OK(MPI_File_close(&file));
    OK(MPI_Send(&closed, 1, MPI_INT, 1, 5, comm));
    learn_death(comm, 1);
    CHECK(bytes_in_file() == -1);
    repair();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    name_file("sem-file-death");
    comm = MPI_COMM_WORLD;
    rank = me;
    ranks = all;
    check_revoked();
    check_known();
    for (int which = 0; which < CALLS; which++)
        check_midway(which);
    check_revoked();
    OK(MPI_Barrier(comm));
    check_deleted();
    return end();
}
