/* sem_file.c: files while every rank lives: each way to move data, what a file was opened with, errors that all members have. */
#include "file.h"

#include <string.h>

static MPI_File file;

static void open_file(MPI_Comm comm, int amode)
{
    OK(MPI_File_open(comm, file_name, amode, MPI_INFO_NULL, &file));
}

static int count_of(MPI_Status *status)
{
    int count = -1;
    OK(MPI_Get_count(status, MPI_INT, &count));
    return count;
}

/* ---- views, and all kinds of access through them ----------------------------------------------------------------------------------- */

static void wait_all_kinds(MPI_Request *request, int count)
{
    MPI_Status status[8];
    int done = 0, index;
    if (me % 3 == 0)
        OK(MPI_Waitall(count, request, status));
    for (int i = 0; me % 3 == 1 && i < count; i++)
        OK(MPI_Waitany(count, request, &index, &status[0]));
    while (me % 3 == 2 && !done)
        OK(MPI_Testall(count, request, &done, status));
}

/* One block after the other, each by another call. */
static void write_turns(void)
{
    int data[BLOCK * BLOCKS];
    MPI_Status status;
    MPI_Request request[2];
    fill(data, me, BLOCK * BLOCKS);
    set_turns(file, me, all);
    OK(MPI_File_write_all(file, data, BLOCK, MPI_INT, &status));
    CHECK(count_of(&status) == BLOCK);
    OK(MPI_File_write(file, data + BLOCK, BLOCK, MPI_INT, &status));
    OK(MPI_File_write_at_all(file, 2 * BLOCK, data + 2 * BLOCK, BLOCK, MPI_INT, &status));
    OK(MPI_File_iwrite_at_all(file, 3 * BLOCK, data + 3 * BLOCK, BLOCK, MPI_INT, &request[0]));
    OK(MPI_File_iwrite_at(file, 4 * BLOCK, data + 4 * BLOCK, BLOCK, MPI_INT, &request[1]));
    wait_all_kinds(request, 2);
}

static void read_turns(void)
{
    int data[BLOCK * BLOCKS] = {0};
    MPI_Offset position = -1, bytes = -1;
    MPI_Status status;
    MPI_Request request[2];
    set_turns(file, (me + 1) % all, all);
    OK(MPI_File_read_all_begin(file, data, BLOCK, MPI_INT));
    OK(MPI_File_read_all_end(file, data, &status));
    CHECK(count_of(&status) == BLOCK);
    OK(MPI_File_get_position(file, &position));
    CHECK(position == BLOCK);
    OK(MPI_File_get_byte_offset(file, position, &bytes));
    CHECK(bytes == (MPI_Offset)sizeof(int) * BLOCK * (all + (me + 1) % all));
    OK(MPI_File_read_at_all_begin(file, BLOCK, data + BLOCK, BLOCK, MPI_INT));
    OK(MPI_File_read_at_all_end(file, data + BLOCK, &status));
    OK(MPI_File_seek(file, 2 * BLOCK, MPI_SEEK_SET));
    OK(MPI_File_iread_all(file, data + 2 * BLOCK, BLOCK, MPI_INT, &request[0]));
    OK(MPI_Wait(&request[0], &status));
    CHECK(count_of(&status) == BLOCK);
    OK(MPI_File_iread(file, data + 3 * BLOCK, BLOCK, MPI_INT, &request[0]));
    OK(MPI_File_iread_at(file, 4 * BLOCK, data + 4 * BLOCK, BLOCK, MPI_INT, &request[1]));
    wait_all_kinds(request, 2);
    CHECK(is_filled(data, (me + 1) % all, BLOCK * BLOCKS));
}

static void check_views(void)
{
    MPI_Offset size = -1;
    open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    write_turns();
    OK(MPI_File_sync(file));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_sync(file));
    read_turns();
    OK(MPI_File_get_size(file, &size));
    CHECK(size == (MPI_Offset)sizeof(int) * BLOCK * BLOCKS * all);
    OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    for (int rank = 0; rank < all; rank++)
        CHECK(has_turns(rank, all));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- sizes, modes ------------------------------------------------------------------------------------------------------------------ */

static void check_size(void)
{
    MPI_Offset size = -1;
    open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(MPI_File_set_size(file, 100));
    OK(MPI_File_get_size(file, &size));
    CHECK(size == 100);
    OK(MPI_File_preallocate(file, 4096));
    OK(MPI_File_get_size(file, &size));
    CHECK(size == 4096);
    OK(MPI_File_set_size(file, 8));
    OK(MPI_File_close(&file));
    open_file(MPI_COMM_WORLD, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_Offset position = -1;
    OK(MPI_File_get_position(file, &position));
    CHECK(position == 8);
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 8);
    OK(MPI_File_close(&file));
    CHECK(bytes_in_file() == 8);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_asked(void)
{
    int amode = 0, flag = 1, amode_given = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_Group group, world;
    MPI_Info info;
    if (me == 0)
        OK(MPI_File_delete(file_name, MPI_INFO_NULL));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    open_file(MPI_COMM_WORLD, amode_given);
    CHECK(bytes_in_file() == 0);
    OK(MPI_File_get_amode(file, &amode));
    CHECK(amode == amode_given);
    OK(MPI_File_get_group(file, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(group, world, &flag));
    CHECK(flag == MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag == 0);
    OK(MPI_File_close(&file));
    CHECK(bytes_in_file() == -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- shared pointers --------------------------------------------------------------------------------------------------------------- */

/* Records of one int each: all must be there once, in any order. */
static void check_shared_records(int records)
{
    int seen[64] = {0}, value;
    FILE *read = fopen(file_name, "rb");
    CHECK(read && records <= 64);
    for (int i = 0; i < records; i++) {
        CHECK(fread(&value, sizeof value, 1, read) == 1 && value >= 0 && value < records);
        seen[value]++;
    }
    for (int i = 0; i < records; i++)
        CHECK(seen[i] == 1);
    fclose(read);
}

static void check_shared(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Offset position = -1;
    open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int i = 0; i < 4; i++) {
        int value = me * 4 + i;
        if (i % 2 == 0)
            OK(MPI_File_write_shared(file, &value, 1, MPI_INT, &status));
        else {
            OK(MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request));
            OK(MPI_Wait(&request, &status));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_position_shared(file, &position));
    CHECK(position == 4 * all);
    check_shared_records(4 * all);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int turn = 0; turn < 3 * 8; turn++) { /* more than one round of what the pointer is made of */
        int mine[3] = {turn, me, turn * me}, theirs[3] = {-1, -1, -1}, count = 1 + me % 3;
        OK(MPI_File_seek_shared(file, turn, MPI_SEEK_SET));
        OK(MPI_File_write_ordered(file, mine, count, MPI_INT, &status));
        CHECK(count_of(&status) == count);
        OK(MPI_File_seek_shared(file, turn, MPI_SEEK_SET));
        if (turn % 2) {
            OK(MPI_File_read_ordered_begin(file, theirs, count, MPI_INT));
            OK(MPI_File_read_ordered_end(file, theirs, &status));
        } else
            OK(MPI_File_read_ordered(file, theirs, count, MPI_INT, &status));
        CHECK(memcmp(mine, theirs, (size_t)count * sizeof *mine) == 0);
    }
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
    OK(MPI_File_get_position_shared(file, &position));
    MPI_Offset size;
    OK(MPI_File_get_size(file, &size));
    CHECK(position == size / (MPI_Offset)sizeof(int));
    OK(MPI_File_seek_shared(file, -2, MPI_SEEK_CUR));
    MPI_Offset moved = 0;
    OK(MPI_File_get_position_shared(file, &moved));
    CHECK(moved == position - 2);
    OK(MPI_File_close(&file));
}

/* ---- atomic mode ------------------------------------------------------------------------------------------------------------------- */

/* All write the same place at once: what is there is one rank's alone. */
static void check_atomic(void)
{
    enum { MUCH = 20000 };
    static int data[MUCH];
    int flag = 0;
    MPI_Request request;
    open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_atomicity(file, 1));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag == 1);
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < MUCH; i++)
            data[i] = me;
        OK(MPI_File_write_at(file, 0, data, MUCH, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_File_iread_at(file, 0, data, MUCH, MPI_INT, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 1; i < MUCH; i++)
            CHECK(data[i] == data[0]);
    }
    OK(MPI_File_set_atomicity(file, 0));
    OK(MPI_File_close(&file));
}

/* ---- errors ------------------------------------------------------------------------------------------------------------------------ */

static int heard, heard_code;
static MPI_File heard_file;

static void hear(MPI_File *of, int *code, ...)
{
    heard++;
    heard_file = *of;
    MPI_Error_class(*code, &heard_code);
}

/* What is wrong at one member is an error at all of them, and each one's handler hears of it once. */
static void check_errors(void)
{
    MPI_Errhandler handler, got;
    MPI_Offset offset = me == all - 1 ? -1 : 10;
    if (me == 0)
        MPI_File_delete(file_name, MPI_INFO_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    int code = MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
    OK(MPI_File_create_errhandler(hear, &handler));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    code = MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_NO_SUCH_FILE && heard == 1 && heard_code == MPI_ERR_NO_SUCH_FILE);
    CHECK(heard_file == MPI_FILE_NULL);
    open_file(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_File_get_errhandler(file, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler)); /* the file has it still */
    CHECK(MPI_File_set_size(file, offset) != MPI_SUCCESS && heard == 2 && heard_file == file);
    CHECK(MPI_File_read_at(file, 0, &code, -1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS && heard == 3);
    OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK(heard == 4 && heard_code == MPI_ERR_IO);
    OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    OK(MPI_File_close(&file));
    code =
        MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_FILE_EXISTS && file == MPI_FILE_NULL && heard == 4);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* ---- by itself --------------------------------------------------------------------------------------------------------------------- */

/* As many as ranks, at once; and some at a time, with collectives in an order of their own. */
static void check_alone(void)
{
    char own[96];
    int data[BLOCK], back[BLOCK] = {0};
    MPI_File mine, other;
    snprintf(own, sizeof own, "%s-%d", file_name, me);
    fill(data, me, BLOCK);
    OK(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &mine));
    open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_RDWR, MPI_INFO_NULL, &other));
    OK(MPI_File_write_all(mine, data, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_write_ordered(mine, data, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(mine));
    OK(MPI_File_read_at(mine, 0, back, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(is_filled(back, me, BLOCK));
    OK(MPI_File_close(&other));
    OK(MPI_File_close(&mine));
    OK(MPI_File_close(&file));
    CHECK(access(own, F_OK) != 0);
}

/* With gaps in the view, as one process that nobody shares the file with: the MPI below may lock what it writes. */
static void check_alone_atomic(void)
{
    char own[96];
    int data[BLOCK], back[BLOCK] = {0};
    MPI_Datatype gaps;
    MPI_File mine;
    snprintf(own, sizeof own, "%s-%d", file_name, me);
    fill(data, me, BLOCK);
    OK(MPI_Type_vector(BLOCK, 1, 3, MPI_INT, &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &mine));
    OK(MPI_File_set_atomicity(mine, 1));
    OK(MPI_File_set_view(mine, 4, MPI_INT, gaps, "native", MPI_INFO_NULL));
    OK(MPI_File_write(mine, data, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(mine, 0, back, BLOCK, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(is_filled(back, me, BLOCK));
    OK(MPI_File_close(&mine));
    OK(MPI_Type_free(&gaps));
    OK(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &mine));
    int plainly = class_of(MPI_File_write(mine, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_set_atomicity(mine, 1));
    CHECK(plainly != MPI_SUCCESS && class_of(MPI_File_write(mine, data, 1, MPI_INT, MPI_STATUS_IGNORE)) == plainly);
    OK(MPI_File_read(mine, back, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&mine));
}

/* In a file of several nobody may write back what it has read, whatever the program asks for later. */
static void check_safe(void)
{
    char value[16] = "disable";
    int flag = 0;
    MPI_Info used;
    OK(MPI_File_get_info(file, &used));
    OK(MPI_Info_get(used, "romio_ds_write", sizeof value - 1, value, &flag));
    CHECK(all == 1 || strcmp(value, "disable") == 0);
    OK(MPI_Info_free(&used));
}

static void check_hints(void)
{
    MPI_Info wanted, none;
    OK(MPI_Info_create(&wanted));
    OK(MPI_Info_set(wanted, "romio_ds_write", "enable"));
    open_file(MPI_COMM_WORLD, MPI_MODE_RDWR);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", wanted));
    check_safe();
    OK(MPI_File_set_info(file, wanted));
    check_safe();
    CHECK(class_of(MPI_File_get_info(MPI_FILE_NULL, &none)) == MPI_ERR_FILE);
    CHECK(class_of(MPI_File_set_info(MPI_FILE_NULL, wanted)) == MPI_ERR_FILE);
    OK(MPI_Info_free(&wanted));
    OK(MPI_File_close(&file));
}

/* By a name from another directory than that in which it is locked and deleted. */
static void check_directory(void)
{
    char here[512];
    int value = me, amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    const char *name = strrchr(file_name, '/') + 1;
    CHECK(getcwd(here, sizeof here) && chdir("/tmp") == 0);
    OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file));
    CHECK(chdir("/") == 0);
    OK(MPI_File_set_atomicity(file, 1));
    OK(MPI_File_write_at(file, (MPI_Offset)sizeof value * me, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    CHECK(bytes_in_file() == -1 && chdir(here) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_sequential(void)
{
    int value = me, code;
    code = MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_AMODE && file == MPI_FILE_NULL);
    open_file(MPI_COMM_WORLD, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    code = MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    FILE *read = fopen(file_name, "rb");
    for (int i = 0; i < 2 * all; i++)
        CHECK(fread(&value, sizeof value, 1, read) == 1 && value == i % all);
    fclose(read);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    name_file("sem-file");
    check_views();
    check_size();
    check_asked();
    check_shared();
    check_atomic();
    check_errors();
    check_alone();
    check_alone_atomic();
    check_hints();
    check_sequential();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_directory();
    return end();
}
