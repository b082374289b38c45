/* part_fig8: figure 8 without MPI: what two programs, one per processor, lose beside their detectors: round trips and bytes between
 * them over loopback, and matrix multiplications. The same two processes work without a detector, twice with it, and without again, for
 * every eta in each round; a ratio is that of the two with to the two without. Eta 0 is no detector in all four: what such a ratio is worth
 * here. */
#include "observe.h"
#include "parts.h"

#include <math.h>

#define MS 1000000LL

static const int64_t etas[] = {0, 1, 3, 10, 30, 100, 300, 1000};
enum { ETAS = sizeof etas / sizeof etas[0] };

struct load {
    const char *name, *unit;
    enum work_kind work;
    double scale; /* from work_for's number to the unit */
    bool inverse; /* the unit is time, not a rate */
    unsigned rounds;
};
static const struct load loads[] = {
    {"latency", "us a round trip", WORK_LATENCY, 1e6, true, 10},
    {"bandwidth", "MiB/s", WORK_BANDWIDTH, 1.0 / 1048576, false, 10},
    {"compute", "multiplications/s", WORK_COMPUTE, 1, false, 30},
};
enum { LOADS = sizeof loads / sizeof loads[0] };

static const enum crew_kind modes[] = {CREW_KNELL, CREW_UDP};
enum { MODES = sizeof modes / sizeof modes[0] };

struct sweep {
    const struct options *options;
    const struct load *load;
    enum crew_kind mode;
    struct series value[ETAS], ratio[ETAS];
    struct crew crew;
};

static bool begin(struct sweep *sweep)
{
    struct crew_plan plan = {.kind = sweep->mode,
                             .ranks = 2,
                             .eta = MS,
                             .delta = 10 * MS,
                             .work = sweep->load->work,
                             .work_ns = sweep->options->quick ? 50 * MS : 150 * MS,
                             .pinned = true};
    return crew_start(&sweep->crew, &plan);
}

/* The rate of both programs together, with a detector at this eta or (0) none; 0: one of them is no more. */
static double rate(struct crew *crew, int64_t eta)
{
    atomic_store(&crew->log->eta, eta * MS);
    return crew_step_all(crew) ? crew->log->part[0].result + crew->log->part[1].result : 0;
}

static double shown(const struct load *load, double rate)
{
    return load->inverse ? load->scale / rate : load->scale * rate;
}

/* False: a program was held for dead, and another pair must be started. */
static bool one(struct sweep *sweep, FILE *csv, unsigned round, int at)
{
    struct machine_mark mark = machine_mark();
    int64_t began = live_now(), eta = etas[at];
    double before = rate(&sweep->crew, 0), first = rate(&sweep->crew, eta), second = rate(&sweep->crew, eta);
    double after = rate(&sweep->crew, 0), ratio = (first + second) / (before + after);
    bool whole = before > 0 && first > 0 && second > 0 && after > 0;
    uint32_t held = judge_false(&sweep->crew, began);
    struct machine_span span = machine_since(&mark);
    fprintf(csv, "%s,%s,%lld,%u,%.6g,%.6g,%s,%.5f,%.1f,%.1f,%u\n", sweep->load->name, crew_kind_name(sweep->mode),
            (long long)eta, round, shown(sweep->load, (before + after) / 2), shown(sweep->load, (first + second) / 2),
            sweep->load->unit, ratio, span.pressure, span.steal_ms, held);
    fflush(csv);
    if (!whole || held)
        return false;
    series_add(&sweep->value[at], shown(sweep->load, (first + second) / 2));
    series_add(&sweep->ratio[at], ratio);
    return true;
}

static void one_round(struct sweep *sweep, FILE *csv, unsigned round)
{
    for (int i = 0; i < ETAS; i++) {
        if (one(sweep, csv, round, round % 2 ? ETAS - 1 - i : i))
            continue;
        crew_end(&sweep->crew);
        if (!begin(sweep))
            machine_give_up("two programs do not start");
    }
}

static void report(FILE *summary, struct sweep *sweep)
{
    char text[64], worth[64];
    for (int at = 0; at < ETAS; at++) {
        struct interval interval = series_interval(&sweep->ratio[at]);
        printf("  %-9s %-9s eta %4lld  %-24s %s, speed relative to none %s (%zu rounds)\n", sweep->load->name,
               crew_kind_name(sweep->mode), (long long)etas[at], series_text(&sweep->value[at], text),
               sweep->load->unit, series_text(&sweep->ratio[at], worth), sweep->ratio[at].count);
        fprintf(summary, "%s,%s,%lld,%zu,%.6g,%s,%.5f,%.5f,%.5f\n", sweep->load->name, crew_kind_name(sweep->mode),
                (long long)etas[at], sweep->ratio[at].count, series_median(&sweep->value[at]), sweep->load->unit,
                series_median(&sweep->ratio[at]), interval.low, interval.high);
        series_free(&sweep->value[at]);
        series_free(&sweep->ratio[at]);
    }
    fflush(stdout);
}

void part_fig8(const struct options *options)
{
    FILE *csv = csv_open(options, "fig8",
                         "load,kind,eta_ms,round,value_without,value,unit,ratio,pressure_percent,steal_ms,"
                         "false_positives");
    FILE *summary = csv_open(options, "fig8-summary", "load,kind,eta_ms,rounds,value,unit,ratio,ratio_low,ratio_high");
    for (int mode = 0; mode < MODES; mode++)
        for (int i = 0; i < LOADS; i++) {
            struct sweep sweep = {.options = options, .load = &loads[i], .mode = modes[mode]};
            if (!begin(&sweep))
                machine_give_up("two programs do not start");
            for (unsigned round = 0; round < (options->quick ? 1 : loads[i].rounds); round++)
                one_round(&sweep, csv, round);
            crew_end(&sweep.crew);
            report(summary, &sweep);
        }
    csv_close(csv);
    csv_close(summary);
}
