/* part_fig8: figure 8 without MPI: what two programs, one per processor, lose beside their detectors: round trips and bytes between
 * them over loopback, and matrix multiplications. Each round has the detector off first, then at every eta, then off again; a value is
 * taken relative to the mean of the two in its round, and "off" against "off" shows what such a ratio is worth here. */
#include "observe.h"
#include "parts.h"

#include <math.h>

#define MS 1000000LL

static const int64_t etas[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
enum { ETAS = sizeof etas / sizeof etas[0], SLOTS = ETAS + 2 }; /* off, the etas, off */

struct load {
    const char *name, *unit;
    enum work_kind work;
    double scale; /* from work_for's number to the unit */
    bool inverse; /* the unit is time, not a rate */
};
static const struct load loads[] = {
    {"latency", "us a round trip", WORK_LATENCY, 1e6, true},
    {"bandwidth", "MiB/s", WORK_BANDWIDTH, 1.0 / 1048576, false},
    {"compute", "multiplications/s", WORK_COMPUTE, 1, false},
};
enum { LOADS = sizeof loads / sizeof loads[0] };

static const enum crew_kind modes[] = {CREW_KNELL, CREW_UDP};
enum { MODES = sizeof modes / sizeof modes[0] };

/* The rate of both programs together; 0: it did not run. */
static double work(const struct options *options, enum crew_kind kind, int64_t eta, enum work_kind load, double *pressure,
                   uint32_t *held)
{
    struct crew_plan plan = {.kind = kind, .ranks = 2, .eta = eta, .delta = 10 * eta, .work = load,
                             .work_ns = options->quick ? 100 * MS : 500 * MS, .pinned = true};
    struct crew crew;
    if (!crew_start(&crew, &plan))
        return 0;
    struct machine_mark mark = machine_mark();
    bool done = crew_step_all(&crew);
    *pressure = machine_since(&mark).pressure;
    *held = judge_false(&crew, crew.began);
    double rate = done ? crew.log->part[0].result + crew.log->part[1].result : 0;
    crew_end(&crew);
    return rate;
}

static void one_round(const struct options *options, FILE *csv, const struct load *load, enum crew_kind mode, unsigned round,
                      struct series value[SLOTS], struct series ratio[SLOTS])
{
    double rate[SLOTS], pressure = 0;
    uint32_t held = 0;
    for (int i = 0; i < SLOTS; i++) {
        int slot = round % 2 ? SLOTS - 1 - i : i;
        bool off = slot == 0 || slot == SLOTS - 1;
        int64_t eta = off ? 1000 * MS : etas[slot - 1] * MS;
        rate[slot] = work(options, off ? CREW_OFF : mode, eta, load->work, &pressure, &held);
        double shown = load->inverse ? load->scale / rate[slot] : load->scale * rate[slot];
        fprintf(csv, "%s,%s,%g,%u,%.6g,%s,%.1f,%u\n", load->name, crew_kind_name(mode), off ? 0 : (double)eta / MS, round,
                shown, load->unit, pressure, held);
        series_add(&value[slot], shown);
    }
    double off = (rate[0] + rate[SLOTS - 1]) / 2;
    for (int slot = 0; slot < SLOTS - 1; slot++) /* slot 0: off against off */
        series_add(&ratio[slot], slot ? rate[slot] / off : rate[0] / rate[SLOTS - 1]);
    fflush(csv);
}

static void report(FILE *summary, const struct load *load, enum crew_kind mode, struct series value[SLOTS],
                   struct series ratio[SLOTS])
{
    char text[64], worth[64];
    for (int slot = 0; slot < SLOTS - 1; slot++) {
        struct interval interval = series_interval(&ratio[slot]);
        double eta = slot ? (double)etas[slot - 1] : 0;
        printf("  %-9s %-9s eta %4g  %-24s %s, speed relative to off %s (%zu rounds)\n", load->name, crew_kind_name(mode), eta,
               series_text(&value[slot], text), load->unit, series_text(&ratio[slot], worth), ratio[slot].count);
        fprintf(summary, "%s,%s,%g,%zu,%.6g,%s,%.5f,%.5f,%.5f\n", load->name, crew_kind_name(mode), eta, ratio[slot].count,
                series_median(&value[slot]), load->unit, series_median(&ratio[slot]), interval.low, interval.high);
    }
    fflush(stdout);
}

void part_fig8(const struct options *options)
{
    FILE *csv = csv_open(options->out, "fig8", "load,kind,eta_ms,round,value,unit,pressure_percent,false_positives");
    FILE *summary = csv_open(options->out, "fig8-summary", "load,kind,eta_ms,rounds,value,unit,ratio,ratio_low,ratio_high");
    unsigned rounds = options->quick ? 1 : 8;
    for (int mode = 0; mode < MODES; mode++)
        for (int i = 0; i < LOADS; i++) {
            struct series value[SLOTS] = {0}, ratio[SLOTS] = {0};
            for (unsigned round = 0; round < rounds; round++)
                one_round(options, csv, &loads[i], modes[mode], round, value, ratio);
            report(summary, &loads[i], modes[mode], value, ratio);
            for (int slot = 0; slot < SLOTS; slot++) {
                series_free(&value[slot]);
                series_free(&ratio[slot]);
            }
        }
    csv_close(csv);
    csv_close(summary);
}
