/* run.c: the phases of a run of `knell live`, and its record: the processes meet, some are struck, the survivors
 * count, all leave. */
#include "cli/live/run.h"
#include "cli/common/ending.h"
#include "os/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS LIVE_MS
#define LOOK (20 * MS) /* between two looks at the notes */

/* ---- what happened ----------------------------------------------------------------------------------------------- */

/* Only the first note of a death is shown; the table covers the others. */
static bool is_news(const struct live_record *record, const struct live_note *note)
{
    if (note->word != LIVE_NOTE_FAILED)
        return false;
    for (const struct live_note *earlier = record->note; earlier < note; earlier++)
        if (earlier->word == LIVE_NOTE_FAILED && earlier->as.failed.rank == note->as.failed.rank)
            return false;
    return true;
}

static void show_fact(const struct live_run *run, const struct live_note *note)
{
    fprintf(run->show, "%10.4f s  rank %" PRIu32 " is dead, says rank %" PRIu32 " (%s)\n",
            (double)(note->when - run->record->begin) * 1e-9, note->as.failed.rank, note->as.failed.by,
            knell_why_text(note->as.failed.why));
}

static int add_note(struct live_run *run, const struct live_note *note)
{
    struct live_record *record = run->record;
    if (record->count == record->room) {
        size_t room = record->room ? 2 * record->room : 1024;
        struct live_note *grown = realloc(record->note, room * sizeof *grown);
        if (!grown)
            return cli_failure(run->usage, "no memory for the log");
        record->note = grown;
        record->room = room;
    }
    record->note[record->count++] = *note;
    run->started += note->word == LIVE_NOTE_STARTED;
    run->counted += note->word == LIVE_NOTE_COUNTED;
    if (note->word == LIVE_NOTE_BROKEN)
        return cli_failure(run->usage, "rank %" PRIu32 ": %s", note->rank, live_notes_why(run->notes, note->rank));
    return EXIT_OK;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct live_note *)a)->when, y = ((const struct live_note *)b)->when;
    return (x > y) - (x < y);
}

static void read_notes(struct live_run *run)
{
    struct live_record *record = run->record;
    struct live_note note;
    size_t before = record->count;
    for (knell_rank rank = 0; rank < (knell_rank)run->plan->ranks; rank++)
        while (run->status == EXIT_OK && live_notes_take(run->notes, rank, &note))
            run->status = add_note(run, &note);
    if (record->count > before)
        qsort(record->note + before, record->count - before, sizeof note, by_time);
    for (size_t i = before; i < record->count && run->show && record->begin && !record->end; i++)
        if (is_news(record, &record->note[i]) && !run->process[record->note[i].rank].cut)
            show_fact(run, &record->note[i]);
}

/* Sleeps until `deadline` or a signal that ends the run, and wakes regularly to read notes. It does not wake for
 * each note, since it would then compete for the processors with the processes it measures. */
static void listen_until(struct live_run *run, int64_t deadline)
{
    do {
        int64_t left = deadline - knell__clock_now();
        left = left < 0 ? 0 : left > LOOK ? LOOK : left;
        int signal = sigtimedwait(&run->ending, NULL, &(struct timespec){.tv_nsec = left});
        run->interrupted = signal > 0 ? signal : run->interrupted;
        read_notes(run);
        live_reap(run);
        if (run->watch)
            live_watch_look(run->watch);
    } while (!run->interrupted && run->status == EXIT_OK && knell__clock_now() < deadline);
}

static bool goes_on(const struct live_run *run)
{
    return !run->interrupted && run->status == EXIT_OK;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static void meet(struct live_run *run)
{
    uint32_t ranks = (uint32_t)run->plan->ranks;
    int64_t deadline = knell__clock_now() + run->plan->wait + 2000 * MS;
    while (goes_on(run) && run->started < ranks && run->living == ranks && knell__clock_now() < deadline)
        listen_until(run, knell__clock_now() + 5 * MS);
    if (goes_on(run) && run->started < ranks)
        run->status =
            cli_failure(run->usage, "%" PRIu32 " of %" PRIu32 " processes did not start", ranks - run->started, ranks);
}

/* Is nothing left to do, and has every survivor noted every death? Each survivor notes a death once, so counting
 * suffices. */
static bool is_all_known(const struct live_run *run, bool *touched, bool *dead)
{
    const struct live_injections *injections = &run->plan->injections;
    uint64_t survivors = (uint64_t)run->plan->ranks, deaths = 0, known = 0;
    memset(touched, 0, (size_t)run->plan->ranks);
    memset(dead, 0, (size_t)run->plan->ranks);
    for (size_t i = 0; i < injections->count; i++) {
        const struct live_injection *injection = &injections->item[i];
        if (!injection->done || (injection->lasts && !injection->resumed))
            return false;
        touched[injection->rank] = true;
        dead[injection->rank] = !injection->lasts || injection->lasts >= run->plan->delta;
    }
    for (int64_t rank = 0; rank < run->plan->ranks; rank++) {
        survivors -= touched[rank];
        deaths += dead[rank];
    }
    for (size_t i = 0; i < run->record->count; i++) {
        const struct live_note *note = &run->record->note[i];
        known += note->word == LIVE_NOTE_FAILED && !touched[note->rank] && dead[note->as.failed.rank];
    }
    return known >= survivors * deaths;
}

/* When the run ends: after --for at the latest, sooner with --settle. */
static int64_t end_of(struct live_run *run)
{
    int64_t end = run->record->begin + run->plan->duration;
    if (!run->settled && run->plan->settle && is_all_known(run, run->touched, run->dead))
        run->settled = knell__clock_now();
    return run->settled && run->settled + run->plan->settle < end ? run->settled + run->plan->settle : end;
}

/* A scenario is followed by some time in which the survivors can detect its last fault. */
static void be_struck(struct live_run *run)
{
    int64_t end;
    while (goes_on(run) && knell__clock_now() < (end = end_of(run))) {
        int64_t next = live_act(run), scenario = run->fail ? live_fail_act(run->fail) : INT64_MAX;
        int64_t look = run->plan->settle ? knell__clock_now() + LOOK : INT64_MAX;
        next = next < look ? next : look;
        next = next < end ? next : end;
        listen_until(run, scenario < next ? scenario : next);
    }
    if (run->fail && goes_on(run))
        listen_until(run, knell__clock_now() + 4 * run->plan->delta + 100 * MS);
}

/* The processes that can hear the parent write their counters, and leave when all have done so: no farewell appears
 * in the counters or the view of another process. Until then every note is judged. */
static void part(struct live_run *run)
{
    int64_t most = 2 * run->plan->delta > 1000 * MS ? 2 * run->plan->delta : 1000 * MS;
    int64_t until = knell__clock_now() + most + 2000 * MS;
    live_end_unreachable(run);
    close(run->stop[1]);
    run->stop[1] = -1;
    while (goes_on(run) && run->counted < run->living && knell__clock_now() < until)
        listen_until(run, knell__clock_now() + 2 * MS);
    run->record->end = knell__clock_now();
    close(run->leave[1]);
    run->leave[1] = -1;
    until = knell__clock_now() + most + 1000 * MS;
    while (goes_on(run) && run->living > 0 && knell__clock_now() < until)
        listen_until(run, knell__clock_now() + 2 * MS);
}

static void live(struct live_run *run)
{
    meet(run);
    if (!goes_on(run))
        return;
    run->watch = live_watch_open(run->plan->delta);
    if (run->show)
        fprintf(run->show, "%10.4f s  %" PRId64 " processes%s watch each other\n", 0.0, run->plan->ranks,
                run->record->namespaces ? " on hosts in namespaces" : "");
    run->record->begin = knell__clock_now();
    if (run->fail)
        live_fail_begin(run->fail);
    be_struck(run);
    if (goes_on(run))
        part(run);
    if (run->watch)
        live_watch_close(run->watch, run->record);
}

int live_execute(const struct usage *usage, struct live_plan *plan, FILE *show, struct live_record *record)
{
    struct live_run run = {.usage = usage, .plan = plan, .show = show, .record = record};
    sigset_t before;
    run.process = calloc((size_t)plan->ranks, sizeof *run.process);
    run.touched = calloc((size_t)plan->ranks, 2 * sizeof *run.touched);
    if (!run.process || !run.touched) {
        free(run.process);
        free(run.touched);
        return cli_failure(usage, "no memory for -n %" PRId64, plan->ranks);
    }
    run.dead = run.touched + plan->ranks;
    if (plan->fail)
        run.fail = live_fail_open(&run, &run.status);
    ending_signals(&run.ending);
    sigprocmask(SIG_BLOCK, &run.ending, &before);
    if (run.status == EXIT_OK) {
        run.status = live_start_all(&run);
        if (run.status == EXIT_OK)
            live(&run);
        live_end_all(&run);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    live_fail_close(run.fail);
    free(run.process);
    free(run.touched);
    if (run.status == EXIT_OK && run.interrupted) {
        cli_failure(usage, "interrupted; all processes are ended");
        run.status = 128 + run.interrupted;
    }
    if (record->count)
        qsort(record->note, record->count, sizeof *record->note, by_time);
    return run.status;
}
