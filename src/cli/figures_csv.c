/* figures_csv: the points of the figures as CSV, a file per figure, with the closed forms beside them. See figures.h. */
#include "cli/figures.h"
#include "cli/json.h"
#include "sim/bounds.h"
#include "sim/closed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

const double knell__figures_mtbf_y[KNELL_FIGURES_MTBFS] = {5, 10, 20, 45, 100};

FILE *knell__figures_open(const struct knell_usage *usage, const char *dir, const char *name)
{
    char path[PATH_MAX];
    FILE *file = NULL;

    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else
        file = fopen(path, "we");
    if (!file)
        knell__cli_broken(usage, "cannot write %s/%s: %s", dir, name, strerror(errno));
    return file;
}

int knell__figures_close(const struct knell_usage *usage, const char *dir, const char *name, FILE *file)
{
    int bad = ferror(file);

    if (fclose(file) != 0 || bad)
        return knell__cli_broken(usage, "cannot write %s/%s: %s", dir, name, strerror(errno));
    return KNELL_EXIT_OK;
}

uint64_t knell__figures_dense(size_t index)
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
    char text[KNELL_REAL_TEXT];

    for (size_t i = 0; i < n; i++)
        fprintf(out, ",%s", knell__format_real(value[i], text));
    fputc('\n', out);
}

static void write_fig3(FILE *out, const struct knell_figures *figures, size_t unused)
{
    (void)figures, (void)unused;
    fputs("nodes", out);
    for (size_t i = 0; i < KNELL_FIGURES_MTBFS; i++)
        fprintf(out, ",delta_s_mtbf_%.0fy", knell__figures_mtbf_y[i]);
    fputc('\n', out);
    for (size_t i = 0; knell__figures_dense(i) != 0; i++) {
        uint64_t nodes = knell__figures_dense(i);
        double delta[KNELL_FIGURES_MTBFS];

        for (size_t k = 0; k < KNELL_FIGURES_MTBFS; k++)
            delta[k] = knell_bounds_delta_max(nodes, knell__figures_mtbf_y[k] * KNELL_YEAR_S, KNELL_FIGURES_TAU_S,
                                              KNELL_FIGURES_RISK);
        fprintf(out, "%" PRIu64, nodes);
        reals(out, KNELL_FIGURES_MTBFS, delta);
    }
}

static void write_fig4(FILE *out, const struct knell_figures *figures, size_t which)
{
    const struct knell_figures_setting *setting = &knell__figures_settings[which];

    fputs("nodes,failures,first_s,first_ci95_s,stable_s,stable_ci95_s,first_closed_s,stable_closed_s\n", out);
    for (size_t i = 0; i < KNELL_FIGURES_SIZES; i++) {
        const struct knell_figures_ring *r = &figures->ring[which][i];
        uint32_t nodes = knell__figures_nodes[i];
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
        reals(out, KNELL_COUNT(row), row);
    }
}

static void write_fig5(FILE *out, const struct knell_figures *figures, size_t which)
{
    const struct knell_figures_setting *setting = &knell__figures_settings[which];

    fputs("nodes,failures,failures_ci95,first_s,first_ci95_s,stable_s,stable_ci95_s,"
          "failures_closed,first_closed_s,stable_closed_s\n",
          out);
    for (size_t i = 0; i < KNELL_FIGURES_SIZES; i++) {
        const struct knell_figures_ring *r = &figures->ring[which][i];
        uint32_t nodes = knell__figures_nodes[i];
        struct knell_closed_busy busy = knell_closed_busy(nodes, setting->mtbf_s, setting->eta_s, setting->delta_s);
        double row[] = {r->failures.mean, r->failures.ci95, r->first.mean, r->first.ci95, r->stable.mean,
                        r->stable.ci95,   busy.failures,    busy.first_s,  busy.stable_s};

        fprintf(out, "%" PRIu32, nodes);
        reals(out, KNELL_COUNT(row), row);
    }
}

static void write_fig6(FILE *out, const struct knell_figures *figures, size_t unused)
{
    (void)unused;
    fputs("nodes,rounds,rounds_ci95,rounds_min,rounds_max\n", out);
    for (size_t i = 0; i < KNELL_FIGURES_SIZES; i++) {
        const struct knell_stat *r = &figures->ping[i].rounds;
        double row[] = {r->mean, r->ci95, r->min, r->max};

        fprintf(out, "%" PRIu32, knell__figures_nodes[i]);
        reals(out, KNELL_COUNT(row), row);
    }
}

static void write_fig7(FILE *out, const struct knell_figures *figures, size_t unused)
{
    (void)unused;
    fputs("nodes,queue,queue_ci95,queue_min,queue_max,low,high\n", out);
    for (size_t i = 0; i < KNELL_FIGURES_SIZES; i++) {
        const struct knell_stat *q = &figures->ping[i].queue;
        double low = knell_closed_ping_queue(knell__figures_nodes[i]);
        double row[] = {q->mean, q->ci95, q->min, q->max, low, 3 * low};

        fprintf(out, "%" PRIu32, knell__figures_nodes[i]);
        reals(out, KNELL_COUNT(row), row);
    }
}

int knell__figures_write_csv(const struct knell_usage *usage, const char *dir, const struct knell_figures *figures)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out, const struct knell_figures *figures, size_t which);
        size_t which;
    } files[] = {
        {"fig3.csv", write_fig3, 0},
        {"fig4a.csv", write_fig4, KNELL_FIGURES_BURST_LOW_NOISE},
        {"fig4b.csv", write_fig4, KNELL_FIGURES_BURST_LOW_LAT},
        {"fig5.csv", write_fig5, KNELL_FIGURES_RANDOM},
        {"fig6.csv", write_fig6, 0},
        {"fig7.csv", write_fig7, 0},
    };

    for (size_t i = 0; i < KNELL_COUNT(files); i++) {
        FILE *out = knell__figures_open(usage, dir, files[i].name);

        if (!out)
            return KNELL_EXIT_FAILED;
        files[i].write(out, figures, files[i].which);
        if (knell__figures_close(usage, dir, files[i].name, out) != KNELL_EXIT_OK)
            return KNELL_EXIT_FAILED;
    }
    return KNELL_EXIT_OK;
}
