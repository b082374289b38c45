/* Slots, epochs and offers (mpi/context/context.h), one process or two at a time. */
#include "fake.h"
#include "members.h"
#include "test.h"

#include <string.h>

enum { OWN = PLACE_POOL_DEFAULT - PLACE_SHARED, LAST = PLACE_SLOTS - 1 };

static const struct offer_try all = {.most = PLACE_SLOTS, .all = true}, first = {.key = 5, .most = PLACE_SLOTS};

static int count(const struct offer *offer)
{
    int sum = 0;
    for (int slot = 0; slot < PLACE_SLOTS; slot++)
        sum += offer_has(offer, slot);
    return sum;
}

static bool are_disjoint(const struct offer *a, const struct offer *b)
{
    for (int slot = 0; slot < PLACE_SLOTS; slot++)
        if (offer_has(a, slot) && offer_has(b, slot))
            return false;
    return true;
}

static struct offer folded(struct offer a, const struct offer *b)
{
    offer_fold((uint8_t *)&a, (const uint8_t *)b, sizeof a);
    return a;
}

/* Takes this very slot, at the epoch that the process offers. */
static struct place take_slot(struct member *member, int slot)
{
    struct offer mine, agreed;
    struct place place;
    member_offer(member, &all, &mine);
    CHECK(offer_has(&mine, slot));
    agreed = mine;
    memset(agreed.free_slots, 0, sizeof agreed.free_slots);
    agreed.free_slots[slot / 8] = (uint8_t)(1 << slot % 8);
    CHECK(member_take(member, &mine, &agreed, &place));
    CHECK_EQ_I64(place.slot, slot);
    return place;
}

static int offered_epoch(struct member *member, int slot)
{
    struct offer mine;
    member_offer(member, &all, &mine);
    member_withdraw(member, &mine);
    return offer_has(&mine, slot) ? mine.epoch[slot] : -1;
}

/* ---- one creation ------------------------------------------------------------------------------------------------------------ */

TEST(slots_of_world_self_and_notices_are_never_offered)
{
    struct member member;
    struct offer mine;
    member_begin(&member, 0, 2);
    member_offer(&member, &all, &mine);
    CHECK_EQ_I64(count(&mine), PLACE_SLOTS - 3);
    CHECK(!offer_has(&mine, 0) && !offer_has(&mine, 1) && !offer_has(&mine, LAST));
    CHECK_EQ_U64(mine.id, UINT64_C(1) << 32);
    member_end(&member);
}

TEST(a_first_offer_leaves_half_for_others)
{
    struct member member;
    struct offer mine;
    member_begin(&member, 3, 4);
    member_offer(&member, &first, &mine);
    CHECK_EQ_I64(count(&mine), (PLACE_SLOTS - 3 + 1) / 2);
    CHECK_EQ_U64(mine.busy, 0);
    CHECK_EQ_U64(mine.id, UINT64_C(4) << 32);
    member_withdraw(&member, &mine);
    member_offer(&member, &(struct offer_try){.most = 3}, &mine);
    CHECK_EQ_I64(count(&mine), 3);
    member_end(&member);
}

TEST(the_lowest_clean_slot_with_a_duplicate_of_its_own_is_taken)
{
    struct member member;
    struct offer mine;
    struct place place;
    member_begin(&member, 0, 2);
    struct place dirty = take_slot(&member, 2);
    member_free(&member, &dirty, true);
    member_offer(&member, &all, &mine);
    CHECK(member_take(&member, &mine, &mine, &place));
    CHECK_EQ_I64(place.slot, 3); /* 2 has ended dirty */
    CHECK_EQ_I64(place.stamp, 0);
    CHECK_EQ_I64(member_number(&member, place.context), 3);
    member_end(&member);
}

TEST(without_one_the_lowest_is_taken)
{
    struct member member;
    struct offer mine, agreed;
    struct place place;
    member_begin(&member, 0, 2);
    member_offer(&member, &all, &mine);
    agreed = mine;
    for (int slot = 0; slot < OWN; slot++)
        agreed.epoch[slot] = 1; /* at another member */
    CHECK(member_take(&member, &mine, &agreed, &place));
    CHECK_EQ_I64(place.slot, 2);
    CHECK_EQ_U64(place.epoch, 1);
    CHECK(place.stamp != 0);
    member_end(&member);
}

TEST(a_taken_slot_is_offered_again_when_it_is_free)
{
    struct member member;
    member_begin(&member, 0, 2);
    struct place place = take_slot(&member, 7);
    CHECK_EQ_I64(offered_epoch(&member, 7), -1);
    CHECK_EQ_I64(offered_epoch(&member, 8), 0); /* of the same offer, not taken */
    member_free(&member, &place, false);
    CHECK_EQ_I64(offered_epoch(&member, 7), 0);
    member_end(&member);
}

TEST(nothing_in_common_takes_nothing_and_withdraws)
{
    struct member member;
    struct offer mine, agreed = {.id = 1};
    struct place place;
    member_begin(&member, 0, 2);
    member_offer(&member, &all, &mine);
    CHECK(!member_take(&member, &mine, &agreed, &place));
    member_offer(&member, &all, &mine);
    CHECK_EQ_I64(count(&mine), PLACE_SLOTS - 3);
    member_end(&member);
}

/* ---- several creations at once ------------------------------------------------------------------------------------------------ */

TEST(creations_at_once_offer_disjoint_parts)
{
    struct member member;
    struct offer offer[4];
    member_begin(&member, 0, 2);
    for (int i = 0; i < 3; i++) {
        member_offer(&member, &(struct offer_try){.key = (uint64_t)i, .most = PLACE_SLOTS}, &offer[i]);
        CHECK(count(&offer[i]) > 0);
        CHECK_EQ_U64(offer[i].busy, i > 0);
        CHECK_EQ_U64(offer[i].id, (UINT64_C(1) << 32) + (uint64_t)i);
        for (int before = 0; before < i; before++)
            CHECK(are_disjoint(&offer[before], &offer[i]));
    }
    member_withdraw(&member, &offer[1]);
    member_offer(&member, &all, &offer[3]);
    CHECK(are_disjoint(&offer[0], &offer[3]) && are_disjoint(&offer[2], &offer[3]));
    CHECK_EQ_I64(count(&offer[0]) + count(&offer[2]) + count(&offer[3]), PLACE_SLOTS - 3);
    member_end(&member);
}

/* Later tries name classes of slots that are the same at all members, whatever is taken there. */
TEST(later_tries_of_two_members_have_something_in_common)
{
    struct member member[2];
    for (int i = 0; i < 2; i++)
        member_begin(&member[i], i, 2);
    take_slot(&member[1], 2); /* so that every second free slot is another one there */
    for (int number = 0; number < 8; number++) {
        struct offer offer[2], agreed;
        for (int i = 0; i < 2; i++)
            member_offer(&member[i], &(struct offer_try){.key = 99, .most = PLACE_SLOTS, .number = number}, &offer[i]);
        agreed = offer[0];
        offer_fold((uint8_t *)&agreed, (const uint8_t *)&offer[1], sizeof agreed);
        test_context("try %d", number);
        CHECK((count(&agreed) > 10) == (number > 0));
        for (int i = 0; i < 2; i++)
            member_withdraw(&member[i], &offer[i]);
    }
    for (int i = 0; i < 2; i++)
        member_end(&member[i]);
}

/* Each creation is always first at one member and second at the other. */
TEST(two_creations_that_take_slots_from_each_other_both_end)
{
    struct member member[2];
    struct offer_try try[2] = {{.key = 1, .most = PLACE_SLOTS}, {.key = 2, .most = PLACE_SLOTS}};
    bool done[2] = {false, false};
    for (int i = 0; i < 2; i++)
        member_begin(&member[i], i, 2);
    for (int round = 0; round < 20 && !(done[0] && done[1]); round++) {
        struct offer offer[2][2], agreed[2];
        struct place place;
        for (int order = 0; order < 2; order++)
            for (int i = 0; i < 2; i++)
                if (!done[i ^ order])
                    member_offer(&member[i], &try[i ^ order], &offer[i ^ order][i]);
        for (int c = 0; c < 2; c++)
            if (!done[c]) {
                agreed[c] = folded(offer[c][0], &offer[c][1]);
                for (int i = 0; i < 2; i++)
                    done[c] = member_take(&member[i], &offer[c][i], &agreed[c], &place);
                CHECK(done[c] || offer_try_next(&try[c], &agreed[c]));
            }
    }
    CHECK(done[0] && done[1]);
    for (int i = 0; i < 2; i++)
        member_end(&member[i]);
}

TEST(tries_end_when_all_was_offered_and_nobody_else_creates)
{
    struct offer_try try = first;
    struct offer quiet = {.busy = 0}, busy = {.busy = 1};
    CHECK(offer_try_next(&try, &busy) && !try.all && try.number == 1);
    CHECK(offer_try_next(&try, &quiet) && try.all);
    CHECK(offer_try_next(&try, &busy) && !try.all);
    CHECK(offer_try_next(&try, &quiet) && try.all);
    CHECK(!offer_try_next(&try, &quiet));
    try = first;
    int tries = 0;
    while (offer_try_next(&try, &busy) && tries < 5000)
        tries++;
    CHECK(tries >= 100 && tries < 5000);
}

/* ---- epochs -------------------------------------------------------------------------------------------------------------------- */

TEST(a_slot_that_ends_dirty_has_a_later_epoch)
{
    struct member member;
    member_begin(&member, 0, 2);
    struct place place = take_slot(&member, 5);
    CHECK_EQ_U64(place.epoch, 0);
    member_free(&member, &place, true);
    CHECK_EQ_I64(offered_epoch(&member, 5), 1);
    struct place later = take_slot(&member, 5);
    CHECK_EQ_U64(later.epoch, 1);
    CHECK(later.context == place.context && later.stamp != place.stamp && later.wire != place.wire);
    member_free(&member, &later, false);
    CHECK_EQ_I64(offered_epoch(&member, 5), 1);
    later.epoch = 40; /* others were further */
    member_free(&member, &later, true);
    CHECK_EQ_I64(offered_epoch(&member, 5), 41);
    member_free(&member, &place, true); /* an older one never lowers it */
    CHECK_EQ_I64(offered_epoch(&member, 5), 41);
    member_end(&member);
}

TEST(only_messages_of_communicators_that_are_here_or_being_made_are_expected)
{
    struct member member;
    struct offer mine;
    int ub = fake_tag_ub >> PLACE_STAMP_BITS;
    member_begin(&member, 0, 2);
    struct place own = take_slot(&member, 5), shared = take_slot(&member, fake_shared(3));
    CHECK(member_expects(&member, own.context, 7));
    CHECK(member_expects(&member, shared.context, shared.stamp) &&
          member_expects(&member, shared.context, shared.stamp + ub));
    CHECK(!member_expects(&member, shared.context, shared.stamp + ub + 1)); /* its next epoch */
    member_free(&member, &shared, true);
    CHECK(!member_expects(&member, shared.context, shared.stamp));
    member_offer(&member, &all, &mine); /* a creation that may take any of the free ones */
    CHECK(member_expects(&member, shared.context, shared.stamp + ub + 1));
    member_withdraw(&member, &mine);
    CHECK(!member_expects(&member, shared.context, shared.stamp + ub + 1));
    member_end(&member);
}

TEST(duplicates_have_numbers_and_all_else_is_the_wire)
{
    struct member member;
    member_begin(&member, 0, 2);
    for (int i = 0; i < PLACE_POOL_DEFAULT; i++)
        CHECK_EQ_I64(member_number(&member, member_numbered(&member, i)), i);
    MPI_Comm wire = member_numbered(&member, -1);
    CHECK_EQ_I64(member_number(&member, wire), -1);
    CHECK(member_numbered(&member, PLACE_POOL_DEFAULT) == wire);
    CHECK_EQ_I64(member_number(&member, member_fixed(&member, 1).context), 1);
    member_end(&member);
}
