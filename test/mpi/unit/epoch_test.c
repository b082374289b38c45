/* Rule 4 of "No message is taken by the wrong communicator" (docs): epochs do not wrap. Every place that a communicator ever gets is
 * gone through; in one process, whose slots are used up at the end. */
#include "fake.h"
#include "mpi/context/context.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { STAMPS = 1 << PLACE_STAMP_BITS, WIRES = 1 << (PLACE_SLOT_BITS + PLACE_EPOCH_BITS) };

static int pool = PLACE_POOL_DEFAULT;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("KNELL_TEST_CONTEXTS");
    if (text) {
        fake_setting("KNELL_CONTEXTS", text);
        pool = atoi(text);
    }
    fake_begin(0, 2);
}

/* ---- which places were there --------------------------------------------------------------------------------------------------- */

struct seen {
    bool mark[PLACE_SLOTS / 2][STAMPS]; /* by duplicate */
    bool wire[WIRES];
    int places;
};

/* True: no message of an earlier communicator can be taken for one of this one. */
static bool is_new(struct seen *seen, const struct place *place)
{
    int stamp = place->stamp / (context_tag_ub + 1), wire = place->wire >> PLACE_SEQUENCE_BITS;
    int number = context_number(place->context);
    if (!CHECK(number >= 0 && number < pool) || !CHECK(stamp >= 0 && stamp < STAMPS) ||
        !CHECK(wire >= 0 && wire < WIRES))
        return false;
    bool is = !seen->mark[number][stamp] && !seen->wire[wire];
    seen->mark[number][stamp] = seen->wire[wire] = true;
    seen->places++;
    return is;
}

static int epochs(int slot)
{
    return slot < pool - PLACE_SHARED ? 1 << PLACE_EPOCH_BITS : 1 << (PLACE_STAMP_BITS - PLACE_SHARE_BITS);
}

/* Those of the world, of self and of notices are not given out. */
static int all_places(void)
{
    int sum = 0;
    for (int slot = 2; slot < PLACE_SLOTS - 1; slot++)
        sum += epochs(slot);
    return sum;
}

TEST(all_places_have_different_stamps_and_tags)
{
    struct seen *seen = calloc(1, sizeof *seen);
    struct offer mine = {.id = 0};
    REQUIRE(seen);
    for (int slot = 2; slot < PLACE_SLOTS - 1; slot++)
        for (int epoch = 0; epoch < epochs(slot); epoch++) {
            struct offer agreed = {.id = 1};
            struct place place;
            agreed.free_slots[slot / 8] = (uint8_t)(1 << slot % 8);
            agreed.epoch[slot] = (uint8_t)epoch;
            test_context("slot %d, epoch %d", slot, epoch);
            REQUIRE(offer_take(&mine, &agreed, &place));
            CHECK(is_new(seen, &place));
            CHECK((place.stamp == 0) == (epoch == 0 && slot < pool - PLACE_SHARED));
            CHECK(place_expected(place.context, place.stamp));
            place_free(&place, false);
        }
    free(seen);
}

TEST(tags_of_notices_and_agreements_are_of_no_communicator)
{
    int slot_bits = PLACE_EPOCH_BITS + PLACE_SEQUENCE_BITS;
    CHECK_EQ_I64(context_notices_tag() >> slot_bits, PLACE_SLOTS - 1);
    CHECK_EQ_I64(context_agree_tag() >> slot_bits, 1);
    CHECK(place_fixed(0).stamp == 0 && place_fixed(1).stamp == 0);
    CHECK(place_fixed(0).context != place_fixed(1).context);
    CHECK(context_wire != place_fixed(0).context && context_number(context_wire) < 0);
}

/* Alone, and all of them dirty. */
static bool create(struct place *place)
{
    struct offer_try try = {.key = 1, .most = PLACE_SLOTS};
    struct offer mine;
    do {
        offer_make(&mine, &try);
        if (offer_take(&mine, &mine, place))
            return true;
    } while (offer_try_next(&try, &mine));
    return false;
}

TEST(no_place_comes_twice_and_then_there_is_none)
{
    struct seen *seen = calloc(1, sizeof *seen);
    struct place place;
    REQUIRE(seen);
    while (seen->places <= all_places() && create(&place)) {
        test_context("place %d: slot %d, epoch %u", seen->places, place.slot, place.epoch);
        REQUIRE(is_new(seen, &place));
        place_free(&place, true);
    }
    CHECK_EQ_I64(seen->places, all_places());
    if (pool == PLACE_POOL_DEFAULT)
        CHECK_EQ_I64(seen->places, 18528); /* docs: 18,000 dirty communicators */
    CHECK(!create(&place));
    free(seen);
}
