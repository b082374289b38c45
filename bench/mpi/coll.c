/* coll: collectives of the layer against those of the MPI below, in one process, in turns: native, layer, native again. Prints
 * for each size the median ratio layer / native with its quartiles, and native / native as control: it must be 1.
 *
 *      test/mpi/run.sh openmpi LIBRARY 2 0 bench-mpi-coll-openmpi [name...] */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 40, LARGEST = 1 << 20 };

static int me, all;
static char *from, *into;

/* The layer's calls are those that are linked; the MPI's own lie behind these. */
static struct {
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*alltoall)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*reduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*scan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*gather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*scatter)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*barrier)(MPI_Comm);
} native, layer = {MPI_Allreduce, MPI_Reduce, MPI_Bcast,  MPI_Alltoall, MPI_Allgather, MPI_Reduce_scatter_block,
                   MPI_Scan,      MPI_Gather, MPI_Scatter, MPI_Barrier};

static void *find(const char *name)
{
#ifdef OPEN_MPI
    void *library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
#else
    void *library = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD);
#endif
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "the MPI's own %s is not found: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

static void find_native(void)
{
    native.allreduce = find("PMPI_Allreduce");
    native.reduce = find("PMPI_Reduce");
    native.bcast = find("PMPI_Bcast");
    native.alltoall = find("PMPI_Alltoall");
    native.allgather = find("PMPI_Allgather");
    native.reduce_scatter_block = find("PMPI_Reduce_scatter_block");
    native.scan = find("PMPI_Scan");
    native.gather = find("PMPI_Gather");
    native.scatter = find("PMPI_Scatter");
    native.barrier = find("PMPI_Barrier");
}

/* ---- one turn ------------------------------------------------------------------------------------------------------------------ */

enum which { ALLREDUCE, BCAST, BARRIER, ALLTOALL, REDUCE, ALLGATHER, REDUCE_SCATTER, SCAN, GATHER, SCATTER, END };
static const char *const names[] = {"allreduce", "bcast", "barrier", "alltoall", "reduce", "allgather", "reduce_scatter", "scan",
                                    "gather",    "scatter"};

/* Roots in turn, so that nobody runs ahead. */
static void once(bool layered, enum which which, int bytes, int i)
{
    int root = i % all, doubles = bytes / (int)sizeof(double);
    __typeof__(native) *calls = layered ? &layer : &native;
    MPI_Comm world = MPI_COMM_WORLD;
    switch (which) {
    case ALLREDUCE: calls->allreduce(from, into, doubles, MPI_DOUBLE, MPI_SUM, world); break;
    case BCAST: calls->bcast(into, bytes, MPI_BYTE, root, world); break;
    case BARRIER: calls->barrier(world); break;
    case ALLTOALL: calls->alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, world); break;
    case REDUCE: calls->reduce(from, into, doubles, MPI_DOUBLE, MPI_SUM, root, world); break;
    case ALLGATHER: calls->allgather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, world); break;
    case REDUCE_SCATTER: calls->reduce_scatter_block(from, into, doubles, MPI_DOUBLE, MPI_SUM, world); break;
    case SCAN: calls->scan(from, into, doubles, MPI_DOUBLE, MPI_SUM, world); break;
    case GATHER: calls->gather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, root, world); break;
    case SCATTER: calls->scatter(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, root, world); break;
    default: break;
    }
}

static double turn(bool layered, enum which which, int bytes, int times)
{
    native.barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        once(layered, which, bytes, i);
    native.barrier(MPI_COMM_WORLD); /* the last one of all counts */
    return (MPI_Wtime() - start) / times;
}

/* ---- statistics ----------------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, double q)
{
    qsort(values, REPEATS, sizeof *values, ascending);
    return values[(int)(q * (REPEATS - 1))];
}

static int times_for(enum which which, int bytes)
{
    double guess = turn(false, which, bytes, 20);
    int times = guess > 0 ? (int)(1e-3 / guess) : 1000;
    times = times < 10 ? 10 : times > 2000 ? 2000 : times;
    native.bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return times / 2 * 2;
}

static void measure(enum which which, int bytes)
{
    double ratio[REPEATS], control[REPEATS], time[REPEATS];
    int times = times_for(which, bytes);
    for (int i = 0; i < REPEATS; i++) {
        double before = turn(false, which, bytes, times), ours = turn(true, which, bytes, times),
               after = turn(false, which, bytes, times);
        time[i] = (before + after) / 2;
        ratio[i] = ours / time[i];
        control[i] = i % 2 ? before / after : after / before;
    }
    if (me == 0)
        printf("%-14s %8d  native %8.2f us  ratio %.3f [%.3f %.3f]  control %.3f\n", names[which], bytes,
               1e6 * quantile(time, 0.5), quantile(ratio, 0.5), quantile(ratio, 0.25), quantile(ratio, 0.75),
               quantile(control, 0.5));
    fflush(stdout);
}

static bool wanted(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    find_native();
    from = calloc((size_t)all, LARGEST);
    into = calloc((size_t)all, LARGEST);
    for (enum which which = 0; which < END; which++)
        for (int bytes = 8; bytes <= LARGEST && wanted(argc, argv, names[which]); bytes *= bytes < 8192 ? 4 : 2) {
            measure(which, bytes);
            if (which == BARRIER)
                break;
        }
    MPI_Finalize();
    printf("fine\n");
    return 0;
}
