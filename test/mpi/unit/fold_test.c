/* How offers are folded (mpi/context/context.h): in the tree of an agreement. */
#include "mpi/context/context.h"
#include "test.h"
#include "util/prng.h"

#include <string.h>

static struct offer random_offer(struct knell_prng *prng)
{
    struct offer offer;
    memset(&offer, 0, sizeof offer);
    offer.id = knell_prng_next(prng);
    offer.refused = knell_prng_below(prng, 4) == 0;
    offer.busy = knell_prng_below(prng, 2) == 0;
    for (int i = 0; i < PLACE_SLOTS / 8; i++)
        offer.free_slots[i] = (uint8_t)knell_prng_next(prng);
    for (int i = 0; i < PLACE_SLOTS; i++)
        offer.epoch[i] = (uint8_t)knell_prng_next(prng);
    return offer;
}

static struct offer folded(struct offer a, const struct offer *b)
{
    offer_fold((uint8_t *)&a, (const uint8_t *)b, sizeof a);
    return a;
}

TEST(a_fold_has_what_all_have_and_the_largest_epochs)
{
    struct knell_prng prng;
    knell_prng_seed(&prng, 1);
    struct offer a = random_offer(&prng), b = random_offer(&prng), both = folded(a, &b);
    CHECK_EQ_U64(both.id, a.id < b.id ? a.id : b.id);
    CHECK_EQ_U64(both.refused, a.refused || b.refused);
    CHECK_EQ_U64(both.busy, a.busy || b.busy);
    for (int slot = 0; slot < PLACE_SLOTS; slot++) {
        CHECK(offer_has(&both, slot) == (offer_has(&a, slot) && offer_has(&b, slot)));
        CHECK_EQ_U64(both.epoch[slot], a.epoch[slot] > b.epoch[slot] ? a.epoch[slot] : b.epoch[slot]);
    }
}

/* The tree of an agreement may fold in any order, and fold one contribution twice. */
TEST(the_order_of_folding_does_not_matter)
{
    struct knell_prng prng;
    knell_prng_seed(&prng, 2);
    for (int i = 0; i < 100; i++) {
        struct offer a = random_offer(&prng), b = random_offer(&prng), c = random_offer(&prng);
        struct offer ab = folded(a, &b), ba = folded(b, &a), bc = folded(b, &c);
        struct offer left = folded(ab, &c), right = folded(a, &bc), again = folded(ab, &b);
        CHECK(memcmp(&ab, &ba, sizeof ab) == 0);
        CHECK(memcmp(&left, &right, sizeof left) == 0);
        CHECK(memcmp(&again, &ab, sizeof ab) == 0);
    }
}

TEST(what_is_no_offer_is_not_folded)
{
    struct knell_prng prng;
    knell_prng_seed(&prng, 3);
    struct offer a = random_offer(&prng), b = random_offer(&prng), before = a;
    offer_fold((uint8_t *)&a, (const uint8_t *)&b, sizeof a - 1);
    CHECK(memcmp(&a, &before, sizeof a) == 0);
}
