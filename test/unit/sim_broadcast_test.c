/* Single broadcasts at larger sizes: message counts, the one-port times the design rests on, and the dead they survive. */
#include "sim/broadcast.h"
#include "test.h"

static struct knell_broadcast_result run(struct knell_broadcast_plan plan, uint64_t key)
{
    struct knell_broadcast_result result;
    struct knell_broadcast_run *run = knell_broadcast_run_new(&plan);
    knell_broadcast_run_one(run, key, &result);
    knell_broadcast_run_free(run);
    return result;
}

TEST(one_port_at_64k)
{
    struct knell_broadcast_plan plan = {.nodes = 64000, .network = KNELL_NETWORK_ONEPORT};
    struct knell_broadcast_result circulant = run(plan, 1);
    plan.overlay = KNELL_OVERLAY_HBA;
    struct knell_broadcast_result hba = run(plan, 1);
    CHECK_EQ_U64(circulant.missed + hba.missed, 0);
    CHECK_NEAR(circulant.messages, 2 * 15 * 64000.0, 0); /* everybody to 2k neighbours */
    CHECK_NEAR(hba.messages, 2 * 15 * (32768 - 1.0), 0); /* 2k (2^k - 1) */
    CHECK_NEAR(circulant.informed_tau, 17, 0);           /* k + 2 */
    CHECK_NEAR(hba.informed_tau, 30, 0);                 /* 2k */
    CHECK_NEAR(hba.all_copies_tau, 45, 0);               /* 3k */
}

TEST(as_many_dead_as_promised)
{
    for (uint64_t key = 0; key < 60; key++) {
        struct knell_broadcast_plan plan = {.nodes = 1000, .dead = 17}; /* k = 9: 2k - 1 */
        CHECK_EQ_U64(run(plan, key).missed, 0);
        plan = (struct knell_broadcast_plan){.nodes = 1024, .dead = 18}; /* k = 10, a power of two: 2k - 2 */
        CHECK_EQ_U64(run(plan, key).missed, 0);
        plan = (struct knell_broadcast_plan){.nodes = 1000, .dead = 8, .overlay = KNELL_OVERLAY_HBA}; /* k - 1 */
        CHECK_EQ_U64(run(plan, key).missed, 0);
    }
}

/* The neighbours of the source all dead: the promise ends where it says. */
TEST(too_many_dead_are_noticed)
{
    uint32_t missed = 0;
    for (uint64_t key = 0; key < 50; key++)
        missed += run((struct knell_broadcast_plan){.nodes = 32, .dead = 24, .overlay = KNELL_OVERLAY_HBA}, key).missed;
    CHECK(missed > 0);
}
