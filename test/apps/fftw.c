/* fftw: transforms of two and three dimensions, there and back. Usage: fftw EDGE TIMES. Prints some values and the error after TIMES
 * pairs of transforms. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double value(ptrdiff_t i)
{
    return sin(0.001 * (double)(i % 100003)) + 0.25 * (double)(i % 7);
}

static void fill(fftw_complex *data, ptrdiff_t first, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        data[i][0] = value(first + i);
        data[i][1] = -0.5 * value(first + i + 1);
    }
}

/* The largest difference from what fill wrote, in all processes. */
static double difference(fftw_complex *data, ptrdiff_t first, ptrdiff_t count)
{
    double here = 0, all;
    for (ptrdiff_t i = 0; i < count; i++)
        here = fmax(here, fabs(data[i][0] - value(first + i)) + fabs(data[i][1] + 0.5 * value(first + i + 1)));
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static double energy(fftw_complex *data, ptrdiff_t count)
{
    double here = 0, all;
    for (ptrdiff_t i = 0; i < count; i++)
        here += data[i][0] * data[i][0] + data[i][1] * data[i][1];
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void transform(int dimensions, const ptrdiff_t *edge, int times, unsigned flags, int rank)
{
    ptrdiff_t here, first, slice = 1, whole = 1;
    ptrdiff_t room = fftw_mpi_local_size(dimensions, edge, MPI_COMM_WORLD, &here, &first);
    fftw_complex *data = fftw_alloc_complex((size_t)room);
    fftw_plan there =
        fftw_mpi_plan_dft(dimensions, edge, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE | flags);
    unsigned back_flags = flags ? FFTW_MPI_TRANSPOSED_IN : 0;
    fftw_plan back =
        fftw_mpi_plan_dft(dimensions, edge, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE | back_flags);
    for (int i = 1; i < dimensions; i++)
        slice *= edge[i];
    whole = slice * edge[0];
    fill(data, first * slice, here * slice);
    for (int turn = 0; turn < times; turn++) {
        fftw_execute(there);
        fftw_execute(back);
        for (ptrdiff_t i = 0; i < here * slice; i++) {
            data[i][0] /= (double)whole;
            data[i][1] /= (double)whole;
        }
    }
    double sum = energy(data, here * slice), error = difference(data, first * slice, here * slice);
    if (rank == 0)
        printf("%dd %s energy %.12e error %.3e\n", dimensions, flags ? "transposed" : "plain", sum, error);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(data);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t edge = argc > 1 ? atoi(argv[1]) : 32, plane[] = {8 * edge, 3 * edge}, box[] = {edge, edge + 2, edge - 1};
    int times = argc > 2 ? atoi(argv[2]) : 2;
    transform(2, plane, times, 0, rank);
    transform(2, plane, times, FFTW_MPI_TRANSPOSED_OUT, rank);
    transform(3, box, times, 0, rank);
    transform(3, box, times, FFTW_MPI_TRANSPOSED_OUT, rank);
    MPI_Finalize();
    return 0;
}
