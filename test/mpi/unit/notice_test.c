/* Notices (mpi/abandon/notice.h): what processes tell each other beside the program's messages. */
#include "fake.h"
#include "mpi/abandon/notice.h"
#include "test.h"

#include <string.h>

enum { PROCESSES = 16, ME = 2, HEARD_MOST = 8 };

static struct {
    int source;
    struct notice notice;
} heard[HEARD_MOST];
static int heards;

static void hear(int source, const struct notice *notice)
{
    heard[heards].source = source;
    heard[heards++].notice = *notice;
}

__attribute__((constructor)) static void begin(void)
{
    fake_begin(ME, PROCESSES);
    for (int kind = 0; kind < NOTICES; kind++)
        notice_heard_by((enum notice_kind)kind, hear);
}

static void start(void)
{
    heards = 0;
    fake_sent_forget();
}

static void comes(int source, int kind, int tag)
{
    struct notice notice = {.kind = kind, .tag = tag};
    fake_arrive(context_wire, source, context_notices_tag(), &notice, sizeof notice);
}

/* ---- out ------------------------------------------------------------------------------------------------------------------------- */

TEST(a_notice_goes_on_the_wire_and_nobody_waits_for_it)
{
    struct notice notice = {.kind = NOTICE_OUT, .tag = 7, .dead = 3, .sequence = 4, .from = 5}, sent;
    start();
    fake_stalls = true;
    notice_send(5, &notice);
    CHECK_EQ_I64(fake_sents, 1);
    CHECK(fake_sent[0].context == context_wire);
    CHECK_EQ_I64(fake_sent[0].to, 5);
    CHECK_EQ_I64(fake_sent[0].tag, context_notices_tag());
    CHECK_EQ_I64(fake_sent[0].size, sizeof notice);
    memcpy(&sent, fake_sent[0].bytes, sizeof sent);
    CHECK(memcmp(&sent, &notice, sizeof sent) == 0);
    CHECK(notice_turn()); /* under way */
    fake_stalls = false;
    CHECK(!notice_turn());
    CHECK_EQ_I64(fake_requests(), 0);
    CHECK_EQ_I64(heards, 0);
}

TEST(a_notice_to_oneself_is_heard_at_once)
{
    start();
    notice_send(ME, &(struct notice){.kind = NOTICE_TAKE, .tag = 9});
    CHECK_EQ_I64(fake_sents, 0);
    CHECK_EQ_I64(heards, 1);
    CHECK_EQ_I64(heard[0].source, ME);
    CHECK_EQ_I64(heard[0].notice.tag, 9);
}

TEST(a_notice_to_the_dead_is_given_up)
{
    start();
    fake_stalls = true;
    notice_send(15, &(struct notice){.kind = NOTICE_OUT});
    notice_send(4, &(struct notice){.kind = NOTICE_OUT});
    CHECK(notice_turn());
    fake_die(15);
    CHECK(notice_turn()); /* that to 4 */
    fake_stalls = false;
    CHECK(!notice_turn());
    CHECK_EQ_I64(fake_requests(), 1); /* the MPI keeps it, and its memory */
}

/* ---- in -------------------------------------------------------------------------------------------------------------------------- */

TEST(notices_are_heard_in_the_order_they_come)
{
    start();
    for (int i = 0; i < 6; i++)
        comes(3 + i % 2, i % NOTICES, i);
    CHECK(!notice_turn());
    CHECK_EQ_I64(heards, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_EQ_I64(heard[i].source, 3 + i % 2);
        CHECK_EQ_I64(heard[i].notice.kind, i % NOTICES);
        CHECK_EQ_I64(heard[i].notice.tag, i);
    }
}

TEST(messages_of_collectives_are_no_notices)
{
    struct notice notice = {.kind = NOTICE_OUT};
    start();
    int waiting = fake_waiting();
    fake_arrive(context_wire, 3, context_agree_tag(), &notice, sizeof notice);
    fake_arrive(comm_world.place.context, 3, context_notices_tag(), &notice, sizeof notice);
    notice_turn();
    CHECK_EQ_I64(heards, 0);
    CHECK_EQ_I64(fake_waiting(), waiting + 2);
}

TEST(a_notice_of_an_unknown_kind_is_not_heard)
{
    start();
    comes(3, NOTICES, 0);
    comes(3, -1, 0);
    comes(3, NOTICE_TAKEN, 1);
    notice_turn();
    CHECK_EQ_I64(heards, 1);
    CHECK_EQ_I64(heard[0].notice.tag, 1);
}

TEST(a_notice_that_the_mpi_refuses_is_lost_and_the_next_is_heard)
{
    start();
    fake_refuses = 1;
    comes(3, NOTICE_OUT, 1);
    notice_turn();
    CHECK_EQ_I64(heards, 0);
    comes(3, NOTICE_OUT, 2);
    notice_turn();
    CHECK_EQ_I64(heards, 1);
    CHECK_EQ_I64(heard[0].notice.tag, 2);
}

TEST(half_a_notice_of_the_dead_is_not_heard_and_holds_up_nobody)
{
    int requests = fake_requests();
    start();
    fake_stalls = true;
    comes(14, NOTICE_OUT, 1);
    comes(3, NOTICE_OUT, 2);
    notice_turn();
    CHECK_EQ_I64(heards, 0);
    fake_die(14);
    notice_turn(); /* gives that up, and begins with the next */
    CHECK_EQ_I64(heards, 0);
    fake_stalls = false;
    notice_turn();
    CHECK_EQ_I64(heards, 1);
    CHECK_EQ_I64(heard[0].source, 3);
    CHECK_EQ_I64(fake_requests(), requests + 1);
}

/* It was there before the death, and is there after. */
TEST(a_whole_notice_of_the_dead_is_heard)
{
    start();
    comes(13, NOTICE_OUT, 1);
    fake_die(13);
    notice_turn();
    CHECK_EQ_I64(heards, 1);
    CHECK_EQ_I64(heard[0].source, 13);
}
