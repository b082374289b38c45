/* netcdf: all ranks write their rows of a variable, close the file, and read those of the next rank. Usage: netcdf EDGE TIMES netcdf4|classic.
 * Prints the sum of what was read, and how many values were wrong. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, kind;

static void must(int code, const char *what)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", what, nc_strerror(code));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int value(size_t row, size_t column, int turn)
{
    return (int)(row * 7919 + column * 31 + (size_t)turn);
}

static void write_all(size_t edge, int turn, int *data)
{
    int file, dimension[2], variable;
    size_t rows = edge / (size_t)size, start[] = {(size_t)rank * rows, 0}, count[] = {rows, edge};
    must(nc_create_par("data.nc", kind | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file), "nc_create_par");
    must(nc_def_dim(file, "row", rows * (size_t)size, &dimension[0]), "nc_def_dim");
    must(nc_def_dim(file, "column", edge, &dimension[1]), "nc_def_dim");
    must(nc_def_var(file, "data", NC_INT, 2, dimension, &variable), "nc_def_var");
    must(nc_put_att_int(file, variable, "turn", NC_INT, 1, &turn), "nc_put_att_int");
    must(nc_enddef(file), "nc_enddef");
    must(nc_var_par_access(file, variable, turn % 2 ? NC_INDEPENDENT : NC_COLLECTIVE), "nc_var_par_access");
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < edge; column++)
            data[row * edge + column] = value(start[0] + row, column, turn);
    must(nc_put_vara_int(file, variable, start, count, data), "nc_put_vara_int");
    must(nc_close(file), "nc_close");
}

static long long read_all(size_t edge, int turn, int *data, long long *wrong)
{
    int file, variable, noted = -1;
    long long sum = 0;
    size_t rows = edge / (size_t)size, start[] = {(size_t)((rank + 1) % size) * rows, 0}, count[] = {rows, edge};
    must(nc_open_par("data.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file), "nc_open_par");
    must(nc_inq_varid(file, "data", &variable), "nc_inq_varid");
    must(nc_get_att_int(file, variable, "turn", &noted), "nc_get_att_int");
    must(nc_var_par_access(file, variable, NC_COLLECTIVE), "nc_var_par_access");
    must(nc_get_vara_int(file, variable, start, count, data), "nc_get_vara_int");
    must(nc_close(file), "nc_close");
    *wrong += noted != turn;
    for (size_t at = 0; at < rows * edge; at++) {
        sum += data[at];
        *wrong += data[at] != value(start[0] + at / edge, at % edge, turn);
    }
    return sum;
}

int main(int argc, char **argv)
{
    size_t edge = (size_t)(argc > 1 ? atoi(argv[1]) : 64);
    int times = argc > 2 ? atoi(argv[2]) : 2;
    kind = argc > 3 && strcmp(argv[3], "classic") == 0 ? NC_64BIT_OFFSET : NC_NETCDF4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *data = malloc(edge * edge * sizeof *data);
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
