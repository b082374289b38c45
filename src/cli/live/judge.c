/* judge.c: compares the record of a run of `knell live` with what was done to the processes. It trusts no detector:
 * a process is dead if the parent killed it, stopped it or cut it off, and a survivor knows of a death if it noted
 * so. */
#include "cli/live/live.h"

#include <stdlib.h>

/* What became of one rank, by the parent's record. */
struct fate {
    bool touched; /* something was done to it */
    bool dead;    /* for certain */
    bool doubted; /* may be considered dead: it was stopped for about delta */
    bool accused; /* a survivor considered it dead, rightly or wrongly, */
    bool wronged; /* and wrongly; it was ended for that */
    int64_t dead_at, doubted_at;
};

struct judge {
    const struct live_plan *plan;
    const struct live_record *record;
    struct live_verdict *verdict;
    struct fate *fate; /* by rank */
};

/* When the other processes could hear it again, by the clock. */
static int64_t heard_again(const struct judge *judge, const struct live_injection *injection)
{
    if (injection->kind != LIVE_STOP || (!injection->resumed && !injection->lasts))
        return INT64_MAX;
    return injection->resumed ? injection->resumed : judge->record->end;
}

/* Must be detected: the process is dead, or was silent for at least delta. */
static bool is_fatal(const struct judge *judge, const struct live_injection *injection)
{
    return injection->done && heard_again(judge, injection) - injection->done >= judge->plan->delta;
}

/* May be detected: a stop can be noticed from delta - eta on, since the last heartbeat is up to eta old. */
static bool may_be_fatal(const struct judge *judge, const struct live_injection *injection)
{
    return injection->done && heard_again(judge, injection) - injection->done > judge->plan->delta - judge->plan->eta;
}

static void find_fates(struct judge *judge)
{
    for (size_t i = 0; i < judge->plan->injections.count; i++) {
        const struct live_injection *injection = &judge->plan->injections.item[i];
        struct fate *fate = &judge->fate[injection->rank];
        fate->touched |= injection->done != 0;
        if (is_fatal(judge, injection) && (!fate->dead || injection->done < fate->dead_at)) {
            fate->dead = true;
            fate->dead_at = injection->done;
        }
        if (may_be_fatal(judge, injection) && (!fate->doubted || injection->done < fate->doubted_at)) {
            fate->doubted = true;
            fate->doubted_at = injection->done;
        }
    }
}

/* Does this note count? It does if its author was alive and connected, and the run had not ended. Notes of dead
 * processes, and of processes that are cut off, are not judged. */
static bool counts(const struct judge *judge, const struct live_note *note)
{
    const struct fate *speaker = &judge->fate[note->rank];
    return note->word == LIVE_NOTE_FAILED && note->when <= judge->record->end &&
           !(speaker->doubted && note->when >= speaker->doubted_at);
}

/* Was the machine away at this time, or within delta before it? */
static bool was_away(const struct judge *judge, int64_t when)
{
    for (size_t i = 0; i < judge->record->absences; i++)
        if (when >= judge->record->absence[i].begin && when <= judge->record->absence[i].end + judge->plan->delta)
            return true;
    return false;
}

/* The first note about each rank decides. */
static void find_false(struct judge *judge)
{
    struct live_verdict *verdict = judge->verdict;
    for (size_t i = 0; i < judge->record->count; i++) {
        const struct live_note *note = &judge->record->note[i];
        struct fate *fate = counts(judge, note) ? &judge->fate[note->as.failed.rank] : NULL;
        if (!fate || fate->accused)
            continue;
        fate->accused = true;
        if (fate->doubted && note->when >= fate->doubted_at)
            continue;
        fate->wronged = true;
        bool away = was_away(judge, note->when);
        verdict->wrong[verdict->wrongs++] = (struct live_false_positive){note, away};
        verdict->false_positives += !away;
        verdict->false_positives_away += away;
    }
}

static const struct live_note *word_of(const struct judge *judge, knell_rank speaker, knell_rank rank)
{
    for (size_t i = 0; i < judge->record->count; i++) {
        const struct live_note *note = &judge->record->note[i];
        if (note->rank == speaker && counts(judge, note) && note->as.failed.rank == rank)
            return note;
    }
    return NULL;
}

/* A process that was stopped for a while does not count: its times say nothing about the protocol. */
static bool is_survivor(const struct judge *judge, knell_rank rank)
{
    return !judge->fate[rank].touched && !judge->fate[rank].accused;
}

static void judge_one(const struct judge *judge, const struct live_injection *injection,
                      struct live_detection *detection)
{
    int64_t first = INT64_MAX;
    bool counted = injection->done && judge->fate[injection->rank].dead_at == injection->done;
    *detection = (struct live_detection){
        .injection = injection, .expected = counted && is_fatal(judge, injection), .by = KNELL_NOBODY};
    for (knell_rank rank = 0; rank < (knell_rank)judge->plan->ranks && injection->done; rank++) {
        if (!is_survivor(judge, rank))
            continue;
        const struct live_note *note = word_of(judge, rank, injection->rank);
        detection->survivors++;
        if (!note)
            continue;
        double seconds = (double)(note->when - injection->done) / 1e9;
        detection->knowing++;
        detection->mean_s += (seconds - detection->mean_s) / detection->knowing;
        detection->last_s = detection->knowing == 1 || seconds > detection->last_s ? seconds : detection->last_s;
        if (note->when < first) {
            first = note->when;
            detection->first_s = seconds;
            detection->by = note->as.failed.by;
            detection->why = note->as.failed.why;
        }
    }
}

/* Is the last view of `rank` exactly the dead and the false positives? The latter are counted elsewhere. */
static bool is_view_right(const struct judge *judge, knell_rank rank, bool *gone)
{
    bool counted = false;
    for (int64_t i = 0; i < judge->plan->ranks; i++)
        gone[i] = false;
    for (size_t i = 0; i < judge->record->count; i++) {
        const struct live_note *note = &judge->record->note[i];
        if (note->rank != rank)
            continue;
        counted |= note->word == LIVE_NOTE_COUNTED;
        for (uint64_t j = note->as.gone.first; note->word == LIVE_NOTE_GONE && j <= note->as.gone.last; j++)
            gone[j] = true;
    }
    for (int64_t i = 0; i < judge->plan->ranks; i++) {
        const struct fate *fate = &judge->fate[i];
        if (gone[i] != (fate->dead || fate->wronged) && fate->dead == fate->doubted)
            return false;
    }
    return counted;
}

static void judge_views(const struct judge *judge, bool *gone)
{
    for (knell_rank rank = 0; rank < (knell_rank)judge->plan->ranks; rank++)
        if (!judge->fate[rank].doubted && !judge->fate[rank].accused)
            judge->verdict->wrong_views += !is_view_right(judge, rank, gone);
}

static void add_up(const struct live_record *record, struct live_verdict *verdict)
{
    uint32_t counted = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct live_note *note = &record->note[i];
        if (note->word != LIVE_NOTE_COUNTED || note->as.counted.span <= 0)
            continue;
        double span = (double)note->as.counted.span * 1e-9, starved = (double)note->as.counted.starved / 1e9;
        int32_t descriptors = note->as.counted.descriptors_grown, kib = note->as.counted.kib_grown;
        counted++;
        verdict->missed_deadlines += note->as.counted.missed;
        verdict->broadcasts += note->as.counted.broadcasts;
        verdict->forwarded += note->as.counted.forwarded;
        verdict->msgs_per_s += (double)note->as.counted.datagrams / span;
        verdict->bytes_per_s += (double)note->as.counted.bytes / span;
        verdict->cpu_percent += ((double)note->as.counted.cpu * 1e-7 / span - verdict->cpu_percent) / counted;
        verdict->starved_s = starved > verdict->starved_s ? starved : verdict->starved_s;
        verdict->descriptors_grown =
            descriptors > verdict->descriptors_grown ? descriptors : verdict->descriptors_grown;
        verdict->kib_grown = kib > verdict->kib_grown ? kib : verdict->kib_grown;
    }
}

bool live_judge(const struct live_plan *plan, const struct live_record *record, struct live_verdict *verdict)
{
    struct judge judge = {.plan = plan, .record = record, .verdict = verdict};
    size_t ranks = (size_t)plan->ranks;
    bool *gone = calloc(ranks, sizeof *gone);
    *verdict = (struct live_verdict){0};
    judge.fate = calloc(ranks, sizeof *judge.fate);
    verdict->detection = calloc(plan->injections.count + 1, sizeof *verdict->detection);
    verdict->wrong = calloc(ranks, sizeof *verdict->wrong);
    bool room = gone && judge.fate && verdict->detection && verdict->wrong;
    if (room) {
        find_fates(&judge);
        find_false(&judge);
        for (size_t i = 0; i < plan->injections.count; i++) {
            struct live_detection *detection = &verdict->detection[i];
            judge_one(&judge, &plan->injections.item[i], detection);
            if (detection->expected)
                verdict->unknown += detection->survivors - detection->knowing;
        }
        judge_views(&judge, gone);
        add_up(record, verdict);
    }
    free(gone);
    free(judge.fate);
    return room;
}

void live_verdict_free(struct live_verdict *verdict)
{
    free(verdict->detection);
    free(verdict->wrong);
}
