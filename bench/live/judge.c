/* See judge.h. */
#include "judge.h"

#define MS 1000000
enum { LOOK_MS = 10 };

static uint32_t kept(const struct live_part *part)
{
    uint32_t records = atomic_load_explicit(&((struct live_part *)part)->records, memory_order_acquire);
    return records < LIVE_RECORDS ? records : LIVE_RECORDS;
}

/* When `by` first held `rank` for dead, not before `since`; 0: never. */
static int64_t known_since(const struct crew *crew, uint32_t by, uint32_t rank, int64_t since)
{
    const struct live_part *part = &crew->log->part[by];
    for (uint32_t i = 0; i < kept(part); i++)
        if (part->record[i].rank == rank && part->record[i].when >= since)
            return part->record[i].when;
    return 0;
}

static int64_t moment_of(const struct crew *crew, uint32_t victim)
{
    int64_t stepped = crew->log->part[victim].stepped; /* it declared itself dead, a little after it was asked */
    return stepped > crew->member[victim].hurt ? stepped : crew->member[victim].hurt;
}

struct judge_spread judge_victim(const struct crew *crew, uint32_t victim)
{
    struct judge_spread spread = {.first = 1e18};
    int64_t begin = moment_of(crew, victim);
    uint32_t know = 0;
    for (uint32_t by = 0; by < crew->plan.ranks; by++) {
        if (crew->member[by].hurt)
            continue;
        int64_t when = known_since(crew, by, victim, begin);
        spread.missing += when == 0;
        if (when == 0)
            continue;
        double ms = (double)(when - begin) / MS;
        spread.first = ms < spread.first ? ms : spread.first;
        spread.last = ms > spread.last ? ms : spread.last;
        spread.mean += ms;
        know++;
    }
    spread.first = know ? spread.first : 0;
    spread.mean = know ? spread.mean / know : 0;
    return spread;
}

static bool is_false(const struct crew *crew, const struct live_record *record, int64_t since)
{
    int64_t hurt = crew->member[record->rank].hurt;
    return record->when >= since && (hurt == 0 || record->when < hurt);
}

static bool held_falsely(const struct crew *crew, uint32_t rank, int64_t since)
{
    for (uint32_t by = 0; by < crew->plan.ranks; by++) {
        const struct live_part *part = &crew->log->part[by];
        for (uint32_t i = 0; i < kept(part); i++)
            if (part->record[i].rank == rank && is_false(crew, &part->record[i], since))
                return true;
    }
    return false;
}

uint32_t judge_false(const struct crew *crew, int64_t since)
{
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
        count += held_falsely(crew, rank, since);
    return count;
}

bool judge_declared(const struct crew *crew, uint32_t rank, int64_t since)
{
    for (uint32_t by = 0; by < crew->plan.ranks; by++)
        if (by != rank && known_since(crew, by, rank, since))
            return true;
    return false;
}

bool judge_await_all(const struct crew *crew, int64_t limit)
{
    int64_t until = live_now() + limit;
    for (;; live_sleep_until(live_now() + LOOK_MS * MS)) {
        uint32_t missing = 0;
        for (uint32_t rank = 0; rank < crew->plan.ranks; rank++)
            missing += crew->member[rank].hurt && judge_victim(crew, rank).missing;
        if (missing == 0 || live_now() > until)
            return missing == 0;
    }
}
