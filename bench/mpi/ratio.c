/* ratio: the layer beside the MPI below, in one process, in turns: native, layer, native again. A line of CSV for each operation
 * and size: the median ratio layer / native with its 95 % interval, and native / native as control: it must be 1.
 *
 *      bench-mpi-ratio-openmpi REPEATS [name or group...]          as ranks, with the layer preloaded: see bench/mpi/run
 */
#include "../live/series.h"
#include "ops.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_LEAST = 4, TURN_MOST = 2000, BATCHES = 8 };
static const double turn_s = 1e-3, cell_s = 2, control_off = 0.02, interval_wide = 0.04;

static int repeats;

static double turn(const struct calls *calls, const struct op *op, int bytes, int times)
{
    native.Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        op->run(calls, bytes, i);
    native.Barrier(MPI_COMM_WORLD); /* the last one of all counts */
    return (MPI_Wtime() - start) / times;
}

/* The same at all ranks, and every rank as often root as the others. */
static int times_for(const struct op *op, int bytes)
{
    turn(&layer, op, bytes, 2 * ops_ranks); /* both are warm */
    double guess = turn(&native, op, bytes, 2 * ops_ranks);
    int times = guess > 0 ? (int)(turn_s / guess) : TURN_MOST;
    times = times < TURN_LEAST ? TURN_LEAST : times > TURN_MOST ? TURN_MOST : times;
    native.Bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return op->times ? op->times : (times + ops_ranks - 1) / ops_ranks * ops_ranks;
}

struct cell {
    double start;
    struct series native, ratio, control;
};

/* The same for all: rank 0 decides. */
static bool late(const struct cell *cell)
{
    int is_late = MPI_Wtime() - cell->start > cell_s;
    native.Bcast(&is_late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_late;
}

static void measure(const struct op *op, int bytes, int times, struct cell *cell)
{
    for (int i = 0; i < repeats && !(i > 0 && late(cell)); i++) {
        double before = turn(&native, op, bytes, times), ours = turn(&layer, op, bytes, times),
               after = turn(&native, op, bytes, times);
        series_add(&cell->native, (before + after) / 2);
        series_add(&cell->ratio, 2 * ours / (before + after));
        series_add(&cell->control, i % 2 ? before / after : after / before);
    }
}

static void print(const struct op *op, int bytes, int times, struct cell *cell)
{
    struct interval ratio = series_interval(&cell->ratio), control = series_interval(&cell->control);
    printf("%d,%s,%s,%d,%d,%zu,%.3f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", ops_ranks, op->group, op->name,
           op->largest ? bytes : 0, times, cell->ratio.count, 1e6 * series_median(&cell->native),
           series_median(&cell->ratio), ratio.low, ratio.high, series_median(&cell->control), control.low,
           control.high);
    fflush(stdout);
}

static void forget(struct cell *cell)
{
    series_free(&cell->native);
    series_free(&cell->ratio);
    series_free(&cell->control);
}

/* Is it known well enough? */
static bool settled(struct cell *cell)
{
    struct interval ratio = series_interval(&cell->ratio);
    int enough = ratio.high - ratio.low <= interval_wide && fabs(series_median(&cell->control) - 1) <= control_off;
    native.Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return enough;
}

/* More of it until the interval is narrow and the control right, or it has been enough of it, or long. When to end does not
 * depend on the ratio itself. Of ranks that share processors nothing better can be had. */
static void settle(const struct op *op, int bytes)
{
    struct cell cell = {.start = MPI_Wtime()};
    ops_prepare(bytes);
    int times = times_for(op, bytes), most = ops_ranks > 2 ? 1 : BATCHES;
    do
        measure(op, bytes, times, &cell);
    while (--most > 0 && !settled(&cell) && !late(&cell));
    if (ops_rank == 0)
        print(op, bytes, times, &cell);
    forget(&cell);
}

static bool wanted(int argc, char **argv, const struct op *op)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], op->name) || !strcmp(argv[i], op->group))
            return true;
    return argc == 2;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    repeats = argc > 1 ? atoi(argv[1]) : 0;
    if (repeats < 1) {
        fputs("usage: bench-mpi-ratio REPEATS [name or group...]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    calls_find();
    ops_begin();
    for (const struct op *op = ops; op->name; op++)
        for (int bytes = 8; wanted(argc, argv, op) && (bytes == 8 || bytes <= op->largest);
             bytes *= bytes < 8192 ? 4 : 2)
            settle(op, bytes);
    MPI_Finalize();
    return 0;
}
