/* part_eta: figure 9 at equal eta and at equal packets a second: our ring of datagrams against SWIM, nobody else on the
 * machine. Our delta is 3 eta, as short as is sensible over datagrams, and 10 eta, as in the paper. SWIM sends at least two packets for
 * each of ours; "equal packets" gives us the eta at which we send as many as SWIM was just seen to send. */
#include "observe.h"
#include "parts.h"

#include <signal.h>

#define MS 1000000LL

enum { UDP_3, UDP_10, UDP_EQUAL, PURE, PPG, KNELL, SETTINGS };

static const char *const names[SETTINGS] = {"delta 3 eta",
                                            "delta 10 eta",
                                            "delta 3 eta and equal packets",
                                            "SWIM",
                                            "SWIM with push-pull and gossip",
                                            "delta 3 eta with shortcuts"};

#define SUMMARY_HEAD                                                                                                           \
    "what,signal,n,eta_ms,own_eta_ms,delta_ms,deaths,first_ms,mean_ms,last_ms,last_low_ms,last_high_ms,packets_s,cpu_percent," \
    "false_positives,incomplete"

/* Packets a second of SWIM without gossip: after the start it sends the same, but not more for its news. */
static double packets_of(uint32_t ranks, int64_t eta)
{
    struct setting setting = {CREW_SWIM, eta, 0};
    struct machine_span span;
    double cpu;
    if (observe_window(ranks, &setting, 2, false, &span, &cpu) == UINT32_MAX)
        machine_give_up("SWIM with %u members does not start: nothing to compare with", ranks);
    return span.datagrams_s + span.segments_s;
}

static void report(FILE *summary, const struct scene *scene, int64_t eta, const struct setting *setting, int which,
                   struct observed *observed)
{
    struct interval last = series_interval(&observed->last);
    char text[64];
    printf("  %-4s n %3u  eta %4g  %-30s %2zu  last ms %-24s packets/s %7.0f  cpu %6.3f %%  f+ %u  missing %u\n",
           scene->signal == SIGKILL ? "kill" : "stop", scene->ranks, (double)eta / MS, names[which],
           observed->last.count, series_text(&observed->last, text), series_median(&observed->packets),
           series_median(&observed->cpu), observed->false_positives, observed->incomplete);
    fprintf(summary, "\"%s\",%s,%u,%g,%.4g,%.4g,%zu,%.3f,%.3f,%.3f,%.3f,%.3f,%.0f,%.4f,%u,%u\n", names[which],
            scene->signal == SIGKILL ? "kill" : "stop", scene->ranks, (double)eta / MS, (double)setting->eta / MS,
            (double)setting->delta / MS, observed->last.count, series_median(&observed->first),
            series_median(&observed->mean), series_median(&observed->last), last.low, last.high,
            series_median(&observed->packets), series_median(&observed->cpu), observed->false_positives,
            observed->incomplete);
    fflush(summary);
    fflush(stdout);
}

static void compare(const struct options *options, FILE *csv, FILE *summary, uint32_t ranks, int64_t eta, int signal)
{
    double packets = packets_of(ranks, eta);
    int64_t equal = (int64_t)(ranks / packets * 1e9);
    const struct setting setting[SETTINGS] = {
        [UDP_3] = {CREW_UDP, eta, 3 * eta},
        [UDP_10] = {CREW_UDP, eta, 10 * eta},
        [UDP_EQUAL] = {CREW_UDP, equal, 3 * equal},
        [PURE] = {CREW_SWIM, eta, 0},
        [PPG] = {CREW_PPG, eta, 0},
        [KNELL] = {CREW_KNELL, eta, 3 * eta},
    };
    struct observed observed[SETTINGS] = {0};
    struct scene scene = {.csv = csv, .ranks = ranks, .signal = signal, .deaths = options->quick ? 2 : 4};
    int count = signal == SIGKILL ? SETTINGS : KNELL; /* a stop is no quicker with shortcuts */
    observe_in_turn(&scene, setting, (size_t)count, 1, observed);
    for (int i = 0; i < count; i++) {
        report(summary, &scene, eta, &setting[i], i, &observed[i]);
        observed_free(&observed[i]);
    }
}

void part_eta(const struct options *options)
{
    FILE *csv = csv_open(options, "eta", SCENE_HEAD);
    FILE *summary = csv_open(options, "eta-summary", SUMMARY_HEAD);
    static const uint32_t sizes[] = {8, 32};
    static const int64_t etas[] = {20, 50, 100, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (options_want(options, sizes[i]))
            compare(options, csv, summary, sizes[i], 100 * MS, SIGSTOP);
    for (size_t i = 0; i < sizeof etas / sizeof etas[0]; i++)
        if (options_want(options, 64) && (!options->quick || etas[i] == 100))
            compare(options, csv, summary, 64, etas[i] * MS, SIGSTOP);
    if (options_want(options, 64))
        compare(options, csv, summary, 64, 100 * MS, SIGKILL);
    csv_close(csv);
    csv_close(summary);
}
