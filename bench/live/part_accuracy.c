/* part_accuracy: figure 8's other half: beside programs that compute or communicate all the time, the smallest eta without a false
 * positive, and the eta at which heartbeats start to miss their deadline. delta is 10 eta, as in the paper; one program per processor, then
 * four. A program that communicates waits by asking, as an MPI library does: it never sleeps either. */
#include "observe.h"
#include "parts.h"

#define MS 1000000LL

static const int64_t etas_us[] = {500, 1000, 2500, 5000, 10000, 25000, 50000, 100000};
enum { ETAS = sizeof etas_us / sizeof etas_us[0] };

static const struct {
    const char *name;
    enum work_kind work;
} loads[] = {{"compute", WORK_COMPUTE}, {"communicate", WORK_LATENCY}};
static const enum crew_kind modes[] = {CREW_KNELL, CREW_UDP};

struct tally {
    uint32_t held, runs, hit;
    double missed_s; /* heartbeats missed a second, over all members */
    double late_ms;
};

static void one(FILE *csv, const struct crew_plan *plan, const char *load, struct tally *tally)
{
    struct crew crew;
    uint64_t missed = 0;
    double late_ms = 0;
    if (!crew_start(&crew, plan))
        return;
    struct machine_mark mark = machine_mark();
    bool counted = crew_step_all(&crew) && crew_count(&crew);
    struct machine_span span = machine_since(&mark);
    for (uint32_t rank = 0; rank < plan->ranks && counted; rank++) {
        missed += crew.log->part[rank].missed;
        double late = (double)crew.log->part[rank].late_most / MS;
        late_ms = late > late_ms ? late : late_ms;
    }
    uint32_t held = judge_false(&crew, crew.began);
    crew_end(&crew);
    tally->runs++;
    tally->held += held;
    tally->hit += held > 0;
    tally->missed_s += (double)missed / span.seconds;
    tally->late_ms = late_ms > tally->late_ms ? late_ms : tally->late_ms;
    fprintf(csv, "%s,%s,%u,%g,%g,%.2f,%u,%.2f,%.2f,%.1f,%.0f,%.2f\n", load, crew_kind_name(plan->kind), plan->ranks,
            (double)plan->eta / MS, (double)plan->delta / MS, span.seconds, held, (double)missed / span.seconds,
            late_ms, span.pressure, span.steal_ms, span.away_ms);
    fflush(csv);
}

static void sweep(const struct options *options, FILE *csv, size_t load, enum crew_kind mode, uint32_t ranks)
{
    struct tally tally[ETAS] = {0};
    for (unsigned round = 0; round < (options->quick ? 1 : 2); round++)
        for (int i = 0; i < ETAS; i++) {
            int at = round % 2 ? ETAS - 1 - i : i;
            int64_t eta = etas_us[at] * 1000;
            struct crew_plan plan = {.kind = mode,
                                     .ranks = ranks,
                                     .eta = eta,
                                     .delta = 10 * eta,
                                     .work = loads[load].work,
                                     .work_ns = options->quick ? 200 * MS : 1500 * MS,
                                     .pinned = true};
            one(csv, &plan, loads[load].name, &tally[at]);
        }
    for (int i = 0; i < ETAS; i++)
        printf(
            "  %-11s %-9s %u programs  eta %5.1f ms: held for dead falsely %u (in %u of %u runs), missed %.2f a second,"
            " a detector late by at most %.1f ms\n",
            loads[load].name, crew_kind_name(mode), ranks, (double)etas_us[i] / 1000, tally[i].held, tally[i].hit,
            tally[i].runs, tally[i].runs ? tally[i].missed_s / tally[i].runs : 0, tally[i].late_ms);
    fflush(stdout);
}

void part_accuracy(const struct options *options)
{
    FILE *csv = csv_open(options, "accuracy",
                         "load,kind,n,eta_ms,delta_ms,seconds,false_positives,missed_s,late_most_ms,"
                         "pressure_percent,steal_ms,away_ms");
    for (size_t load = 0; load < 2; load++)
        for (size_t mode = 0; mode < 2; mode++)
            for (uint32_t ranks = 2; ranks <= 8; ranks += 6)
                if (options_want(options, ranks))
                    sweep(options, csv, load, modes[mode], ranks);
    csv_close(csv);
}
