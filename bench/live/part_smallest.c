/* part_smallest: figure 9, each at its smallest setting that is free of false positives under the same load; then how soon all know of a
 * silent death, all kinds in turn. A setting counts as free when none of some windows has one, nor any crew measured with it: if one
 * has, the next setting is taken and all are measured again. */
#include "observe.h"
#include "parts.h"

#include <signal.h>
#include <string.h>

#define MS 1000000LL

enum { UDP, KINDS = 4, MOST_SETTINGS = 64, EXCUSES = 3 };
static const enum crew_kind kinds[KINDS] = {CREW_UDP, CREW_SWIM, CREW_PPG, CREW_UDP_LOW};

struct ladder {
    size_t count, at;
    struct setting setting[MOST_SETTINGS];
};

struct run {
    const struct options *options;
    FILE *csv, *summary, *windows;
    uint32_t ranks;
    struct ladder ladder[KINDS];
    double free_s[KINDS];    /* without a false positive at the setting taken, deaths not counted */
    unsigned excuses[KINDS]; /* windows of that setting in which the machine itself was away */
};

/* ---- the settings to try --------------------------------------------------------------------------------------------------- */

/* Ours with delta = 5 eta: a heartbeat may be late by four periods, and two or three may get lost. */
static void make_ladder(struct ladder *ladder, enum crew_kind kind)
{
    static const int64_t ours[] = {1, 2, 3, 4, 6, 8, 10, 14, 20, 30, 40};
    static const int64_t swims[] = {10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500}; /* below, no run was ever free */
    bool swim = crew_is_swim(kind);
    size_t count = swim ? sizeof swims / sizeof swims[0] : sizeof ours / sizeof ours[0];
    memset(ladder, 0, sizeof *ladder);
    for (size_t i = 0; i < count; i++)
        ladder->setting[ladder->count++] =
            (struct setting){kind, (swim ? swims[i] : ours[i]) * MS, swim ? 0 : 5 * ours[i] * MS};
}

/* ---- the search -------------------------------------------------------------------------------------------------------------- */

/* How long the machine may be away before a false positive is its own: half of what a kind waits for its neighbour. */
static double patience_ms(const struct setting *setting)
{
    return (double)(crew_is_swim(setting->kind) ? setting->eta : setting->delta) / 2 / MS;
}

/* A few times, or one would search for ever on a machine that is often away. */
static bool is_excused(struct run *run, int which, double away_ms)
{
    const struct ladder *ladder = &run->ladder[which];
    return away_ms > patience_ms(&ladder->setting[ladder->at]) && ++run->excuses[which] <= EXCUSES;
}

static bool window_is_free(struct run *run, int which, double seconds)
{
    const struct setting *setting = &run->ladder[which].setting[run->ladder[which].at];
    struct machine_span span = {0};
    double cpu = 0;
    uint32_t held = observe_window(run->ranks, setting, seconds, true, &span, &cpu);
    bool excused = held > 0 && is_excused(run, which, span.away_ms);
    fprintf(run->windows, "%s,%u,%s,%g,%g,%.1f,%d,%.1f,%.4f,%.1f,%.0f,%.2f,%d\n", crew_kind_name(setting->kind),
            run->ranks, machine_load_name(), (double)setting->eta / MS, (double)setting->delta / MS, span.seconds,
            (int)held, span.datagrams_s + span.segments_s, cpu, span.pressure, span.steal_ms, span.away_ms, excused);
    fflush(run->windows);
    run->free_s[which] += held == 0 ? span.seconds : 0;
    return held == 0 || excused;
}

static void climb(struct run *run, int which)
{
    run->free_s[which] = run->excuses[which] = 0;
    if (++run->ladder[which].at == run->ladder[which].count)
        machine_give_up("%s: every setting of the list has false positives", crew_kind_name(kinds[which]));
}

/* A short look first: most settings that are too small show it at once. */
static void find_candidate(struct run *run, int which)
{
    while (!window_is_free(run, which, run->options->quick ? 1 : 3))
        climb(run, which);
}

/* The long windows, all kinds in turn, until each has had enough of them at the setting it is at. */
static void confirm(struct run *run)
{
    double seconds = run->options->quick ? 2 : 10, enough = run->options->quick ? 4 : 30;
    for (bool all = false; !all;) {
        all = true;
        for (int i = 0; i < KINDS; i++) {
            if (run->free_s[i] >= enough)
                continue;
            all = false;
            if (!window_is_free(run, i, seconds)) {
                climb(run, i);
                find_candidate(run, i);
            }
        }
    }
}

/* ---- the comparison ---------------------------------------------------------------------------------------------------------- */

static bool measure(struct run *run, struct observed observed[KINDS])
{
    struct scene scene = {
        .csv = run->csv, .ranks = run->ranks, .signal = SIGSTOP, .deaths = run->options->quick ? 2 : 4};
    struct setting setting[KINDS];
    bool all_free = true;
    for (int i = 0; i < KINDS; i++)
        setting[i] = run->ladder[i].setting[run->ladder[i].at];
    observe_in_turn(&scene, setting, KINDS, run->options->quick ? 1 : 2, observed);
    for (int i = 0; i < KINDS; i++)
        if (observed[i].false_positives || observed[i].incomplete) {
            bool excused = is_excused(run, i, observed[i].away_ms);
            printf("  %s, eta %g: false positive while measured; %s\n", crew_kind_name(kinds[i]),
                   (double)setting[i].eta / MS, excused ? "the machine was away, again" : "the next setting");
            fflush(stdout);
            if (!excused)
                climb(run, i);
            all_free = false;
        }
    return all_free;
}

static void report(struct run *run, struct observed observed[KINDS])
{
    double ours = series_median(&observed[UDP].last), ours_high = series_interval(&observed[UDP].last).high;
    for (int i = 0; i < KINDS; i++) {
        const struct setting *setting = &run->ladder[i].setting[run->ladder[i].at];
        struct interval last = series_interval(&observed[i].last);
        char text[64];
        printf("  n %3u  %-13s %-10s eta %4g delta %4g  last ms %-24s (n %zu)  times ours %5.1f (at least %.1f)"
               "  packets/s %6.0f\n",
               run->ranks, machine_load_name(), crew_kind_name(kinds[i]), (double)setting->eta / MS,
               (double)setting->delta / MS, series_text(&observed[i].last, text), observed[i].last.count,
               series_median(&observed[i].last) / ours, last.low / ours_high, series_median(&observed[i].packets));
        fprintf(run->summary, "%s,%u,%s,%g,%g,%zu,%.3f,%.3f,%.3f,%.3f,%.3f,%.2f,%.2f,%.0f,%.4f,%.1f,%.1f\n",
                crew_kind_name(kinds[i]), run->ranks, machine_load_name(), (double)setting->eta / MS,
                (double)setting->delta / MS, observed[i].last.count, series_median(&observed[i].first),
                series_median(&observed[i].mean), series_median(&observed[i].last), last.low, last.high,
                series_median(&observed[i].last) / ours, last.low / ours_high, series_median(&observed[i].packets),
                series_median(&observed[i].cpu), series_median(&observed[i].pressure), run->free_s[i]);
        fflush(run->summary);
        fflush(stdout);
    }
}

static void compare(struct run *run)
{
    bool all_free = false;
    for (int i = 0; i < KINDS; i++) {
        make_ladder(&run->ladder[i], kinds[i]);
        run->free_s[i] = run->excuses[i] = 0;
        find_candidate(run, i);
    }
    while (!all_free) {
        struct observed observed[KINDS] = {0};
        confirm(run);
        all_free = measure(run, observed);
        if (all_free)
            report(run, observed);
        for (int i = 0; i < KINDS; i++)
            observed_free(&observed[i]);
    }
}

void part_smallest(const struct options *options)
{
    struct run run = {.options = options, .csv = csv_open(options, "smallest", SCENE_HEAD)};
    run.windows = csv_open(options, "smallest-windows",
                           "kind,n,load,eta_ms,delta_ms,seconds,false_positives,packets_s,cpu_percent,pressure_percent,"
                           "steal_ms,away_ms,excused");
    run.summary = csv_open(options, "smallest-summary",
                           "kind,n,load,eta_ms,delta_ms,deaths,first_ms,mean_ms,last_ms,last_low_ms,last_high_ms,"
                           "times_ours,times_ours_least,packets_s,cpu_percent,pressure_percent,free_s");
    static const uint32_t sizes[] = {32, 64};
    for (enum machine_load load = 0; load < MACHINE_LOADS; load++) {
        if (!options_want_load(options, load))
            continue;
        machine_burn(load);
        for (size_t i = 0; i < (options->quick ? 1 : 2); i++) {
            run.ranks = sizes[i];
            if (options_want(options, run.ranks))
                compare(&run);
        }
    }
    machine_burn(MACHINE_IDLE);
    csv_close(run.csv);
    csv_close(run.windows);
    csv_close(run.summary);
}
