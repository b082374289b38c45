/* hdf5: all ranks write their slabs into one file, close it, and read those of the next rank. Usage: hdf5 EDGE TIMES. Prints the sum of what
 * was read, and how many values were wrong. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static int value(hsize_t row, hsize_t column, int turn)
{
    return (int)(row * 7919 + column * 31 + (hsize_t)turn);
}

static hid_t open_file(int create)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file =
        create ? H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen("data.h5", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/* Writes (out) or reads the rows of a rank, every size-th row beginning with its number. */
static void transfer(hid_t set, int owner, hsize_t edge, H5FD_mpio_xfer_t how, int *data, int out)
{
    hsize_t start[] = {(hsize_t)owner, 0}, stride[] = {(hsize_t)size, 1}, count[] = {edge / (hsize_t)size, edge};
    hid_t there = H5Dget_space(set), here = H5Screate_simple(2, count, NULL), plan = H5Pcreate(H5P_DATASET_XFER);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, start, stride, count, NULL);
    H5Pset_dxpl_mpio(plan, how);
    if (out)
        H5Dwrite(set, H5T_NATIVE_INT, here, there, plan, data);
    else
        H5Dread(set, H5T_NATIVE_INT, here, there, plan, data);
    H5Pclose(plan);
    H5Sclose(here);
    H5Sclose(there);
}

static hid_t make_set(hid_t file, const char *name, hsize_t edge, int chunked)
{
    hsize_t whole[] = {edge, edge}, chunk[] = {edge / 8, edge / 4};
    hid_t space = H5Screate_simple(2, whole, NULL), plan = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked)
        H5Pset_chunk(plan, 2, chunk);
    hid_t set = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Pclose(plan);
    H5Sclose(space);
    return set;
}

static void write_all(hsize_t edge, int turn, int *data)
{
    hid_t file = open_file(1), plain = make_set(file, "plain", edge, 0), chunked = make_set(file, "chunked", edge, 1);
    for (hsize_t row = 0; row < edge / (hsize_t)size; row++)
        for (hsize_t column = 0; column < edge; column++)
            data[row * edge + column] = value(row * (hsize_t)size + (hsize_t)rank, column, turn);
    transfer(plain, rank, edge, turn % 2 ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE, data, 1);
    transfer(chunked, rank, edge, H5FD_MPIO_COLLECTIVE, data, 1);
    H5Dclose(plain);
    H5Dclose(chunked);
    H5Fclose(file);
}

static long long read_all(hsize_t edge, int turn, int *data, long long *wrong)
{
    static const char *const names[] = {"plain", "chunked"};
    int owner = (rank + 1) % size;
    long long sum = 0;
    hid_t file = open_file(0);
    for (int i = 0; i < 2; i++) {
        hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT);
        transfer(set, owner, edge, i ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT, data, 0);
        for (hsize_t at = 0; at < edge / (hsize_t)size * edge; at++) {
            sum += data[at];
            *wrong += data[at] != value(at / edge * (hsize_t)size + (hsize_t)owner, at % edge, turn);
        }
        H5Dclose(set);
    }
    H5Fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    hsize_t edge = (hsize_t)(argc > 1 ? atoi(argv[1]) : 64);
    int times = argc > 2 ? atoi(argv[2]) : 2, *data = malloc((size_t)(edge * edge) * sizeof *data);
    for (int turn = 0; turn < times; turn++) {
        long long here[2] = {0, 0}, all[2];
        write_all(edge, turn, data);
        here[0] = read_all(edge, turn, data, &here[1]);
        MPI_Reduce(here, all, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("turn %d sum %lld wrong %lld\n", turn, all[0], all[1]);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
