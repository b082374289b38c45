/* Sends that are given up (mpi/abandon/drain.h, discard.h): how they are asked for, what is thrown away, and what is kept. */
#include "mpi/abandon/discard.h"
#include "mpi/abandon/drain.h"
#include "mpi/coll/out.h"
#include "mpi/request/request.h"
#include "receive.h"
#include "test.h"

#include <string.h>

enum { PROCESSES = 16, ME = 0 };

static struct comm *comm;

__attribute__((constructor)) static void begin(void)
{
    fake_begin(ME, PROCESSES);
    comm = fake_comm(5, 0); /* a duplicate of its own, no stamp */
}

static void turn_to_the_end(void)
{
    for (int i = 0; i < 3; i++)
        drain_turn();
}

static struct notice notice_of(enum notice_kind kind, MPI_Comm context, int tag)
{
    return (struct notice){.kind = kind, .context = context_number(context), .tag = tag};
}

static void asks(int source, enum notice_kind kind, MPI_Comm context, int tag)
{
    struct notice notice = notice_of(kind, context, tag);
    drain_heard(source, &notice);
}

static void arrives(int source, int tag)
{
    receive_arrives(&comm->place, source, tag, 1);
}

static void check_sent(int number, int to, enum notice_kind kind, MPI_Comm context, int tag)
{
    struct notice notice;
    memcpy(&notice, fake_sent[number].bytes, sizeof notice);
    CHECK_EQ_I64(fake_sent[number].to, to);
    CHECK(fake_sent[number].context == context_wire);
    CHECK_EQ_I64(fake_sent[number].tag, context_notices_tag());
    CHECK_EQ_I64(notice.kind, kind);
    CHECK(context_numbered(notice.context) == context);
    CHECK_EQ_I64(notice.tag, tag);
}

/* ---- messages of collectives --------------------------------------------------------------------------------------------------------- */

/* Is a message of a collective of `of` taken when its sender asks for it? */
static bool is_taken(const struct comm *of)
{
    int tag = of->place.wire + 3, waiting = fake_waiting();
    fake_arrive(context_wire, 3, tag, "", 0);
    asks(3, NOTICE_TAKE, context_wire, tag);
    drain_turn();
    bool taken = fake_waiting() == waiting;
    asks(3, NOTICE_TAKEN, context_wire, tag);
    MPI_Request request;
    int flag;
    if (!taken) {
        native.irecv(NULL, 0, MPI_BYTE, 3, tag, context_wire, &request);
        native.test(&request, &flag, MPI_STATUS_IGNORE);
    }
    turn_to_the_end();
    return taken;
}

/* First: nobody is dead yet. */
TEST(messages_of_a_collective_are_kept_while_this_process_may_receive_them)
{
    struct comm *of = fake_comm(6, 0);
    CHECK(!is_taken(of)); /* one may begin */
    atomic_store(&of->under_way, 1);
    CHECK(!is_taken(of));
    fake_revoke(of->id);
    CHECK(!is_taken(of)); /* still in it */
    atomic_store(&of->under_way, 0);
    CHECK(is_taken(of));
    struct comm gone = {.place = of->place};
    receive_comm_free(of);
    CHECK(is_taken(&gone));
}

TEST(a_ghost_is_out_of_every_collective)
{
    struct comm *of = fake_comm(7, 0);
    atomic_store(&of->under_way, 1);
    CHECK(!is_taken(of));
    atomic_store(&layer_attention, ATTENTION_GHOST);
    CHECK(is_taken(of));
    atomic_store(&layer_attention, 0);
    atomic_store(&of->under_way, 0);
    receive_comm_free(of);
}

/* ---- the sender's end -------------------------------------------------------------------------------------------------------------- */

TEST(asking_and_ending_are_told_to_the_receiver)
{
    fake_sent_forget();
    drain_ask(3, comm->place.context, 77);
    drain_end(3, comm->place.context, 77);
    drain_ask(4, context_wire, 78);
    CHECK_EQ_I64(fake_sents, 3);
    check_sent(0, 3, NOTICE_TAKE, comm->place.context, 77);
    check_sent(1, 3, NOTICE_TAKEN, comm->place.context, 77);
    check_sent(2, 4, NOTICE_TAKE, context_wire, 78);
    turn_to_the_end();
    CHECK_EQ_I64(fake_requests(), 0);
}

TEST(the_dead_are_not_asked_but_ghosts_are)
{
    fake_sent_forget();
    fake_die(15);
    drain_ask(15, comm->place.context, 77);
    CHECK_EQ_I64(fake_sents, 0);
    self.ghosts = true;
    drain_ask(15, comm->place.context, 77);
    CHECK_EQ_I64(fake_sents, 1);
    turn_to_the_end();
    self.ghosts = false;
    struct comm *of = fake_comm(6, 1); /* it is a member: no collective begins any more */
    CHECK(is_taken(of));
    receive_comm_free(of);
}

/* ---- the receiver's end ------------------------------------------------------------------------------------------------------------ */

TEST(what_is_asked_for_is_taken_until_the_end)
{
    int waiting = fake_waiting();
    arrives(3, 7);
    arrives(3, 7);
    asks(3, NOTICE_TAKE, comm->place.context, 7);
    CHECK(drain_turn()); /* goes on: there may be more to come */
    CHECK_EQ_I64(fake_waiting(), waiting);
    arrives(3, 7);
    CHECK(drain_turn());
    CHECK_EQ_I64(fake_waiting(), waiting);
    asks(3, NOTICE_TAKEN, comm->place.context, 7);
    arrives(3, 7);
    turn_to_the_end();
    CHECK(!drain_turn());
    CHECK_EQ_I64(fake_waiting(), waiting + 1);
    CHECK_EQ_I64(fake_requests(), 0);
    asks(3, NOTICE_TAKE, comm->place.context, 7);
    drain_turn();
    asks(3, NOTICE_TAKEN, comm->place.context, 7);
    turn_to_the_end();
}

TEST(only_that_tag_of_that_sender_on_that_context_is_taken)
{
    int waiting = fake_waiting();
    asks(3, NOTICE_TAKE, comm->place.context, 7);
    arrives(4, 7);
    arrives(3, 8);
    receive_arrives(&comm_world.place, 3, 7, 1);
    turn_to_the_end();
    CHECK_EQ_I64(fake_waiting(), waiting + 3);
    asks(3, NOTICE_TAKEN, comm->place.context, 8); /* another one's end */
    asks(4, NOTICE_TAKEN, comm->place.context, 7);
    asks(3, NOTICE_TAKEN, comm_world.place.context, 7);
    arrives(3, 7);
    turn_to_the_end();
    CHECK_EQ_I64(fake_waiting(), waiting + 3);
    asks(3, NOTICE_TAKEN, comm->place.context, 7);
}

TEST(two_that_ask_for_the_same_end_one_by_one)
{
    int waiting = fake_waiting();
    asks(3, NOTICE_TAKE, comm->place.context, 9);
    asks(3, NOTICE_TAKE, comm->place.context, 9);
    asks(3, NOTICE_TAKEN, comm->place.context, 9);
    arrives(3, 9);
    CHECK(drain_turn());
    CHECK_EQ_I64(fake_waiting(), waiting);
    asks(3, NOTICE_TAKEN, comm->place.context, 9);
    turn_to_the_end();
    CHECK(!drain_turn());
}

TEST(the_dead_ask_for_nothing_any_more)
{
    int waiting = fake_waiting();
    asks(14, NOTICE_TAKE, comm->place.context, 7);
    asks(3, NOTICE_TAKE, comm->place.context, 7);
    fake_die(14);
    CHECK(drain_turn());
    arrives(14, 7);
    arrives(3, 7);
    drain_turn();
    CHECK_EQ_I64(fake_waiting(), waiting + 1);
    asks(3, NOTICE_TAKEN, comm->place.context, 7);
    turn_to_the_end();
    CHECK(!drain_turn());
}

TEST(what_the_program_has_matched_is_taken_from_it)
{
    MPI_Message message;
    MPI_Status status;
    int flag, got = 0;
    arrives(3, 11);
    CHECK_EQ_I64(mpi_improbe(3, 11, comm->handle, &flag, &message, &status), MPI_SUCCESS);
    REQUIRE(flag);
    asks(3, NOTICE_TAKE, comm->place.context, 11);
    drain_turn();
    asks(3, NOTICE_TAKEN, comm->place.context, 11);
    turn_to_the_end();
    CHECK_EQ_I64(fake_requests(), 0);
    CHECK_EQ_I64(mpi_mrecv(&got, sizeof got, MPI_BYTE, &message, &status), MPIX_ERR_REVOKED);
    CHECK(message == MPI_MESSAGE_NULL && got == 0);
}

/* ---- thrown away ----------------------------------------------------------------------------------------------------------------------- */

static void discard_one(int source, int size)
{
    static char bytes[100000];
    MPI_Message message;
    MPI_Status status;
    int flag;
    fake_arrive(comm->place.context, source, 20, bytes, size);
    native.improbe(source, 20, comm->place.context, &flag, &message, &status);
    CHECK(flag);
    discard_message(&message, &status);
}

TEST(what_is_thrown_away_is_received_whole_and_waiters_come_by_meanwhile)
{
    int tasks = atomic_load(&layer_tasks);
    fake_stalls = true;
    discard_one(3, 100000);
    discard_one(4, 0);
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks + 2);
    CHECK(discard_turn());
    CHECK_EQ_I64(fake_requests(), 2);
    fake_stalls = false;
    CHECK(!discard_turn());
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
    CHECK_EQ_I64(fake_requests(), 0);
}

TEST(what_the_mpi_refuses_is_forgotten)
{
    int tasks = atomic_load(&layer_tasks);
    fake_refuses = 1;
    discard_one(3, 10);
    CHECK(!discard_turn());
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
}

TEST(of_a_sender_that_died_nothing_more_is_waited_for)
{
    int tasks = atomic_load(&layer_tasks);
    fake_stalls = true;
    discard_one(13, 10);
    CHECK(discard_turn());
    fake_die(13);
    CHECK(!discard_turn());
    fake_stalls = false;
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
}
