/* points_file.h: for points.c: a file of the ranks that live, through every collective call on it; each checks its result. */
#ifndef KNELL_TEST_MPI_POINTS_FILE_H
#define KNELL_TEST_MPI_POINTS_FILE_H

#include "points_coll.h"

#include <stdio.h>
#include <unistd.h>

/* A name for this job; the first rank may die on the way. */
static int name_points(char *name, size_t room)
{
    int id = rank == 0 ? (int)getpid() : ~0, code = CODE(MPIX_Comm_agree(comm, &id));
    snprintf(name, room, "/tmp/knell-points-%d", id);
    return code;
}

static int write_in_turn(MPI_File file)
{
    MPI_Request request;
    MPI_Datatype turns;
    MPI_Aint extent = (MPI_Aint)sizeof(int) * LITTLE * size;
    MPI_Datatype mine;
    OK(MPI_Type_contiguous(LITTLE, MPI_INT, &mine));
    OK(MPI_Type_create_resized(mine, 0, extent, &turns));
    OK(MPI_Type_commit(&turns));
    int code =
        CODE(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * LITTLE * rank, MPI_INT, turns, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&mine));
    OK(MPI_Type_free(&turns));
    for (int i = 0; i < 2 * LITTLE; i++)
        from[i] = value(rank, i);
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_write_all(file, from, LITTLE, MPI_INT, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_iwrite_all(file, from + LITTLE, LITTLE, MPI_INT, &request));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return code == MPI_SUCCESS ? CODE(MPI_File_sync(file)) : code;
}

/* What all have written, when all have written it. */
static int read_all_turns(MPI_File file)
{
    int code = CODE(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_read_at_all(file, 0, into, 2 * LITTLE * size, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; code == MPI_SUCCESS && i < 2 * LITTLE * size; i++)
        CHECK(into[i] == value(i / LITTLE % size, i / (LITTLE * size) * LITTLE + i % LITTLE));
    return code;
}

static int order(MPI_File file)
{
    int got = -1, code = CODE(MPI_File_sync(file)); /* all have read */
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_set_size(file, 0));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_read_ordered(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(code != MPI_SUCCESS || got == rank);
    return code;
}

static int by_file(void)
{
    char name[64];
    MPI_File file;
    int code = name_points(name, sizeof name);
    if (code == MPI_SUCCESS)
        code = CODE(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                                  &file));
    if (code != MPI_SUCCESS)
        return code;
    code = write_in_turn(file);
    code = code == MPI_SUCCESS ? read_all_turns(file) : code;
    code = code == MPI_SUCCESS ? order(file) : code;
    if (code != MPI_SUCCESS)
        OK(MPIX_File_revoke(file));
    OK(MPI_File_close(&file));
    return code;
}

#endif
