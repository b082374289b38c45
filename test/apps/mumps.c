/* mumps: factors the matrix of a five-point stencil, whose entries every process gives for its rows, and solves. Usage: mumps EDGE TIMES.
 * Prints the error of the solution, whose right values are known. */
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { INIT = -1, END = -2, ANALYSE_FACTOR_SOLVE = 6, WORLD = -987654 };

struct matrix {
    int entries;
    int *row, *column;
    double *value;
};

static void add(struct matrix *matrix, int row, int column, double value)
{
    matrix->row[matrix->entries] = row + 1;
    matrix->column[matrix->entries] = column + 1;
    matrix->value[matrix->entries++] = value;
}

/* The rows first to end of the stencil on a square. Not symmetric: the wind blows along it. */
static void stencil(struct matrix *matrix, int edge, int first, int end)
{
    size_t room = 5 * (size_t)(end - first) + 1;
    *matrix = (struct matrix){0, malloc(room * sizeof(int)), malloc(room * sizeof(int)), malloc(room * sizeof(double))};
    for (int row = first; row < end; row++) {
        int x = row % edge, y = row / edge;
        add(matrix, row, row, 4.1);
        if (x > 0)
            add(matrix, row, row - 1, -1.2);
        if (x + 1 < edge)
            add(matrix, row, row + 1, -0.8);
        if (y > 0)
            add(matrix, row, row - edge, -1);
        if (y + 1 < edge)
            add(matrix, row, row + edge, -1);
    }
}

/* The right side for which the solution is 1, 2, ... 10, 1, ... */
static void right_side(double *side, int edge)
{
    struct matrix whole;
    stencil(&whole, edge, 0, edge * edge);
    for (int i = 0; i < edge * edge; i++)
        side[i] = 0;
    for (int i = 0; i < whole.entries; i++)
        side[whole.row[i] - 1] += whole.value[i] * (1 + (whole.column[i] - 1) % 10);
    free(whole.row);
    free(whole.column);
    free(whole.value);
}

static void solve(int edge, int order, int rank, int size)
{
    DMUMPS_STRUC_C id = {.comm_fortran = WORLD, .par = 1, .sym = 0, .job = INIT};
    struct matrix matrix;
    int rows = edge * edge;
    dmumps_c(&id);
    stencil(&matrix, edge, (int)((long)rows * rank / size), (int)((long)rows * (rank + 1) / size));
    id.icntl[0] = id.icntl[1] = id.icntl[2] = -1; /* prints nothing */
    id.icntl[3] = 0;
    id.icntl[6] = order;
    id.icntl[17] = 3; /* the entries are distributed */
    id.n = rows;
    id.nnz_loc = matrix.entries;
    id.irn_loc = matrix.row;
    id.jcn_loc = matrix.column;
    id.a_loc = matrix.value;
    id.rhs = malloc((size_t)rows * sizeof(double));
    if (rank == 0)
        right_side(id.rhs, edge);
    id.job = ANALYSE_FACTOR_SOLVE;
    dmumps_c(&id);
    double worst = 0;
    for (int i = 0; rank == 0 && i < rows; i++)
        worst = fmax(worst, fabs(id.rhs[i] - (1 + i % 10)));
    if (rank == 0)
        printf("solution order %d info %d error %.1e middle %.9f\n", order, id.infog[0], worst, id.rhs[rows / 2]);
    id.job = END;
    dmumps_c(&id);
    free(id.rhs);
    free(matrix.row);
    free(matrix.column);
    free(matrix.value);
}

int main(int argc, char **argv)
{
    static const int orders[] = {0, 2, 4, 6}; /* AMD, AMF, PORD, QAMD */
    int rank, size, edge = argc > 1 ? atoi(argv[1]) : 50, times = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < times; i++)
        solve(edge, orders[i % 4], rank, size);
    MPI_Finalize();
    return 0;
}
