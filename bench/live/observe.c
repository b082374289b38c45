/* See observe.h. */
#include "observe.h"

#include <math.h>
#include <signal.h>

#define MS 1000000
#define SECOND 1000000000LL

void observed_free(struct observed *observed)
{
    series_free(&observed->first);
    series_free(&observed->mean);
    series_free(&observed->last);
    series_free(&observed->undisturbed);
    series_free(&observed->packets);
    series_free(&observed->cpu);
    series_free(&observed->pressure);
}

static struct crew_plan plan_of(uint32_t ranks, const struct setting *setting)
{
    return (struct crew_plan){.kind = setting->kind, .ranks = ranks, .eta = setting->eta, .delta = setting->delta};
}

int64_t observe_limit(const struct setting *setting)
{
    return 2 * SECOND + (crew_is_swim(setting->kind) ? 80 * setting->eta : 6 * setting->delta);
}

/* ---- deaths -------------------------------------------------------------------------------------------------------------- */

static void write_row(const struct scene *scene, const struct setting *setting, const struct judge_spread *spread,
                      uint32_t false_positives, const struct machine_span *calm, double cpu,
                      const struct machine_span *span)
{
    fprintf(scene->csv, "%s,%u,%s,%g,%g,%s,%.4f,%.4f,%.4f,%u,%u,%.1f,%.1f,%.4f,%.1f,%.0f,%.2f\n",
            crew_kind_name(setting->kind), scene->ranks, machine_load_name(), (double)setting->eta / MS,
            (double)setting->delta / MS, scene->signal == SIGKILL ? "kill" : "stop", spread->first, spread->mean,
            spread->last, spread->missing, false_positives, calm->datagrams_s, calm->segments_s, cpu, span->pressure,
            span->steal_ms, span->away_ms);
    fflush(scene->csv);
}

/* At a moment that has nothing to do with anybody's period. */
static void wait_for_no_reason(const struct setting *setting)
{
    int64_t pause = 3 * setting->eta > 50 * MS ? 3 * setting->eta : 50 * MS;
    live_sleep_until(live_now() + pause + (int64_t)crew_random((uint64_t)setting->eta));
}

static struct judge_spread one_death(const struct scene *scene, struct crew *crew, const struct setting *setting)
{
    uint32_t victim = crew_pick(crew);
    wait_for_no_reason(setting);
    crew_hurt(crew, victim, scene->signal);
    judge_await_all(crew, observe_limit(setting));
    return judge_victim(crew, victim);
}

static void add(struct observed *observed, const struct judge_spread *spread, const struct machine_span *span)
{
    if (spread->missing) {
        observed->incomplete++;
        return;
    }
    series_add(&observed->first, spread->first);
    series_add(&observed->mean, spread->mean);
    series_add(&observed->last, spread->last);
    if (span->away_ms < 1)
        series_add(&observed->undisturbed, spread->last);
    series_add(&observed->pressure, span->pressure);
}

static struct machine_span calm_before(const struct crew *crew, const struct setting *setting, double *cpu)
{
    int64_t calm = 10 * setting->eta > SECOND ? 10 * setting->eta : SECOND;
    double before = crew_cpu_s(crew);
    struct machine_mark mark = machine_mark();
    live_sleep_until(live_now() + calm);
    struct machine_span span = machine_since(&mark);
    *cpu = (crew_cpu_s(crew) - before) / span.seconds / crew->plan.ranks * 100;
    return span;
}

void observe_deaths(const struct scene *scene, const struct setting *setting, struct observed *observed)
{
    struct crew_plan plan = plan_of(scene->ranks, setting);
    struct crew crew;
    double cpu;
    if (!crew_start(&crew, &plan)) {
        observed->incomplete++;
        return;
    }
    struct machine_span calm = calm_before(&crew, setting, &cpu);
    series_add(&observed->packets, calm.datagrams_s + calm.segments_s);
    series_add(&observed->cpu, cpu);
    for (unsigned i = 0; i < scene->deaths; i++) {
        struct machine_mark mark = machine_mark();
        struct judge_spread spread = one_death(scene, &crew, setting);
        struct machine_span span = machine_since(&mark);
        add(observed, &spread, &span);
        observed->away_ms = span.away_ms > observed->away_ms ? span.away_ms : observed->away_ms;
        write_row(scene, setting, &spread, judge_false(&crew, crew.began), &calm, cpu, &span);
    }
    observed->false_positives += judge_false(&crew, crew.began);
    crew_end(&crew);
}

void observe_in_turn(const struct scene *scene, const struct setting *setting, size_t count, unsigned rounds,
                     struct observed *observed)
{
    for (unsigned round = 0; round < 2 * rounds; round++)
        for (size_t i = 0; i < count; i++) {
            size_t at = round % 2 ? count - 1 - i : i;
            observe_deaths(scene, &setting[at], &observed[at]);
        }
}

/* ---- windows ------------------------------------------------------------------------------------------------------------- */

uint32_t observe_window(uint32_t ranks, const struct setting *setting, double seconds, bool hasty,
                        struct machine_span *span, double *cpu_percent)
{
    struct crew_plan plan = plan_of(ranks, setting);
    struct crew crew;
    if (!crew_start(&crew, &plan))
        return UINT32_MAX;
    double before = crew_cpu_s(&crew);
    struct machine_mark mark = machine_mark();
    for (int64_t until = live_now() + (int64_t)(seconds * SECOND); live_now() < until;) {
        int64_t next = live_now() + SECOND / 4;
        live_sleep_until(next < until ? next : until);
        if (hasty && judge_false(&crew, crew.began))
            break;
    }
    *span = machine_since(&mark);
    *cpu_percent = (crew_cpu_s(&crew) - before) / span->seconds / ranks * 100;
    uint32_t count = judge_false(&crew, crew.began);
    crew_end(&crew);
    return count;
}

/* ---- stalls -------------------------------------------------------------------------------------------------------------- */

/* Different members of one crew, as one that is held for dead may not come back. */
static bool all_forgiven(uint32_t ranks, const struct setting *setting, int64_t stall, unsigned times)
{
    struct crew_plan plan = plan_of(ranks, setting);
    struct crew crew;
    bool forgiven = crew_start(&crew, &plan);
    if (!forgiven)
        return false;
    for (unsigned i = 0; i < times && forgiven; i++) {
        uint32_t rank = crew_pick(&crew);
        wait_for_no_reason(setting);
        crew_hurt(&crew, rank, SIGSTOP);
        live_sleep_until(crew.member[rank].hurt + stall);
        crew_hurt(&crew, rank, SIGCONT);
        live_sleep_until(live_now() +
                         10 * setting->eta); /* whoever is suspected is declared by then, or has been heard */
        forgiven = !judge_declared(&crew, rank, crew.member[rank].hurt);
    }
    crew_end(&crew);
    return forgiven;
}

double observe_stall(uint32_t ranks, const struct setting *setting, unsigned times)
{
    int low = -1, high = 28; /* low is forgiven, high is not: half an eta is taken for granted, 83 are not */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        int64_t stall = (int64_t)((double)setting->eta / 2 * pow(1.2, middle));
        if (all_forgiven(ranks, setting, stall, times))
            low = middle;
        else
            high = middle;
    }
    return low < 0 ? 0 : (double)setting->eta / 2 * pow(1.2, low) / MS;
}
