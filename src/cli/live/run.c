/* live_run: the order of a run of `knell live`, and its log: meet, live and be struck, count, leave. */
#include "cli/common/ending.h"
#include "cli/live/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS KNELL__LIVE_MS
#define LOOK (20 * MS) /* between two looks at the notes */

/* ---- what happened ----------------------------------------------------------------------------------------------------- */

/* The first to say so is shown; the table has the others. */
static bool is_news(const struct knell__live_log *log, const struct knell__live_note *note)
{
    if (note->word != KNELL__LIVE_FAILED)
        return false;
    for (const struct knell__live_note *earlier = log->note; earlier < note; earlier++)
        if (earlier->word == KNELL__LIVE_FAILED && earlier->as.failed.rank == note->as.failed.rank)
            return false;
    return true;
}

static void show_fact(const struct knell__live_run *run, const struct knell__live_note *note)
{
    fprintf(run->show, "%10.4f s  rank %" PRIu32 " is dead, says rank %" PRIu32 " (%s)\n",
            (double)(note->when - run->log->begin) * 1e-9, note->as.failed.rank, note->as.failed.by,
            knell_why_text(note->as.failed.why));
}

static int add_note(struct knell__live_run *run, const struct knell__live_note *note)
{
    struct knell__live_log *log = run->log;
    if (log->count == log->room) {
        size_t room = log->room ? 2 * log->room : 1024;
        struct knell__live_note *grown = realloc(log->note, room * sizeof *grown);
        if (!grown)
            return knell__cli_broken(run->usage, "no memory for the log");
        log->note = grown;
        log->room = room;
    }
    log->note[log->count++] = *note;
    run->started += note->word == KNELL__LIVE_STARTED;
    run->counted += note->word == KNELL__LIVE_COUNTED;
    if (note->word == KNELL__LIVE_BROKEN)
        return knell__cli_broken(run->usage, "rank %" PRIu32 ": %s", note->rank,
                                 knell__live_notes_why(run->notes, note->rank));
    return KNELL_EXIT_OK;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct knell__live_note *)a)->when, y = ((const struct knell__live_note *)b)->when;
    return (x > y) - (x < y);
}

static void read_notes(struct knell__live_run *run)
{
    struct knell__live_log *log = run->log;
    struct knell__live_note note;
    size_t before = log->count;
    for (knell_rank rank = 0; rank < (knell_rank)run->plan->ranks; rank++)
        while (run->status == KNELL_EXIT_OK && knell__live_notes_take(run->notes, rank, &note))
            run->status = add_note(run, &note);
    if (log->count > before)
        qsort(log->note + before, log->count - before, sizeof note, by_time);
    for (size_t i = before; i < log->count && run->show && log->begin && !log->end; i++)
        if (is_news(log, &log->note[i]) && !run->process[log->note[i].rank].cut)
            show_fact(run, &log->note[i]);
}

/* Sleeps until `deadline` or a signal that ends us, but wakes every so often to read what was noted: not for each note, since
 * this would compete for the processors with those it measures. */
static void listen_until(struct knell__live_run *run, int64_t deadline)
{
    do {
        int64_t left = deadline - knell__live_clock();
        left = left < 0 ? 0 : left > LOOK ? LOOK : left;
        int signal = sigtimedwait(&run->ending, NULL, &(struct timespec){.tv_nsec = left});
        run->interrupted = signal > 0 ? signal : run->interrupted;
        read_notes(run);
        knell__live_reap(run);
        if (run->away)
            knell__live_away_look(run->away);
    } while (!run->interrupted && run->status == KNELL_EXIT_OK && knell__live_clock() < deadline);
}

static bool goes_on(const struct knell__live_run *run)
{
    return !run->interrupted && run->status == KNELL_EXIT_OK;
}

/* ---- the order ----------------------------------------------------------------------------------------------------------- */

static void meet(struct knell__live_run *run)
{
    uint32_t ranks = (uint32_t)run->plan->ranks;
    int64_t deadline = knell__live_clock() + run->plan->wait + 2000 * MS;
    while (goes_on(run) && run->started < ranks && run->living == ranks && knell__live_clock() < deadline)
        listen_until(run, knell__live_clock() + 5 * MS);
    if (goes_on(run) && run->started < ranks)
        run->status = knell__cli_broken(run->usage, "%" PRIu32 " of %" PRIu32 " processes did not start",
                                        ranks - run->started, ranks);
}

/* Whether there is nothing more to do, and every survivor has told of every death. Each tells of it once: it is enough to
 * count. */
static bool is_all_known(const struct knell__live_run *run, bool *touched, bool *dead)
{
    const struct knell__injections *injections = &run->plan->injections;
    uint64_t survivors = (uint64_t)run->plan->ranks, deaths = 0, known = 0;
    memset(touched, 0, (size_t)run->plan->ranks);
    memset(dead, 0, (size_t)run->plan->ranks);
    for (size_t i = 0; i < injections->count; i++) {
        const struct knell__injection *injection = &injections->item[i];
        if (!injection->done || (injection->lasts && !injection->resumed))
            return false;
        touched[injection->rank] = true;
        dead[injection->rank] = !injection->lasts || injection->lasts >= run->plan->delta;
    }
    for (int64_t rank = 0; rank < run->plan->ranks; rank++) {
        survivors -= touched[rank];
        deaths += dead[rank];
    }
    for (size_t i = 0; i < run->log->count; i++) {
        const struct knell__live_note *note = &run->log->note[i];
        known += note->word == KNELL__LIVE_FAILED && !touched[note->rank] && dead[note->as.failed.rank];
    }
    return known >= survivors * deaths;
}

/* When the run ends: at the latest after --for, sooner if so wished. */
static int64_t end_of(struct knell__live_run *run)
{
    int64_t end = run->log->begin + run->plan->duration;
    if (!run->settled && run->plan->settle && is_all_known(run, run->touched, run->dead))
        run->settled = knell__live_clock();
    return run->settled && run->settled + run->plan->settle < end ? run->settled + run->plan->settle : end;
}

/* With a scenario there is some time after it, in which what it did last is found. */
static void be_struck(struct knell__live_run *run)
{
    int64_t end;
    while (goes_on(run) && knell__live_clock() < (end = end_of(run))) {
        int64_t next = knell__live_act(run), scenario = run->fail ? knell__live_fail_act(run->fail) : INT64_MAX;
        int64_t look = run->plan->settle ? knell__live_clock() + LOOK : INT64_MAX;
        next = next < look ? next : look;
        next = next < end ? next : end;
        listen_until(run, scenario < next ? scenario : next);
    }
    if (run->fail && goes_on(run))
        listen_until(run, knell__live_clock() + 4 * run->plan->delta + 100 * MS);
}

/* Those that can hear it count, and leave when all have counted: nobody's farewell is in another's counts or view. Until
 * then every word is judged. */
static void part(struct knell__live_run *run)
{
    int64_t most = 2 * run->plan->delta > 1000 * MS ? 2 * run->plan->delta : 1000 * MS;
    int64_t until = knell__live_clock() + most + 2000 * MS;
    knell__live_end_deaf(run);
    close(run->stop[1]);
    run->stop[1] = -1;
    while (goes_on(run) && run->counted < run->living && knell__live_clock() < until)
        listen_until(run, knell__live_clock() + 2 * MS);
    run->log->end = knell__live_clock();
    close(run->leave[1]);
    run->leave[1] = -1;
    until = knell__live_clock() + most + 1000 * MS;
    while (goes_on(run) && run->living > 0 && knell__live_clock() < until)
        listen_until(run, knell__live_clock() + 2 * MS);
}

static void live(struct knell__live_run *run)
{
    meet(run);
    if (!goes_on(run))
        return;
    run->away = knell__live_away_open(run->plan->delta);
    if (run->show)
        fprintf(run->show, "%10.4f s  %" PRId64 " processes%s watch each other\n", 0.0, run->plan->ranks,
                run->log->namespaces ? " on hosts in namespaces" : "");
    run->log->begin = knell__live_clock();
    if (run->fail)
        knell__live_fail_begin(run->fail);
    be_struck(run);
    if (goes_on(run))
        part(run);
    if (run->away)
        knell__live_away_close(run->away, run->log);
}

int knell__live_run(const struct knell_usage *usage, struct knell__live_plan *plan, FILE *show,
                    struct knell__live_log *log)
{
    struct knell__live_run run = {.usage = usage, .plan = plan, .show = show, .log = log};
    sigset_t before;
    run.process = calloc((size_t)plan->ranks, sizeof *run.process);
    run.touched = calloc((size_t)plan->ranks, 2 * sizeof *run.touched);
    if (!run.process || !run.touched) {
        free(run.process);
        free(run.touched);
        return knell__cli_broken(usage, "no memory for -n %" PRId64, plan->ranks);
    }
    run.dead = run.touched + plan->ranks;
    if (plan->fail)
        run.fail = knell__live_fail_open(&run, &run.status);
    knell__ending_signals(&run.ending);
    sigprocmask(SIG_BLOCK, &run.ending, &before);
    if (run.status == KNELL_EXIT_OK) {
        run.status = knell__live_make(&run);
        if (run.status == KNELL_EXIT_OK)
            live(&run);
        knell__live_end_all(&run);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    knell__live_fail_close(run.fail);
    free(run.process);
    free(run.touched);
    if (run.status == KNELL_EXIT_OK && run.interrupted) {
        knell__cli_broken(usage, "interrupted; all processes are ended");
        run.status = 128 + run.interrupted;
    }
    if (log->count)
        qsort(log->note, log->count, sizeof *log->note, by_time);
    return run.status;
}
