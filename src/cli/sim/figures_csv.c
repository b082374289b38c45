/* figures_csv.c: the points of the figures as CSV, one file per figure, with the closed forms beside them. See
 * figures.h. */
#include "cli/sim/figures.h"
#include "cli/common/json.h"
#include "sim/bounds.h"
#include "sim/closed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

const double figures_mtbf_y[FIGURES_MTBFS] = {5, 10, 20, 45, 100};

FILE *figures_open(const struct usage *usage, const char *dir, const char *name)
{
    char path[PATH_MAX];
    FILE *file = NULL;

    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else
        file = fopen(path, "we");
    if (!file)
        cli_failure(usage, "cannot write %s/%s: %s", dir, name, strerror(errno));
    return file;
}

int figures_close(const struct usage *usage, const char *dir, const char *name, FILE *file)
{
    int bad = ferror(file);

    if (fclose(file) != 0 || bad)
        return cli_failure(usage, "cannot write %s/%s: %s", dir, name, strerror(errno));
    return EXIT_OK;
}

uint64_t figures_dense(size_t index)
{
    enum { FIRST = 4, LAST = 17, STEPS = 9 }; /* per power of two: 8 even steps, and the size before the next power */
    unsigned power = FIRST + (unsigned)(index / STEPS);
    uint64_t step = index % STEPS, base = UINT64_C(1) << power, nodes = base + base * step / 8;

    if (power > LAST)
        return 0;
    if (step == STEPS - 1)
        nodes = 2 * base - 1;
    if (power == LAST && step == STEPS - 2)
        return 256000; /* where the paper's axis ends */
    return power == LAST && step == STEPS - 1 ? 0 : nodes;
}

static void reals(FILE *out, size_t n, const double *value)
{
    char text[REAL_TEXT];

    for (size_t i = 0; i < n; i++)
        fprintf(out, ",%s", format_real(value[i], text));
    fputc('\n', out);
}

static void write_fig3(FILE *out, const struct figures *figures, size_t unused)
{
    (void)figures, (void)unused;
    fputs("nodes", out);
    for (size_t i = 0; i < FIGURES_MTBFS; i++)
        fprintf(out, ",delta_s_mtbf_%.0fy", figures_mtbf_y[i]);
    fputc('\n', out);
    for (size_t i = 0; figures_dense(i) != 0; i++) {
        uint64_t nodes = figures_dense(i);
        double delta[FIGURES_MTBFS];

        for (size_t k = 0; k < FIGURES_MTBFS; k++)
            delta[k] = knell_bounds_delta_max(nodes, figures_mtbf_y[k] * FIGURES_YEAR_S, FIGURES_TAU_S, FIGURES_RISK);
        fprintf(out, "%" PRIu64, nodes);
        reals(out, FIGURES_MTBFS, delta);
    }
}

static void write_fig4(FILE *out, const struct figures *figures, size_t which)
{
    const struct figures_setting *setting = &figures_settings[which];

    fputs("nodes,failures,first_s,first_ci95_s,stable_s,stable_ci95_s,first_closed_s,stable_closed_s\n", out);
    for (size_t i = 0; i < FIGURES_SIZES; i++) {
        const struct figures_ring *r = &figures->ring[which][i];
        uint32_t nodes = figures_nodes[i];
        unsigned f = knell_bounds_f_max(nodes);
        double row[] = {
            r->first.mean,
            r->first.ci95,
            r->stable.mean,
            r->stable.ci95,
            knell_closed_burst_first(nodes, f, setting->eta_s, setting->delta_s),
            knell_closed_burst_stable(f, setting->eta_s, setting->delta_s),
        };

        fprintf(out, "%" PRIu32 ",%u", nodes, f);
        reals(out, COUNT_OF(row), row);
    }
}

static void write_fig5(FILE *out, const struct figures *figures, size_t which)
{
    const struct figures_setting *setting = &figures_settings[which];

    fputs("nodes,failures,failures_ci95,first_s,first_ci95_s,stable_s,stable_ci95_s,"
          "failures_closed,first_closed_s,stable_closed_s\n",
          out);
    for (size_t i = 0; i < FIGURES_SIZES; i++) {
        const struct figures_ring *r = &figures->ring[which][i];
        uint32_t nodes = figures_nodes[i];
        struct knell_closed_busy busy = knell_closed_busy(nodes, setting->mtbf_s, setting->eta_s, setting->delta_s);
        double row[] = {r->failures.mean, r->failures.ci95, r->first.mean, r->first.ci95, r->stable.mean,
                        r->stable.ci95,   busy.failures,    busy.first_s,  busy.stable_s};

        fprintf(out, "%" PRIu32, nodes);
        reals(out, COUNT_OF(row), row);
    }
}

static void write_fig6(FILE *out, const struct figures *figures, size_t unused)
{
    (void)unused;
    fputs("nodes,rounds,rounds_ci95,rounds_min,rounds_max\n", out);
    for (size_t i = 0; i < FIGURES_SIZES; i++) {
        const struct knell_stat *r = &figures->ping[i].rounds;
        double row[] = {r->mean, r->ci95, r->min, r->max};

        fprintf(out, "%" PRIu32, figures_nodes[i]);
        reals(out, COUNT_OF(row), row);
    }
}

static void write_fig7(FILE *out, const struct figures *figures, size_t unused)
{
    (void)unused;
    fputs("nodes,queue,queue_ci95,queue_min,queue_max,low,high\n", out);
    for (size_t i = 0; i < FIGURES_SIZES; i++) {
        const struct knell_stat *q = &figures->ping[i].queue;
        double low = knell_closed_ping_queue(figures_nodes[i]);
        double row[] = {q->mean, q->ci95, q->min, q->max, low, 3 * low};

        fprintf(out, "%" PRIu32, figures_nodes[i]);
        reals(out, COUNT_OF(row), row);
    }
}

int figures_write_csv(const struct usage *usage, const char *dir, const struct figures *figures)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out, const struct figures *figures, size_t which);
        size_t which;
    } files[] = {
        {"fig3.csv", write_fig3, 0},
        {"fig4a.csv", write_fig4, FIGURES_BURST_LOW_NOISE},
        {"fig4b.csv", write_fig4, FIGURES_BURST_LOW_LAT},
        {"fig5.csv", write_fig5, FIGURES_RANDOM},
        {"fig6.csv", write_fig6, 0},
        {"fig7.csv", write_fig7, 0},
    };

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        FILE *out = figures_open(usage, dir, files[i].name);

        if (!out)
            return EXIT_FAILED;
        files[i].write(out, figures, files[i].which);
        if (figures_close(usage, dir, files[i].name, out) != EXIT_OK)
            return EXIT_FAILED;
    }
    return EXIT_OK;
}
