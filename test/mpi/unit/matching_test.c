/* Matching by the layer (mpi/p2p/anytag.h, stamped.h): communicators that share a duplicate, and receives with MPI_ANY_TAG. */
#include "mpi/abandon/drain.h"
#include "mpi/p2p/anytag.h"
#include "receive.h"
#include "test.h"

enum { PROCESSES = 32, ANY = MPI_ANY_SOURCE, ANY_TAG = MPI_ANY_TAG };

static struct comm *a, *b; /* of one duplicate */
static int number;

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
    a = fake_comm(fake_shared(0), 0);
    b = fake_comm(fake_shared(1), 0);
}

static int arrives(const struct comm *comm, int source, int tag)
{
    receive_arrives(&comm->place, source, tag, ++number);
    return number;
}

static void check_got(struct receive *receive, int wanted, int source, int tag)
{
    CHECK(receive_test(receive));
    CHECK_EQ_I64(receive->code, MPI_SUCCESS);
    CHECK_EQ_I64(receive->number, wanted);
    CHECK_EQ_I64(receive->status.MPI_SOURCE, source);
    CHECK_EQ_I64(receive->status.MPI_TAG, tag);
}

/* Nothing is left of the test before. */
static void check_quiet(void)
{
    while (drain_turn())
        continue;
    CHECK_EQ_I64(fake_waiting(), 0);
    CHECK_EQ_I64(fake_requests(), 0);
    CHECK_EQ_I64(fake_types, 0);
}

TEST(both_share_a_duplicate_and_have_stamps)
{
    CHECK(a->place.context == b->place.context);
    CHECK(a->place.stamp != 0 && b->place.stamp != 0 && a->place.stamp != b->place.stamp);
}

/* ---- picks --------------------------------------------------------------------------------------------------------------------- */

TEST(any_tag_takes_the_first_of_its_own_communicator)
{
    struct receive receive[2];
    int of_b = arrives(b, 1, 7), of_a = arrives(a, 2, 5);
    receive_post(&receive[0], a, ANY, ANY_TAG);
    receive_post(&receive[1], b, ANY, ANY_TAG);
    check_got(&receive[0], of_a, 2, 5);
    check_got(&receive[1], of_b, 1, 7);
    check_quiet();
}

TEST(picks_take_messages_in_the_order_of_posting)
{
    struct receive receive[4];
    receive_post(&receive[0], a, ANY, ANY_TAG);
    receive_post(&receive[1], a, 1, 5); /* a pick too: it is behind one that waits */
    receive_post(&receive[2], a, ANY, 5);
    receive_post(&receive[3], a, 1, ANY_TAG);
    int sent[4];
    for (int i = 0; i < 4; i++)
        sent[i] = arrives(a, 1, 5);
    for (int i = 3; i >= 0; i--)
        check_got(&receive[i], sent[i], 1, 5);
    check_quiet();
}

TEST(a_pick_takes_only_what_fits)
{
    struct receive receive[2];
    receive_post(&receive[0], a, 3, ANY_TAG);
    receive_post(&receive[1], a, ANY, 9);
    int other = arrives(a, 2, 8), ninth = arrives(a, 2, 9);
    CHECK(!receive_test(&receive[0]));
    check_got(&receive[1], ninth, 2, 9);
    int third = arrives(a, 3, 9);
    check_got(&receive[0], third, 3, 9);
    receive_post(&receive[0], a, ANY, ANY_TAG);
    check_got(&receive[0], other, 2, 8);
    check_quiet();
}

TEST(what_is_set_aside_comes_before_what_the_mpi_holds)
{
    struct receive receive[3];
    int older = arrives(b, 1, 5);
    receive_post(&receive[0], a, ANY, ANY_TAG); /* sets aside what is for b */
    CHECK(!receive_test(&receive[0]));
    CHECK_EQ_I64(fake_waiting(), 0);
    int newer = arrives(b, 1, 5);
    receive_post(&receive[1], b, 1, 5);
    receive_post(&receive[2], b, 1, 5);
    check_got(&receive[1], older, 1, 5);
    check_got(&receive[2], newer, 1, 5);
    int last = arrives(a, 4, 4);
    check_got(&receive[0], last, 4, 4);
    check_quiet();
}

TEST(a_receive_with_a_tag_is_native_where_no_pick_waits)
{
    struct receive receive[2];
    receive_post(&receive[0], b, ANY, ANY_TAG);
    receive_post(&receive[1], a, 1, 5);
    int sent = arrives(a, 1, 5);
    CHECK_EQ_I64(fake_waiting(), 0); /* taken on arrival */
    check_got(&receive[1], sent, 1, 5);
    receive_cancel(&receive[0]);
    CHECK(receive_test(&receive[0]) && receive[0].cancelled);
    check_quiet();
}

/* ---- an end without a message ---------------------------------------------------------------------------------------------------- */

TEST(a_cancelled_pick_takes_nothing)
{
    struct receive receive[2];
    receive_post(&receive[0], a, ANY, ANY_TAG);
    receive_post(&receive[1], a, ANY, ANY_TAG);
    receive_cancel(&receive[0]);
    CHECK(receive_test(&receive[0]) && receive[0].cancelled);
    CHECK_EQ_I64(receive[0].code, MPI_SUCCESS);
    int sent = arrives(a, 1, 5);
    check_got(&receive[1], sent, 1, 5);
    check_quiet();
}

TEST(a_pick_whose_message_has_come_is_not_cancelled)
{
    struct receive receive;
    receive_post(&receive, a, ANY, ANY_TAG);
    int sent = arrives(a, 1, 5);
    receive_cancel(&receive);
    check_got(&receive, sent, 1, 5);
    CHECK(!receive.cancelled);
    check_quiet();
}

TEST(a_freed_pick_still_takes_its_message)
{
    struct receive receive, next;
    receive_post(&receive, a, ANY, ANY_TAG);
    mpi_request_free(&receive.request);
    receive_post(&next, a, ANY, ANY_TAG);
    int first = arrives(a, 1, 5), second = arrives(a, 1, 5);
    check_got(&next, second, 1, 5);
    CHECK_EQ_I64(receive.number, first);
    check_quiet();
}

TEST(a_pick_from_a_process_that_dies_ends_and_the_others_go_on)
{
    struct receive receive[3];
    receive_post(&receive[0], a, 31, ANY_TAG);
    receive_post(&receive[1], a, ANY, ANY_TAG);
    receive_post(&receive[2], a, 1, ANY_TAG);
    fake_die(31);
    CHECK(receive_ends(&receive[0]));
    CHECK_EQ_I64(receive[0].code, MPIX_ERR_PROC_FAILED);
    CHECK(!receive_test(&receive[1]));
    CHECK_EQ_I64(receive[1].code, MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(!receive_test(&receive[2]));
    CHECK_EQ_I64(receive[2].code, MPI_SUCCESS);
    int first = arrives(a, 1, 5), second = arrives(a, 1, 6);
    check_got(&receive[1], first, 1, 5);
    check_got(&receive[2], second, 1, 6);
    check_quiet();
}

/* What came before the death is received, by blocking calls too. */
TEST(messages_of_the_dead_are_received_and_then_none)
{
    MPI_Status status;
    int got = 0, sent = arrives(a, 30, 5);
    fake_die(30);
    CHECK_EQ_I64(mpi_recv(&got, sizeof got, MPI_BYTE, 30, ANY_TAG, a->handle, &status), MPI_SUCCESS);
    CHECK_EQ_I64(got, sent);
    CHECK_EQ_I64(status.MPI_TAG, 5);
    CHECK_EQ_I64(mpi_recv(&got, sizeof got, MPI_BYTE, 30, ANY_TAG, a->handle, &status), MPIX_ERR_PROC_FAILED);
    CHECK_EQ_I64(mpi_recv(&got, sizeof got, MPI_BYTE, 30, 5, a->handle, &status), MPIX_ERR_PROC_FAILED);
    check_quiet();
}

TEST(a_pick_whose_sender_dies_in_the_middle_ends)
{
    struct receive receive;
    receive_post(&receive, a, ANY, ANY_TAG);
    fake_stalls = true;
    arrives(a, 29, 5);
    CHECK(!receive_test(&receive));
    fake_die(29);
    CHECK(receive_ends(&receive));
    CHECK_EQ_I64(receive.code, MPIX_ERR_PROC_FAILED);
    fake_stalls = false;
    CHECK_EQ_I64(fake_types, 0);
    CHECK_EQ_I64(fake_requests(), 1); /* the native receive: the MPI keeps it */
}

TEST(a_refused_receive_ends_with_the_error)
{
    struct receive receive;
    int requests = fake_requests();
    receive_post(&receive, b, 1, ANY_TAG);
    fake_refuses = 1;
    arrives(b, 1, 5);
    CHECK(receive_ends(&receive));
    CHECK_EQ_I64(receive.code, MPI_ERR_ARG);
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(picks_of_a_revoked_communicator_end)
{
    struct comm *c = fake_comm(fake_shared(2), 0);
    struct receive receive[2];
    receive_post(&receive[0], c, ANY, ANY_TAG);
    receive_post(&receive[1], c, 1, 5);
    fake_revoke(c->id);
    for (int i = 0; i < 2; i++) {
        CHECK(receive_ends(&receive[i]));
        CHECK_EQ_I64(receive[i].code, MPIX_ERR_REVOKED);
    }
    receive_comm_free(c);
    CHECK_EQ_I64(fake_types, 0);
}
