/* part_stall: the longest stop (SIGSTOP, later SIGCONT) that is forgiven, at equal eta, beside how soon a stop that does not end becomes
 * known. Who waits longer forgives more: the two must be read together. */
#include "observe.h"
#include "parts.h"

#include <signal.h>

#define MS 1000000LL
#define ETA (50 * MS)

static const struct setting settings[] = {
    {CREW_UDP, ETA, 3 * ETA},   {CREW_UDP, ETA, 10 * ETA}, {CREW_KNELL, ETA, 3 * ETA},
    {CREW_KNELL, ETA, 10 * ETA}, {CREW_SWIM, ETA, 0},       {CREW_PPG, ETA, 0},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static void report(FILE *csv, uint32_t ranks, int burners, const struct setting *setting, struct series *stall,
                   struct observed *observed)
{
    char forgiven[64], known[64];
    printf("  n %2u  burners %d  %-10s eta %g delta %3g  forgiven ms %-22s known to all ms %-22s f+ %u\n", ranks, burners,
           crew_kind_name(setting->kind), (double)setting->eta / MS, (double)setting->delta / MS,
           series_text(stall, forgiven), series_text(&observed->last, known), observed->false_positives);
    fprintf(csv, "%s,%u,%d,%g,%g,%zu,%.1f,%.1f,%.1f,%.1f,%u\n", crew_kind_name(setting->kind), ranks, burners,
            (double)setting->eta / MS, (double)setting->delta / MS, stall->count, series_median(stall),
            series_interval(stall).low, series_interval(stall).high, series_median(&observed->last),
            observed->false_positives);
    fflush(csv);
    fflush(stdout);
}

static void compare(const struct options *options, FILE *csv, FILE *deaths, uint32_t ranks, int burners)
{
    struct observed observed[SETTINGS] = {0};
    struct series stall[SETTINGS] = {0};
    struct scene scene = {.csv = deaths, .ranks = ranks, .burners = burners, .signal = SIGSTOP, .deaths = 3};
    observe_in_turn(&scene, settings, SETTINGS, 1, observed);
    for (unsigned round = 0; round < (options->quick ? 1 : 3); round++)
        for (int i = 0; i < SETTINGS; i++)
            series_add(&stall[i], observe_stall(ranks, &settings[i], options->quick ? 2 : 3));
    for (int i = 0; i < SETTINGS; i++) {
        report(csv, ranks, burners, &settings[i], &stall[i], &observed[i]);
        observed_free(&observed[i]);
        series_free(&stall[i]);
    }
}

void part_stall(const struct options *options)
{
    FILE *csv = csv_open(options->out, "stall",
                         "kind,n,burners,eta_ms,delta_ms,searches,forgiven_ms,forgiven_low_ms,forgiven_high_ms,known_ms,"
                         "false_positives");
    FILE *deaths = csv_open(options->out, "stall-deaths", SCENE_HEAD);
    compare(options, csv, deaths, 32, 0);
    machine_burn(2);
    compare(options, csv, deaths, 32, 2);
    machine_burn(0);
    csv_close(csv);
    csv_close(deaths);
}
