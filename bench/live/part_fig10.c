/* part_fig10: figure 10, left and centre. Left: so many processes stop silently at once; until all survivors know all of them, over the
 * ring of datagrams alone. Centre: so many declare themselves dead at the same moment ("trigger heartbeat"), so that nothing is
 * measured but their broadcasts side by side. */
#include "observe.h"
#include "parts.h"

#include <signal.h>

#define MS 1000000LL
#define ETA (50 * MS)
#define DELTA (500 * MS)
enum { MOST = 8 };

static const uint32_t sizes[] = {8, 16, 32, 64, 128, 256};
static const uint32_t counts[] = {1, 2, 4, 8};
enum { SIZES = sizeof sizes / sizeof sizes[0], COUNTS = sizeof counts / sizeof counts[0] };

struct cell {
    struct series last, mean; /* until all know all; the mean over the victims until all know it */
    uint32_t incomplete, false_positives;
};

/* How many neighbours on the ring were hurt in a row, at most: each takes its observer with it. */
static uint32_t longest_chain(const struct crew *crew)
{
    uint32_t ranks = crew->plan.ranks, most = 0, run = 0;
    for (uint32_t i = 0; i < 2 * ranks; i++) {
        run = crew->member[i % ranks].hurt ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

/* `apart`: no two of them neighbours on the ring, as the observer of one that declares itself dead must hear it. */
static bool fits(const struct crew *crew, const uint32_t *victim, uint32_t count, bool apart)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ranks = crew->plan.ranks, distance = (victim[i] + ranks - victim[count]) % ranks;
        if (distance == 0 || (apart && (distance == 1 || distance == ranks - 1)))
            return false;
    }
    return true;
}

static void pick_victims(const struct crew *crew, uint32_t *victim, uint32_t count, bool apart)
{
    unsigned tries = 0;
    for (uint32_t i = 0; i < count; tries++) {
        victim[i] = crew_pick(crew);
        i += fits(crew, victim, i, apart);
        if (tries % 1000 == 999)
            i = 0; /* the first ones left no room */
    }
}

static void stop_all(struct crew *crew, const uint32_t *victim, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        crew_hurt(crew, victim[i], SIGSTOP);
}

/* They are asked early and wait for the moment: asking one after the other would spread them. */
static void trigger_all(struct crew *crew, const uint32_t *victim, uint32_t count)
{
    int64_t at = live_now() + 20 * MS;
    for (uint32_t i = 0; i < count; i++)
        crew->member[victim[i]].hurt = at;
    crew_step(crew, victim, count, at, true);
}

static void judge(FILE *csv, const struct crew *crew, const char *what, const uint32_t *victim, uint32_t count,
                  const struct machine_span *span, struct cell *cell)
{
    struct judge_spread all = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct judge_spread one = judge_victim(crew, victim[i]);
        all.last = one.last > all.last ? one.last : all.last;
        all.mean += one.last / count;
        all.missing += one.missing;
    }
    uint32_t held = judge_false(crew, crew->began);
    cell->incomplete += all.missing > 0;
    cell->false_positives += held;
    if (!all.missing) {
        series_add(&cell->last, all.last);
        series_add(&cell->mean, all.mean);
    }
    fprintf(csv, "%s,%u,%u,%u,%.4f,%.4f,%u,%u,%.1f,%.0f,%.2f\n", what, crew->plan.ranks, count, longest_chain(crew),
            all.mean, all.last, all.missing, held, span->pressure, span->steal_ms, span->away_ms);
    fflush(csv);
}

static void one(FILE *csv, bool trigger, uint32_t ranks, uint32_t count, struct cell *cell)
{
    struct setting setting = {CREW_UDP, ETA, DELTA};
    struct crew_plan plan = {.kind = CREW_UDP, .ranks = ranks, .eta = ETA, .delta = DELTA};
    uint32_t victim[MOST];
    struct crew crew;
    if (!crew_start(&crew, &plan)) {
        cell->incomplete++;
        return;
    }
    pick_victims(&crew, victim, count, trigger);
    struct machine_mark mark = machine_mark();
    live_sleep_until(live_now() + (int64_t)crew_random(ETA));
    if (trigger)
        trigger_all(&crew, victim, count);
    else
        stop_all(&crew, victim, count);
    judge_await_all(&crew, observe_limit(&setting));
    struct machine_span span = machine_since(&mark);
    judge(csv, &crew, trigger ? "broadcasts" : "deaths", victim, count, &span, cell);
    crew_end(&crew);
}

static void report(FILE *summary, bool trigger, uint32_t ranks, uint32_t count, struct cell *cell)
{
    struct series *shown = trigger ? &cell->mean : &cell->last;
    struct interval interval = series_interval(shown);
    char text[64], all[64];
    printf("  %-10s n %3u  %u at once (%zu runs)  %s %s, all of all %s  f+ %u  missing %u\n",
           trigger ? "broadcasts" : "deaths", ranks, count, shown->count, trigger ? "mean ms" : "ms",
           series_text(shown, text), series_text(&cell->last, all), cell->false_positives, cell->incomplete);
    fprintf(summary, "%s,%u,%u,%zu,%.4f,%.4f,%.4f,%.4f,%u,%u\n", trigger ? "broadcasts" : "deaths", ranks, count,
            shown->count, series_median(shown), interval.low, interval.high, series_median(&cell->last),
            cell->false_positives, cell->incomplete);
    fflush(stdout);
}

static void table(const struct options *options, FILE *csv, FILE *summary, bool trigger)
{
    struct cell cell[SIZES][COUNTS] = {0};
    for (unsigned round = 0; round < (options->quick ? 1 : trigger ? 7 : 5); round++)
        for (size_t i = 0; i < SIZES; i++)
            for (size_t j = 0; j < COUNTS; j++)
                if (counts[j] < sizes[i] && options_want(options, sizes[i]))
                    one(csv, trigger, sizes[i], counts[j], &cell[i][j]);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < COUNTS; j++) {
            if (cell[i][j].last.count || cell[i][j].incomplete)
                report(summary, trigger, sizes[i], counts[j], &cell[i][j]);
            series_free(&cell[i][j].last);
            series_free(&cell[i][j].mean);
        }
}

void part_fig10(const struct options *options)
{
    FILE *csv = csv_open(options, "fig10",
                         "what,n,at_once,chain,mean_ms,last_ms,missing,false_positives,"
                         "pressure_percent,steal_ms,away_ms");
    FILE *summary = csv_open(options, "fig10-summary",
                             "what,n,at_once,runs,median_ms,low_ms,high_ms,all_ms,"
                             "false_positives,incomplete");
    table(options, csv, summary, false);
    table(options, csv, summary, true);
    csv_close(csv);
    csv_close(summary);
}
