/* kernels: the main loops of three usual kinds of programs, by whatever MPI they find, the layer preloaded or not. One row: the
 * seconds of the loop, and a sum over the result, which must not depend on the MPI.
 *
 *      bench-mpi-kernels-openmpi stencil|cg|transpose STEPS          as ranks, a power of two
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, ranks;

static double *doubles(size_t count)
{
    double *list = calloc(count, sizeof *list);
    if (!list)
        MPI_Abort(WORLD, 1);
    return list;
}

static double sum_of_all(double mine)
{
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    return sum;
}

/* ---- stencil: heat in a square, rows and columns dealt out; four halos a step, the change every ten steps -------------------- */

enum { SIDE = 512, LOOK = 10 };

struct field {
    int rows, columns, up, down, left, right;
    MPI_Datatype column;
};
#define AT(row, column) ((size_t)(row) * (size_t)(f->columns + 2) + (size_t)(column))

static int neighbour(const int dims[2], int row, int column)
{
    return row < 0 || row >= dims[0] || column < 0 || column >= dims[1] ? MPI_PROC_NULL : row * dims[1] + column;
}

static struct field field_of_rank(void)
{
    int dims[2] = {0, 0};
    MPI_Dims_create(ranks, 2, dims);
    int row = rank / dims[1], column = rank % dims[1];
    struct field f = {SIDE / dims[0],
                      SIDE / dims[1],
                      neighbour(dims, row - 1, column),
                      neighbour(dims, row + 1, column),
                      neighbour(dims, row, column - 1),
                      neighbour(dims, row, column + 1),
                      MPI_DATATYPE_NULL};
    MPI_Type_vector(f.rows, 1, f.columns + 2, MPI_DOUBLE, &f.column);
    MPI_Type_commit(&f.column);
    return f;
}

static void halos(const struct field *f, double *heat)
{
    MPI_Request request[8];
    MPI_Status status[8];
    MPI_Irecv(heat + AT(0, 1), f->columns, MPI_DOUBLE, f->up, 0, WORLD, &request[0]);
    MPI_Irecv(heat + AT(f->rows + 1, 1), f->columns, MPI_DOUBLE, f->down, 0, WORLD, &request[1]);
    MPI_Irecv(heat + AT(1, 0), 1, f->column, f->left, 0, WORLD, &request[2]);
    MPI_Irecv(heat + AT(1, f->columns + 1), 1, f->column, f->right, 0, WORLD, &request[3]);
    MPI_Isend(heat + AT(1, 1), f->columns, MPI_DOUBLE, f->up, 0, WORLD, &request[4]);
    MPI_Isend(heat + AT(f->rows, 1), f->columns, MPI_DOUBLE, f->down, 0, WORLD, &request[5]);
    MPI_Isend(heat + AT(1, 1), 1, f->column, f->left, 0, WORLD, &request[6]);
    MPI_Isend(heat + AT(1, f->columns), 1, f->column, f->right, 0, WORLD, &request[7]);
    MPI_Waitall(8, request, status);
}

static double step(const struct field *f, const double *old, double *new)
{
    double change = 0;
    for (int row = 1; row <= f->rows; row++)
        for (int column = 1; column <= f->columns; column++) {
            size_t at = AT(row, column);
            new[at] = 0.25 * (old[AT(row - 1, column)] + old[AT(row + 1, column)] + old[at - 1] + old[at + 1]);
            change += fabs(new[at] - old[at]);
        }
    return change;
}

/* The sum of the changes that were looked at. */
static double stencil(int steps, double *start)
{
    struct field field = field_of_rank(), *f = &field;
    double *heat[2] = {doubles(AT(f->rows + 2, 0)), doubles(AT(f->rows + 2, 0))}, sum = 0;
    for (int i = 0; i < 2; i++)
        for (int column = 0; column < f->columns + 2 && f->up == MPI_PROC_NULL; column++)
            heat[i][AT(0, column)] = 1;
    MPI_Barrier(WORLD);
    *start = MPI_Wtime();
    for (int i = 0; i < steps; i++) {
        halos(f, heat[i % 2]);
        double change = step(f, heat[i % 2], heat[1 - i % 2]);
        if (i % LOOK == 0)
            sum += sum_of_all(change);
    }
    MPI_Type_free(&field.column);
    free(heat[0]);
    free(heat[1]);
    return sum;
}

/* ---- cg: conjugate gradients; 33 entries in a row of the matrix, scattered; its rows dealt out -------------------------------- */

enum { ORDER = 7168, PAIRS = 16, ITERATIONS = 25 };

/* The matrix is symmetric: with i + away(k) there is i - away(k). */
static int away(int k)
{
    return (k * k * 211 + 17 * k + 1) % (ORDER / 2);
}

/* All of the others' parts of `whole`, one after the other. */
static void exchange(double *whole)
{
    int each = ORDER / ranks;
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        MPI_Sendrecv(whole + rank * each, each, MPI_DOUBLE, to, 0, whole + from * each, each, MPI_DOUBLE, from, 0,
                     WORLD, IGNORE);
    }
}

static void multiply(const double *whole, double *product)
{
    int each = ORDER / ranks, first = rank * each;
    for (int i = 0; i < each; i++) {
        double sum = 2 * PAIRS * whole[first + i];
        for (int k = 0; k < PAIRS; k++) {
            int up = first + i + away(k), down = first + i - away(k);
            sum -= 0.999 * (whole[up < ORDER ? up : up - ORDER] + whole[down >= 0 ? down : down + ORDER]);
        }
        product[i] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < ORDER / ranks; i++)
        sum += a[i] * b[i];
    return sum_of_all(sum);
}

/* `whole` is the direction; this rank's part of it begins at `mine`. Returns the square of what is left. */
static double solve(double *x, double *left, double *whole, double *product)
{
    double *mine = whole + rank * (ORDER / ranks), square = dot(left, left);
    for (int i = 0; i < ITERATIONS; i++) {
        exchange(whole);
        multiply(whole, product);
        double alpha = square / dot(mine, product), before = square;
        for (int j = 0; j < ORDER / ranks; j++) {
            x[j] += alpha * mine[j];
            left[j] -= alpha * product[j];
        }
        square = dot(left, left);
        for (int j = 0; j < ORDER / ranks; j++)
            mine[j] = left[j] + square / before * mine[j];
    }
    return square;
}

/* The sum of all solutions and of what is left of their equations. */
static double cg(int steps, double *start)
{
    int each = ORDER / ranks;
    double *x = doubles(each), *left = doubles(each), *whole = doubles(ORDER), *product = doubles(each), sum = 0;
    MPI_Barrier(WORLD);
    *start = MPI_Wtime();
    for (int i = 0; i < steps; i++) {
        for (int j = 0; j < each; j++) {
            x[j] = 0;
            left[j] = whole[rank * each + j] = (rank * each + j + i) % 7;
        }
        sum += sqrt(solve(x, left, whole, product)) + dot(x, x);
    }
    free(x), free(left), free(whole), free(product);
    return sum;
}

/* ---- transpose: a Fourier transform of a square in two dimensions, over and over; rows dealt out, turned by all-to-all -------- */

enum { POINTS = 512 };
static double complex root[POINTS / 2];

/* Of one row, in place; divided so that it neither grows nor shrinks. */
static void transform(double complex *row)
{
    for (int i = 1, j = 0; i < POINTS; i++) {
        int bit = POINTS / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex held = row[i];
            row[i] = row[j];
            row[j] = held;
        }
    }
    for (int half = 1; half < POINTS; half *= 2)
        for (int first = 0; first < POINTS; first += 2 * half)
            for (int i = first; i < first + half; i++) {
                double complex a = row[i], b = row[i + half] * root[(i - first) * (POINTS / 2 / half)];
                row[i] = a + b;
                row[i + half] = a - b;
            }
    for (int i = 0; i < POINTS; i++)
        row[i] *= 1 / sqrt(POINTS);
}

static void turn(double complex *square, double complex *parcel)
{
    int each = POINTS / ranks;
    for (int to = 0; to < ranks; to++)
        for (int column = 0; column < each; column++)
            for (int row = 0; row < each; row++)
                parcel[(to * each + column) * each + row] = square[row * POINTS + to * each + column];
    MPI_Alltoall(parcel, each * each, MPI_C_DOUBLE_COMPLEX, square, each * each, MPI_C_DOUBLE_COMPLEX, WORLD);
    for (int from = 0; from < ranks; from++)
        for (int row = 0; row < each; row++)
            memcpy(&parcel[row * POINTS + from * each], &square[(from * each + row) * each], each * sizeof *square);
    memcpy(square, parcel, (size_t)each * POINTS * sizeof *square);
}

/* The sum of sizes in the result. */
static double transpose(int steps, double *start)
{
    int each = POINTS / ranks, count = each * POINTS;
    double complex *square = (double complex *)doubles(2 * (size_t)count),
                   *parcel = (double complex *)doubles(2 * (size_t)count);
    for (int i = 0; i < POINTS / 2; i++)
        root[i] = cexp(-2 * acos(-1) * I * i / POINTS);
    for (int i = 0; i < count; i++)
        square[i] = (rank * count + i) % 11 + I * ((rank * count + i) % 13);
    MPI_Barrier(WORLD);
    *start = MPI_Wtime();
    for (int i = 0; i < 2 * steps; i++) { /* rows, columns */
        for (int row = 0; row < each; row++)
            transform(square + row * POINTS);
        turn(square, parcel);
    }
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += cabs(square[i]) * (1 + (rank * count + i) % 17);
    free(square), free(parcel);
    return sum_of_all(sum);
}

/* ------------------------------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    const char *what = argc == 3 ? argv[1] : "";
    double (*run)(int, double *) = !strcmp(what, "stencil") ? stencil : !strcmp(what, "cg") ? cg : transpose;
    if (argc != 3 || (run == transpose && strcmp(what, "transpose") != 0) || ranks & (ranks - 1) || ranks > 64) {
        fputs("usage: bench-mpi-kernels stencil|cg|transpose STEPS, as a power of two ranks\n", stderr);
        MPI_Abort(WORLD, 2);
    }
    double start, sum = run(atoi(argv[2]), &start);
    MPI_Barrier(WORLD);
    if (rank == 0)
        printf("%.4f,%.12e\n", MPI_Wtime() - start, sum);
    MPI_Finalize();
    return 0;
}
