/* part_windows: nobody dies; who is held for dead? 32 members at eta 10 ms, delta 100 ms, idle and beside two processes per processor
 * that only compute; all kinds in turn, ours as shipped for all the minutes wanted, the others for a fifth of them. Windows in which the
 * machine itself was away for more than delta / 2 are counted apart: no process of it could have sent a heartbeat then. */
#include "observe.h"
#include "parts.h"

#define MS 1000000LL
#define ETA (10 * MS)
#define DELTA (100 * MS)
enum { RANKS = 32, FIFTH = 5 };

static const enum crew_kind kinds[] = {CREW_KNELL, CREW_SWIM, CREW_PPG, CREW_UDP, CREW_UDP_LOW};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct tally {
    unsigned windows, hit, away, away_hit,
        unstarted; /* away: those in which the machine was; they are not in the others */
    uint32_t held, away_held;
    double seconds, away_seconds;
    struct series cpu, pressure;
};

static void count(struct tally *tally, uint32_t held, const struct machine_span *span, bool away)
{
    if (away) {
        tally->away++;
        tally->away_hit += held > 0;
        tally->away_held += held;
        tally->away_seconds += span->seconds;
        return;
    }
    tally->windows++;
    tally->hit += held > 0;
    tally->held += held;
    tally->seconds += span->seconds;
}

static void one(FILE *csv, const struct options *options, enum crew_kind kind, struct tally *tally)
{
    struct setting setting = {kind, ETA, DELTA};
    struct machine_span span;
    double cpu;
    uint32_t held = observe_window(RANKS, &setting, options->window_s, false, &span, &cpu);
    if (held == UINT32_MAX) {
        tally->unstarted++;
        return;
    }
    double most = span.away_ms > span.steal_most_ms ? span.away_ms : span.steal_most_ms;
    bool away = most > (double)DELTA / MS / 2;
    count(tally, held, &span, away);
    series_add(&tally->cpu, cpu);
    series_add(&tally->pressure, span.pressure);
    fprintf(csv, "%s,%u,%s,%g,%g,%.2f,%u,%d,%.4f,%.1f,%.1f,%.1f,%.0f,%.0f,%.2f\n", crew_kind_name(kind), RANKS,
            machine_load_name(), (double)ETA / MS, crew_is_swim(kind) ? 0 : (double)DELTA / MS, span.seconds, held,
            away, cpu, span.datagrams_s, span.segments_s, span.pressure, span.steal_ms, span.steal_most_ms,
            span.away_ms);
    fflush(csv);
}

static void report(enum crew_kind kind, struct tally *tally)
{
    printf("  %-13s %-10s %5.1f min in %u windows: %u held for dead falsely, in %u windows; apart, the machine away:"
           " %4.1f min in %u, %u held in %u;  cpu %.3f %%  pressure %.0f %%%s\n",
           machine_load_name(), crew_kind_name(kind), tally->seconds / 60, tally->windows, tally->held, tally->hit,
           tally->away_seconds / 60, tally->away, tally->away_held, tally->away_hit, series_median(&tally->cpu),
           series_median(&tally->pressure), tally->unstarted ? "; some did not start" : "");
    fflush(stdout);
}

void part_windows(const struct options *options)
{
    FILE *csv = csv_open(options, "windows",
                         "kind,n,load,eta_ms,delta_ms,seconds,false_positives,machine_away,cpu_percent,datagrams_s,"
                         "segments_s,pressure_percent,steal_ms,steal_most_ms,away_ms");
    double minutes = options->quick ? 0.1 : options->minutes;
    struct options scaled = *options;
    scaled.window_s = options->window_s < minutes * 60 / 2 ? options->window_s : minutes * 60 / 2;
    unsigned rounds = (unsigned)(minutes * 60 / scaled.window_s + 0.5);
    for (enum machine_load load = 0; load < MACHINE_LOADS; load++) {
        struct tally tally[KINDS] = {0};
        if (!options_want_load(options, load))
            continue;
        machine_burn(load);
        for (unsigned round = 0; round < rounds; round++)
            for (size_t i = 0; i < KINDS; i++) {
                size_t at = round % 2 ? KINDS - 1 - i : i;
                if (kinds[at] == CREW_KNELL || round % FIFTH == 0)
                    one(csv, &scaled, kinds[at], &tally[at]);
            }
        for (size_t i = 0; i < KINDS; i++) {
            report(kinds[i], &tally[i]);
            series_free(&tally[i].cpu);
            series_free(&tally[i].pressure);
        }
    }
    machine_burn(MACHINE_IDLE);
    csv_close(csv);
}
