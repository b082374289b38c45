/* judge: who knew what when, from the log and from what the driver did itself; not from any detector's word. */
#ifndef KNELL_BENCH_LIVE_JUDGE_H
#define KNELL_BENCH_LIVE_JUDGE_H

#include "crew.h"

/* Milliseconds from the hurt to the first survivor that held it for dead, the mean over the survivors, the last. Survivors are all that
 * were never hurt. */
struct judge_spread {
    double first, mean, last;
    uint32_t missing; /* survivors that do not know: the numbers are of the others */
};
struct judge_spread judge_victim(const struct crew *crew, uint32_t victim);

/* Ranks held for dead since `since` by somebody, though nobody had hurt them by then. */
uint32_t judge_false(const struct crew *crew, int64_t since);

/* Did any other member hold `rank` for dead since then? */
bool judge_declared(const struct crew *crew, uint32_t rank, int64_t since);

/* Waits until all survivors know of all the hurt, at most so long. */
bool judge_await_all(const struct crew *crew, int64_t limit);

#endif
