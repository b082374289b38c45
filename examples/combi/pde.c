/* pde: the solver on one grid, which a group of ranks shares. Knows nothing of combinations or of recovery: it returns the code
 * of the MPI call that failed. */
#include "job.h"

static const double speed[DIM_MOST] = {0.4, 0.25, 0.15}, diffusion = 1.0 / 64, pi = 3.14159265358979323846;

double pde_exact(int dim, const double *x, double t)
{
    double u = 1;
    for (int k = 0; k < dim; k++)
        u *= 0.5 * (1 + exp(-4 * pi * pi * diffusion * t) * cos(2 * pi * (x[k] - 0.25 - speed[k] * t)));
    return u;
}

/* ---- one axis ---------------------------------------------------------------------------------------------------- */

/* The equation has constant coefficients, so its axes do not mix: each is advanced by itself through the whole span, with steps
 * that depend on its own mesh width alone. That is what the combination needs: an error that is a sum of one term per axis. */
static int steps_of(int level, double span)
{
    return (int)fmax(1, ceil(4 * diffusion * span * pow(4, level)));
}

struct stencil {
    int steps;
    double before, here, after; /* Lax-Wendroff, with three points */
};

static struct stencil stencil_of(int axis, int level, double span)
{
    int steps = steps_of(level, span);
    double dt = span / steps, h = pow(2, -level);
    double wind = speed[axis] * dt / h, spread = diffusion * dt / (h * h) + 0.5 * wind * wind;
    return (struct stencil){steps, spread + 0.5 * wind, 1 - 2 * spread, spread - 0.5 * wind};
}

double pde_cost(const struct grid *g, double span)
{
    double steps = 0;
    for (int k = 0; k < g->dim; k++)
        steps += steps_of(g->level[k], span);
    return (double)g->points * steps;
}

/* The lines along an axis that is not divided need nobody: each goes through all of its steps at once. */
static void advance_lines(const struct grid *g, int axis, double span, double *u, long points)
{
    struct stencil s = stencil_of(axis, g->level[axis], span);
    long n = g->n[axis], stride = g->stride[axis];
    double *room = malloc(2 * (size_t)(n + 2) * sizeof *room), *old = room, *next = room + n + 2;
    for (long p = 0; p < points; p++) {
        if (grid_along(g, p, axis) != 0)
            continue;
        for (long i = 0; i < n; i++)
            old[i + 1] = u[p + i * stride];
        for (int step = 0; step < s.steps; step++) {
            old[0] = old[n], old[n + 1] = old[1];
            for (long i = 1; i <= n; i++)
                next[i] = s.before * old[i - 1] + s.here * old[i] + s.after * old[i + 1];
            memcpy(old, next, (size_t)(n + 1) * sizeof *old);
        }
        for (long i = 0; i < n; i++)
            u[p + i * stride] = old[i + 1];
    }
    free(room);
}

/* ---- the axis that is divided ------------------------------------------------------------------------------------ */

/* A row to either side, and one from there; the ranks of a team are a ring. */
static int exchange(double *u, long rows, int row, MPI_Comm team)
{
    int size = size_of(team), before = (rank_in(team) + size - 1) % size, after = (rank_in(team) + 1) % size;
    int code =
        MPI_Sendrecv(u + rows * row, row, MPI_DOUBLE, after, 1, u, row, MPI_DOUBLE, before, 1, team, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    return MPI_Sendrecv(u + row, row, MPI_DOUBLE, before, 2, u + (rows + 1) * row, row, MPI_DOUBLE, after, 2, team,
                        MPI_STATUS_IGNORE);
}

static int advance_slab(const struct grid *g, double span, double *u, long rows, MPI_Comm team)
{
    struct stencil s = stencil_of(g->slab, g->level[g->slab], span);
    long row = g->stride[g->slab];
    double *next = malloc((size_t)(rows * row) * sizeof *next);
    int code = MPI_SUCCESS;
    for (int step = 0; step < s.steps && code == MPI_SUCCESS; step++) {
        if ((code = exchange(u, rows, (int)row, team)) != MPI_SUCCESS)
            break;
        for (long p = 0; p < rows * row; p++)
            next[p] = s.before * u[p] + s.here * u[p + row] + s.after * u[p + 2 * row];
        memcpy(u + row, next, (size_t)(rows * row) * sizeof *next);
    }
    free(next);
    return code;
}

int pde_advance(const struct grid *g, double span, double *u, long rows, MPI_Comm team)
{
    long row = g->stride[g->slab];
    for (int axis = 0; axis < g->dim; axis++)
        if (axis != g->slab)
            advance_lines(g, axis, span, u + row, rows * row);
    return advance_slab(g, span, u, rows, team);
}
