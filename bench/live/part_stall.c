/* part_stall: the longest stop (SIGSTOP, later SIGCONT) that is forgiven, at equal eta, beside how soon a stop that does not end becomes
 * known. Who waits longer forgives more: the two must be read together. */
#include "observe.h"
#include "parts.h"

#include <signal.h>

#define MS 1000000LL
#define ETA (50 * MS)

static const struct setting settings[] = {
    {CREW_UDP, ETA, 3 * ETA},    {CREW_UDP, ETA, 10 * ETA}, {CREW_KNELL, ETA, 3 * ETA},
    {CREW_KNELL, ETA, 10 * ETA}, {CREW_SWIM, ETA, 0},       {CREW_PPG, ETA, 0},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void report(FILE *csv, uint32_t ranks, const struct setting *setting, double stall, struct observed *observed)
{
    char known[64];
    printf("  n %2u  %-13s %-10s eta %g delta %3g  forgiven ms %4.0f  known to all ms %-22s f+ %u\n", ranks,
           machine_load_name(), crew_kind_name(setting->kind), (double)setting->eta / MS, (double)setting->delta / MS,
           stall, series_text(&observed->last, known), observed->false_positives);
    fprintf(csv, "%s,%u,%s,%g,%g,%.1f,%.1f,%u\n", crew_kind_name(setting->kind), ranks, machine_load_name(),
            (double)setting->eta / MS, (double)setting->delta / MS, stall, series_median(&observed->last),
            observed->false_positives);
    fflush(csv);
    fflush(stdout);
}

static void compare(const struct options *options, FILE *csv, FILE *deaths, uint32_t ranks)
{
    struct observed observed[SETTINGS] = {0};
    double stall[SETTINGS];
    struct scene scene = {.csv = deaths, .ranks = ranks, .signal = SIGSTOP, .deaths = 3};
    observe_in_turn(&scene, settings, SETTINGS, 1, observed);
    for (int i = 0; i < SETTINGS; i++)
        stall[i] = observe_stall(ranks, &settings[i], options->quick ? 2 : 5);
    for (int i = 0; i < SETTINGS; i++) {
        report(csv, ranks, &settings[i], stall[i], &observed[i]);
        observed_free(&observed[i]);
    }
}

void part_stall(const struct options *options)
{
    FILE *csv = csv_open(options, "stall", "kind,n,load,eta_ms,delta_ms,forgiven_ms,known_ms,false_positives");
    FILE *deaths = csv_open(options, "stall-deaths", SCENE_HEAD);
    for (enum machine_load load = 0; load < MACHINE_LOADS; load++)
        if (options_want_load(options, load)) {
            machine_burn(load);
            compare(options, csv, deaths, 32);
        }
    machine_burn(MACHINE_IDLE);
    csv_close(csv);
    csv_close(deaths);
}
