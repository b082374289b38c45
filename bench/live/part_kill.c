/* part_kill: how soon all know, within one host: a crash with all shortcuts, a silent stop with none. */
#include "observe.h"
#include "parts.h"

#include <signal.h>

#define MS 1000000LL

struct question {
    struct setting setting;
    uint32_t ranks;
    int signal;
};

static const struct question questions[] = {
    {{CREW_KNELL, 100 * MS, 1000 * MS}, 8, SIGKILL},  {{CREW_KNELL, 100 * MS, 1000 * MS}, 32, SIGKILL},
    {{CREW_KNELL, 100 * MS, 1000 * MS}, 64, SIGKILL}, {{CREW_KNELL, 10 * MS, 100 * MS}, 64, SIGKILL},
    {{CREW_UDP, 10 * MS, 100 * MS}, 32, SIGSTOP},     {{CREW_UDP, 10 * MS, 100 * MS}, 64, SIGSTOP},
    {{CREW_KNELL, 10 * MS, 100 * MS}, 32, SIGSTOP},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static void print(const struct question *question, struct observed *observed)
{
    char first[64], mean[64], last[64];
    printf("  %-10s %3u %s %4g/%-5g %3zu  %-21s %-21s %-21s %6.2f  %6.2f of %-3zu %3u %3u\n",
           crew_kind_name(question->setting.kind), question->ranks, question->signal == SIGKILL ? "kill" : "stop",
           (double)question->setting.eta / MS, (double)question->setting.delta / MS, observed->last.count,
           series_text(&observed->first, first), series_text(&observed->mean, mean), series_text(&observed->last, last),
           series_most(&observed->last), series_most(&observed->undisturbed), observed->undisturbed.count,
           observed->false_positives, observed->incomplete);
}

void part_kill(const struct options *options)
{
    struct observed observed[QUESTIONS] = {0};
    FILE *csv = csv_open(options, "kill", SCENE_HEAD);
    for (unsigned round = 0; round < (options->quick ? 1 : 6); round++)
        for (size_t i = 0; i < QUESTIONS; i++) {
            const struct question *question = &questions[round % 2 ? QUESTIONS - 1 - i : i];
            if (!options_want(options, question->ranks))
                continue;
            struct scene scene = {.csv = csv, .ranks = question->ranks, .signal = question->signal, .deaths = 4};
            observe_deaths(&scene, &question->setting, &observed[question - questions]);
        }
    printf("  kind         n      eta/delta  deaths  first ms              mean ms               last ms"
           "                worst  undisturbed     f+  missing\n");
    for (size_t i = 0; i < QUESTIONS; i++) {
        if (observed[i].last.count)
            print(&questions[i], &observed[i]);
        observed_free(&observed[i]);
    }
    csv_close(csv);
}
