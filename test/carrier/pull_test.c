/* Pulling out of a process' memory: a living one, a dead one, one whose number another process has now, one that may not be read. */
#include "arena.h"
#include "carrier/carrier.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { SIZE = 300000 };
static uint8_t into[SIZE];

/* A process of the arena that offers one message and waits to be ended. */
struct sender {
    pid_t pid;
    int fd;
    struct knell_carrier *reader;
    struct knell_carrier_message message;
};

static void offer_and_wait(int fd, int told)
{
    struct knell_carrier *carrier;
    static uint8_t data[SIZE];
    uint64_t ticket;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    payload_fill(data, SIZE, 9);
    if (knell_carrier_join(fd, 2, 0, &carrier) != 0 ||
        knell_carrier_offer(carrier, 1, &(struct knell_carrier_head){0}, data, SIZE, &ticket) != 0 ||
        write(told, "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static bool sender_start(struct sender *sender)
{
    int ends[2];
    char byte;
    if (knell_carrier_make(2, &sender->fd) != 0 || pipe(ends) != 0)
        return false;
    sender->pid = fork();
    if (sender->pid == 0)
        offer_and_wait(sender->fd, ends[1]);
    close(ends[1]);
    bool told = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
    return CHECK(told) && CHECK(knell_carrier_join(sender->fd, 2, 1, &sender->reader) == 0) &&
           CHECK(knell_carrier_look(sender->reader, 0, &sender->message)) &&
           CHECK(knell_carrier_accept(sender->reader, 0, sender->message.ticket));
}

static int pull(struct sender *sender)
{
    memset(into, 0, SIZE);
    return knell_carrier_pull(sender->reader, 0, sender->message.address, into, SIZE);
}

static void sender_kill(struct sender *sender, bool reap)
{
    siginfo_t info;
    kill(sender->pid, SIGKILL);
    waitid(P_PID, (id_t)sender->pid, &info, WEXITED | (reap ? 0 : WNOWAIT));
}

static void sender_end(struct sender *sender)
{
    knell_carrier_leave(sender->reader);
    close(sender->fd);
}

static bool may_read(struct sender *sender)
{
    int code = pull(sender);
    if (code == KNELL_CARRIER_FORBIDDEN)
        printf("process_vm_readv is not permitted here: not tested\n");
    else
        CHECK_EQ_I64(code, 0);
    return code == 0;
}

TEST(the_living_and_the_dead)
{
    struct sender sender;
    REQUIRE(sender_start(&sender));
    bool may = may_read(&sender);
    if (may)
        CHECK(payload_is(into, SIZE, 9));
    sender_kill(&sender, false);
    if (may)
        CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_LOST); /* not waited for yet */
    sender_kill(&sender, true);
    CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_LOST);
    sender_end(&sender);
}

/* Another process has the number: one that has readable memory where the proof was (a fork of the reader), and itself. */
TEST(a_number_given_anew)
{
    struct sender sender, other;
    REQUIRE(sender_start(&sender) && sender_start(&other));
    if (may_read(&sender)) {
        atomic_store(&sender.reader->process[0].pid, other.pid);
        CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_LOST);
        atomic_store(&sender.reader->process[0].pid, getpid());
        CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_LOST);
        /* Its memory there is readable, and is not the proof. */
        sender.reader->process[0].proof_at = (uint64_t)(uintptr_t)into;
        CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_LOST);
    }
    sender_kill(&sender, true), sender_kill(&other, true);
    sender_end(&sender), sender_end(&other);
}

/* What cannot be read though its owner lives is asked for in pieces: no proof was given, or the memory is none. */
TEST(not_to_be_read)
{
    struct sender sender;
    REQUIRE(sender_start(&sender));
    if (may_read(&sender)) {
        sender.message.address = 4096;
        CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_FORBIDDEN);
    }
    atomic_store(&sender.reader->process[0].pid, 0);
    CHECK_EQ_I64(pull(&sender), KNELL_CARRIER_FORBIDDEN);
    sender_kill(&sender, true);
    sender_end(&sender);
}

TEST(nothing_and_from_oneself)
{
    struct arena arena = arena_make(2);
    static uint8_t data[SIZE];
    payload_fill(data, SIZE, 5);
    memset(into, 0, SIZE);
    CHECK_EQ_I64(knell_carrier_pull(arena.carrier[1], 0, 0, NULL, 0), 0);
    CHECK_EQ_I64(knell_carrier_pull(arena.carrier[1], 0, (uint64_t)(uintptr_t)data, into, SIZE), 0);
    CHECK(payload_is(into, SIZE, 5));
    arena_end(&arena);
}
