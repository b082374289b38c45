/* Messages set aside (mpi/p2p/anytag.h): found by probes, thrown away when their sender gives them up or their communicator ends. */
#include "mpi/abandon/drain.h"
#include "mpi/p2p/anytag.h"
#include "receive.h"
#include "test.h"

enum { PROCESSES = 8, ANY = MPI_ANY_SOURCE, ANY_TAG = MPI_ANY_TAG };

static struct comm *a;
static int number;

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
    a = fake_comm(fake_shared(0), 0);
}

/* With a place of its own on the duplicate of `a`; the test ends it. */
static struct comm *another(void)
{
    static int made;
    return fake_comm(fake_shared(++made), 0);
}

static int arrives(const struct comm *comm, int source, int tag)
{
    receive_arrives(&comm->place, source, tag, ++number);
    return number;
}

/* Takes all that has come off the duplicate. */
static void set_all_aside(void)
{
    struct receive receive;
    receive_post(&receive, a, PROCESSES - 1, ANY_TAG);
    CHECK(!receive_test(&receive));
    receive_cancel(&receive);
    CHECK(receive_test(&receive) && receive.cancelled);
    CHECK_EQ_I64(fake_waiting(), 0);
}

/* Receives to their end what is thrown away. */
static void empty_bin(void)
{
    while (drain_turn())
        continue;
}

static bool probe(const struct comm *comm, int source, int tag, MPI_Status *status)
{
    int flag = 0;
    CHECK_EQ_I64(mpi_iprobe(source, tag, comm->handle, &flag, status), MPI_SUCCESS);
    return flag;
}

static int receive_now(const struct comm *comm, int source, int tag)
{
    struct receive receive;
    receive_post(&receive, comm, source, tag);
    if (receive_test(&receive))
        return receive.number;
    receive_cancel(&receive);
    CHECK(receive_test(&receive));
    return 0;
}

/* ---- probes ---------------------------------------------------------------------------------------------------------------------- */

TEST(probes_find_what_is_set_aside_and_what_is_not)
{
    struct comm *c = another();
    MPI_Status status;
    MPI_Count size = 0;
    int first = arrives(c, 1, 5);
    set_all_aside();
    int second = arrives(c, 2, 6);
    CHECK(probe(c, ANY, ANY_TAG, &status));
    CHECK_EQ_I64(status.MPI_SOURCE, 1);
    CHECK_EQ_I64(status.MPI_TAG, 5);
    native.get_elements_x(&status, MPI_BYTE, &size);
    CHECK_EQ_I64(size, sizeof(int));
    CHECK(probe(c, 2, 6, &status));
    CHECK_EQ_I64(status.MPI_SOURCE, 2);
    CHECK(probe(c, 2, ANY_TAG, &status));
    CHECK_EQ_I64(status.MPI_TAG, 6);
    CHECK(!probe(c, 1, 6, &status) && !probe(c, 3, ANY_TAG, &status) && !probe(a, ANY, ANY_TAG, &status));
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), first);
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), second);
    CHECK(!probe(c, ANY, ANY_TAG, &status));
    receive_comm_free(c);
}

TEST(a_matched_probe_takes_it_from_all_others)
{
    struct comm *c = another();
    MPI_Message message;
    MPI_Status status;
    int flag, got = 0, first = arrives(c, 1, 5), second = arrives(c, 1, 5);
    set_all_aside();
    CHECK_EQ_I64(mpi_improbe(1, 5, c->handle, &flag, &message, &status), MPI_SUCCESS);
    REQUIRE(flag);
    CHECK_EQ_I64(receive_now(c, 1, 5), second);
    CHECK_EQ_I64(mpi_mrecv(&got, sizeof got, MPI_BYTE, &message, &status), MPI_SUCCESS);
    CHECK_EQ_I64(got, first);
    CHECK_EQ_I64(status.MPI_SOURCE, 1);
    CHECK_EQ_I64(status.MPI_TAG, 5);
    receive_comm_free(c);
}

TEST(a_pick_that_waits_comes_before_a_probe)
{
    struct comm *c = another();
    struct receive receive;
    MPI_Status status;
    receive_post(&receive, c, ANY, ANY_TAG);
    int first = arrives(c, 1, 5);
    CHECK(!probe(c, 1, 5, &status));
    CHECK(receive_test(&receive));
    CHECK_EQ_I64(receive.number, first);
    receive_comm_free(c);
}

/* Two slots side by side have the same stamp, on different duplicates. */
TEST(the_same_stamp_on_another_duplicate_is_another_communicator)
{
    struct comm *c = another(), *d = fake_comm(c->place.slot + 1, 0);
    CHECK(c->place.stamp == d->place.stamp && c->place.context != d->place.context);
    int of_c = arrives(c, 1, 5);
    set_all_aside();
    CHECK_EQ_I64(receive_now(d, ANY, ANY_TAG), 0);
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), of_c);
    receive_comm_free(c);
    receive_comm_free(d);
}

/* ---- thrown away ------------------------------------------------------------------------------------------------------------------ */

TEST(what_a_sender_gives_up_is_thrown_away_and_nothing_else)
{
    struct comm *c = another();
    arrives(c, 1, 5);
    int other_source = arrives(c, 2, 5), other_tag = arrives(c, 1, 6);
    arrives(c, 1, 5);
    int other_comm = arrives(a, 1, 5);
    set_all_aside();
    anytag_discard(1, c->place.stamp + 5, c->place.context);
    empty_bin();
    CHECK_EQ_I64(receive_now(c, 1, 5), 0);
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), other_source);
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), other_tag);
    CHECK_EQ_I64(receive_now(a, 1, 5), other_comm);
    CHECK_EQ_I64(fake_requests(), 0);
    receive_comm_free(c);
}

/* Wherever in the list it was: what comes later is still found. */
TEST(the_list_goes_on_after_its_last_is_thrown_away)
{
    struct comm *c = another();
    arrives(c, 1, 5);
    set_all_aside();
    anytag_discard(1, c->place.stamp + 5, c->place.context);
    int later = arrives(c, 1, 6);
    set_all_aside();
    CHECK_EQ_I64(receive_now(c, 1, 6), later);
    arrives(c, 1, 5);
    int last = arrives(c, 1, 7);
    set_all_aside();
    anytag_discard(1, c->place.stamp + 5, c->place.context);
    CHECK_EQ_I64(receive_now(c, ANY, ANY_TAG), last);
    receive_comm_free(c);
}

TEST(a_communicator_that_ends_takes_its_messages_with_it)
{
    struct comm *c = another();
    int slot = c->place.slot;
    struct place old = c->place;
    empty_bin();
    arrives(c, 1, 5);
    int of_a = arrives(a, 1, 5);
    set_all_aside();
    fake_revoke(c->id); /* so that it ends dirty */
    receive_comm_free(c);
    CHECK_EQ_I64(fake_requests(), 1); /* on its way into the bin */
    empty_bin();
    CHECK_EQ_I64(fake_requests(), 0);
    struct comm *next = fake_comm(slot, 1);
    CHECK(next->place.context == old.context && next->place.stamp != old.stamp);
    receive_arrives(&old, 1, 5, ++number); /* late */
    CHECK_EQ_I64(receive_now(next, ANY, ANY_TAG), 0);
    int new = arrives(next, 1, 5);
    CHECK_EQ_I64(receive_now(next, ANY, ANY_TAG), new);
    CHECK_EQ_I64(receive_now(a, ANY, ANY_TAG), of_a);
    empty_bin();
    CHECK_EQ_I64(fake_requests(), 0); /* the late one is thrown away, not kept */
    receive_comm_free(next);
}

TEST(messages_for_a_communicator_that_is_being_made_are_kept)
{
    struct offer offer;
    int slot = fake_shared(40);
    offer_make(&offer, &(struct offer_try){.most = PLACE_SLOTS, .all = true});
    REQUIRE(offer_has(&offer, slot));
    struct place soon = place_fixed(slot);  /* epoch 0 */
    receive_arrives(&soon, 1, 5, ++number); /* another member was quicker */
    int early = number;
    set_all_aside();
    offer_withdraw(&offer);
    struct comm *made = fake_comm(slot, 0);
    CHECK_EQ_I64(receive_now(made, ANY, ANY_TAG), early);
    receive_comm_free(made);
}

TEST(messages_that_nobody_expects_are_thrown_away)
{
    struct place nobody = place_fixed(fake_shared(41));
    receive_arrives(&nobody, 1, 5, ++number);
    set_all_aside();
    CHECK_EQ_I64(fake_requests(), 1); /* on its way into the bin */
    empty_bin();
    CHECK_EQ_I64(fake_requests(), 0);
}
