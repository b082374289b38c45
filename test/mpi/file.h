/* file.h: for tests of files: a name that all ranks have in common, and what the ranks write. */
#ifndef KNELL_TEST_MPI_FILE_H
#define KNELL_TEST_MPI_FILE_H

#include "check.h"

#include <stdio.h>
#include <unistd.h>

enum { BLOCK = 7, BLOCKS = 5 }; /* ints; blocks of each rank */

static char file_name[64];

/* The first process names it. */
static inline void name_file(const char *what)
{
    int pid = (int)getpid();
    OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(file_name, sizeof file_name, "/tmp/knell-test-%s-%d", what, pid);
}

static inline int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static inline int value_of(int rank, int i)
{
    return rank * 100000 + i;
}

static inline void fill(int *data, int rank, int count)
{
    for (int i = 0; i < count; i++)
        data[i] = value_of(rank, i);
}

static inline int is_filled(const int *data, int rank, int count)
{
    for (int i = 0; i < count; i++)
        if (data[i] != value_of(rank, i))
            return 0;
    return 1;
}

/* Blocks of all ranks in turn: the view of one of them. */
static inline void set_turns(MPI_File file, int rank, int ranks)
{
    MPI_Datatype turns, resized;
    OK(MPI_Type_vector(1, BLOCK, BLOCK, MPI_INT, &turns));
    OK(MPI_Type_create_resized(turns, 0, (MPI_Aint)sizeof(int) * BLOCK * ranks, &resized));
    OK(MPI_Type_commit(&resized));
    OK(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * BLOCK * rank, MPI_INT, resized, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&turns));
    OK(MPI_Type_free(&resized));
}

/* What one of the ranks wrote by that view, looked at without MPI. */
static inline int has_turns(int rank, int ranks)
{
    FILE *file = fopen(file_name, "rb");
    int block[BLOCK], good = file != NULL;
    for (int i = 0; good && i < BLOCKS; i++) {
        fseek(file, (long)sizeof(int) * BLOCK * (i * ranks + rank), SEEK_SET);
        good = fread(block, sizeof(int), BLOCK, file) == BLOCK;
        for (int k = 0; good && k < BLOCK; k++)
            good = block[k] == value_of(rank, i * BLOCK + k);
    }
    if (file)
        fclose(file);
    return good;
}

static inline long bytes_in_file(void)
{
    FILE *file = fopen(file_name, "rb");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

#endif
