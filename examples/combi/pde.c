/* pde: the solver on one grid, which a group of ranks shares. It returns the code of the MPI call that failed. */
#include "job.h"

static const double speed[DIM_MOST] = {0.4, 0.25, 0.15}, diffusion = 1.0 / 64, pi = 3.14159265358979323846;

double pde_exact(int dim, const double *x, double t)
{
    double u = 1;
    for (int k = 0; k < dim; k++)
        u *= 0.5 * (1 + exp(-4 * pi * pi * diffusion * t) * cos(2 * pi * (x[k] - 0.25 - speed[k] * t)));
    return u;
}

/* The axes do not mix: each is advanced by itself through the whole span, with steps that depend on its own mesh width
 * alone. That is what the combination needs: an error that is a sum of one term per axis. */
static int steps_of(int level, double span)
{
    return (int)fmax(1, ceil(4 * diffusion * span * pow(4, level)));
}

double pde_cost(const struct grid *g, double span)
{
    double steps = 0;
    for (int k = 0; k < g->dim; k++)
        steps += steps_of(g->level[k], span);
    return (double)g->points * steps;
}

/* A row to either side, and one from there; the ranks of a team are a ring. */
static int exchange(double *u, long rows, int row, MPI_Comm team)
{
    int size = size_of(team), before = (rank_in(team) + size - 1) % size, after = (rank_in(team) + 1) % size;
    double *first = u + row, *last = u + rows * row, *end = u + (rows + 1) * row;
    int code = MPI_Sendrecv(last, row, MPI_DOUBLE, after, 1, u, row, MPI_DOUBLE, before, 1, team, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    return MPI_Sendrecv(first, row, MPI_DOUBLE, before, 2, end, row, MPI_DOUBLE, after, 2, team, MPI_STATUS_IGNORE);
}

/* One axis, by Lax-Wendroff with three points. Along the slab the neighbours' rows are beside ours; a line along another
 * axis is here as a whole, and its ends are neighbours. */
static int advance_axis(const struct grid *g, int axis, double span, double *u, long rows, MPI_Comm team)
{
    int steps = steps_of(g->level[axis], span), code = MPI_SUCCESS;
    double dt = span / steps, h = pow(2, -g->level[axis]), wind = speed[axis] * dt / h;
    double spread = diffusion * dt / (h * h) + 0.5 * wind * wind;
    double from_before = spread + 0.5 * wind, stays = 1 - 2 * spread, from_after = spread - 0.5 * wind;
    bool divided = axis == g->slab;
    long row = g->stride[g->slab], points = rows * row, stride = g->stride[axis], n = divided ? rows : g->n[axis];
    long around = divided ? 0 : n * stride; /* from one end of a line to the other */
    double *here = u + row, *next = malloc((size_t)points * sizeof *next);
    for (int step = 0; step < steps; step++) {
        if (divided && (code = exchange(u, rows, (int)row, team)) != MPI_SUCCESS)
            break;
        for (long line = 0; line < points; line += n * stride)
            for (long i = 0; i < n; i++) {
                long before = (i == 0 ? around : 0) - stride, after = stride - (i == n - 1 ? around : 0);
                for (long p = line + i * stride; p < line + (i + 1) * stride; p++)
                    next[p] = from_before * here[p + before] + stays * here[p] + from_after * here[p + after];
            }
        memcpy(here, next, (size_t)points * sizeof *next);
    }
    free(next);
    return code;
}

int pde_advance(const struct grid *g, double span, double *u, long rows, MPI_Comm team)
{
    for (int axis = 0; axis < g->dim; axis++)
        if (axis != g->slab)
            advance_axis(g, axis, span, u, rows, team);
    return advance_axis(g, g->slab, span, u, rows, team);
}
