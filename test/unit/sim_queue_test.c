/* The calendar queue against a plain list: same deliveries, in order of time. */
#include "sim/queue.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>

enum { MOST = 5000 };

/* Random puts and takes; delays mostly within the horizon, some far beyond, some for this very instant. */
static void compare(knell_time horizon, uint64_t seed)
{
    static knell_time waiting[MOST];
    struct knell_queue *queue = knell_queue_new(horizon);
    struct knell_prng prng;
    uint32_t count = 0, number = 0;
    knell_time now = 0;
    REQUIRE(queue != NULL);
    knell_prng_seed(&prng, seed);
    for (unsigned step = 0; step < 40000; step++) {
        if (count < MOST && knell_prng_below(&prng, 100) < (step < 30000 ? 52 : 0)) {
            uint64_t kind = knell_prng_below(&prng, 20);
            knell_time delay =
                kind == 0 ? 0 : 1 + (knell_time)knell_prng_below(&prng, (uint64_t)horizon * (kind == 1 ? 50 : 1));
            struct knell_delivery put = {.time = now + delay, .to = number++};
            CHECK(knell_queue_put(queue, now, &put));
            waiting[count++] = put.time;
        } else if (count) {
            uint32_t first = 0;
            for (uint32_t i = 1; i < count; i++)
                if (waiting[i] < waiting[first])
                    first = i;
            CHECK_EQ_I64(knell_queue_next(queue), waiting[first]);
            struct knell_delivery taken = knell_queue_take(queue);
            REQUIRE(test_check_i64(taken.time, waiting[first], __FILE__, __LINE__, "order"));
            now = taken.time;
            waiting[first] = waiting[--count];
        } else {
            now += (knell_time)knell_prng_below(&prng, (uint64_t)horizon * 10000); /* a long silence */
        }
    }
    while (count--)
        knell_queue_take(queue);
    CHECK_EQ_I64(knell_queue_next(queue), KNELL_NEVER);
    knell_queue_free(queue);
}

TEST(orders_by_time_whatever_the_width)
{
    const knell_time horizons[] = {1, 10, 1000, 4094, 100000, 50000000, 4000000000};
    for (unsigned i = 0; i < sizeof horizons / sizeof *horizons; i++) {
        test_context("horizon %lld", (long long)horizons[i]);
        compare(horizons[i], i + 1);
    }
}

/* What is sent first is delivered first, at one instant. */
TEST(keeps_the_order_of_sending_within_an_instant)
{
    struct knell_queue *queue = knell_queue_new(100000);
    for (uint32_t i = 0; i < 1000; i++)
        knell_queue_put(queue, 0, &(struct knell_delivery){.time = 500 + i % 2, .to = i});
    for (uint32_t i = 0; i < 1000; i++)
        CHECK_EQ_U64(knell_queue_take(queue).to, i < 500 ? 2 * i : 2 * (i - 500) + 1);
    knell_queue_free(queue);
}
