/* Where supervisors connect to `knell run`: who has the key gets in, once for a rank, however many strangers hold connections open. */
#include "cli/run/run.h"
#include "runtime/address.h"
#include "test.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 2, STRANGERS = 3 * CHANNEL_CALLERS };

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;

static bool begin(void)
{
    memset(rank, 0, sizeof rank);
    plan = (struct run_plan){.ranks = RANKS};
    job = (struct run_job){.plan = &plan, .rank = rank};
    return run_links_open(&job.links, RANKS) && run_links_listen(&job, "127.0.0.1");
}

/* Nobody looks at the door meanwhile. */
static int knock(void)
{
    struct knell__address address;
    if (knell__address_parse(job.links.door.address, &address) != 0)
        return -1;
    int fd = socket(address.as.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, &address.as.any, address.size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int call(void)
{
    int fd = knock();
    if (fd >= 0)
        run_read_reports(&job);
    return fd;
}

/* What has come to the caller; false: nothing, and the door may have closed the connection. */
static bool hear(int fd, void *bytes, size_t size)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 1000) > 0 && recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* The whole handshake, as the supervisor of that rank does it; true: it is welcome. */
static bool shake_hands(int fd, const struct knell__key *key, int number, struct channel_hello *said)
{
    struct channel_challenge challenge;
    struct channel_welcome welcome;
    if (!hear(fd, &challenge, sizeof challenge) || !channel_hello_make(key, &challenge, number, said) ||
        send(fd, said, sizeof *said, MSG_NOSIGNAL) != (ssize_t)sizeof *said)
        return false;
    run_read_reports(&job);
    return hear(fd, &welcome, sizeof welcome) && channel_welcome_check(key, &challenge, said, &welcome);
}

TEST(who_has_the_key_gets_in_once)
{
    struct channel_hello hello;
    REQUIRE(begin());
    int first = call(), second = call();
    CHECK(shake_hands(first, &job.links.door.key, 1, &hello));
    CHECK(job.links.link[1].is_open);
    CHECK(!shake_hands(second, &job.links.door.key, 1, &hello));
    close(first);
    close(second);
    run_links_close(&job.links);
}

TEST(a_rank_that_the_job_does_not_have_is_refused)
{
    struct channel_hello hello;
    REQUIRE(begin());
    static const int numbers[] = {-1, RANKS, 1 << 30};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int fd = call();
        CHECK(!shake_hands(fd, &job.links.door.key, numbers[i], &hello));
        close(fd);
    }
    run_links_close(&job.links);
}

TEST(another_key_is_no_key)
{
    char text[CHANNEL_KEY_TEXT];
    struct knell__key other;
    struct channel_hello hello;
    REQUIRE(begin());
    REQUIRE(channel_key_make(text) && channel_key_read(text, &other));
    int fd = call();
    CHECK(!shake_hands(fd, &other, 0, &hello));
    CHECK(!job.links.link[0].was_open);
    close(fd);
    run_links_close(&job.links);
}

/* The challenge is new each time. */
TEST(what_was_overheard_is_of_no_use)
{
    struct channel_hello hello;
    struct channel_challenge challenge;
    REQUIRE(begin());
    int fd = call(), thief = call();
    CHECK(shake_hands(fd, &job.links.door.key, 0, &hello));
    CHECK(hear(thief, &challenge, sizeof challenge));
    hello.rank = 1;
    CHECK(send(thief, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello);
    run_read_reports(&job);
    CHECK(!hear(thief, &(char){0}, 1));
    CHECK(!job.links.link[1].was_open);
    close(fd);
    close(thief);
    run_links_close(&job.links);
}

/* More idle connections than there are places: some go, a supervisor gets in at its first attempt. */
TEST(strangers_do_not_hold_up_a_start)
{
    int stranger[STRANGERS];
    struct channel_hello hello;
    REQUIRE(begin());
    for (int i = 0; i < STRANGERS; i++) {
        stranger[i] = call();
        CHECK(stranger[i] >= 0);
    }
    int fd = call();
    CHECK(shake_hands(fd, &job.links.door.key, 0, &hello));
    for (int i = 0; i < STRANGERS; i++)
        close(stranger[i]);
    close(fd);
    run_links_close(&job.links);
}

/* All have come before anybody looks, ours first: it is heard before those behind it are let near. */
TEST(strangers_behind_a_supervisor_do_not_push_it_out)
{
    int stranger[STRANGERS];
    struct channel_hello hello;
    REQUIRE(begin());
    int fd = knock();
    for (int i = 0; i < STRANGERS; i++) {
        stranger[i] = knock();
        CHECK(stranger[i] >= 0);
    }
    run_read_reports(&job);
    CHECK(shake_hands(fd, &job.links.door.key, 0, &hello));
    for (int i = 0; i < STRANGERS; i++)
        close(stranger[i]);
    close(fd);
    run_links_close(&job.links);
}

/* Nobody else calls meanwhile. */
TEST(a_stranger_that_says_nothing_goes_after_a_while)
{
    REQUIRE(begin());
    int silent = call();
    CHECK(silent >= 0 && job.links.door.caller[0].fd >= 0);
    run_links_ping(&job);
    CHECK(job.links.door.caller[0].fd >= 0);
    job.links.door.caller[0].since -= INT64_C(6000000000);
    job.links.ping_at = 0;
    run_links_ping(&job);
    CHECK(job.links.door.caller[0].fd < 0);
    close(silent);
    run_links_close(&job.links);
}

TEST(nothing_listens_when_all_are_in)
{
    struct channel_hello hello;
    int fd[RANKS];
    REQUIRE(begin());
    for (int i = 0; i < RANKS; i++) {
        fd[i] = call();
        CHECK(shake_hands(fd[i], &job.links.door.key, i, &hello));
    }
    CHECK(call() < 0);
    for (int i = 0; i < RANKS; i++)
        close(fd[i]);
    run_links_close(&job.links);
}

/* Noise in place of messages ends that connection and no other. */
TEST(noise_ends_one_connection)
{
    struct channel_hello hello;
    char noise[4096];
    REQUIRE(begin());
    int bad = call(), good = call();
    CHECK(shake_hands(bad, &job.links.door.key, 0, &hello));
    CHECK(shake_hands(good, &job.links.door.key, 1, &hello));
    memset(noise, 0x5a, sizeof noise);
    CHECK(send(bad, noise, sizeof noise, MSG_NOSIGNAL) == (ssize_t)sizeof noise);
    run_read_reports(&job);
    CHECK(!job.links.link[0].is_open && rank[0].ended);
    CHECK(job.links.link[1].is_open && !rank[1].ended);
    close(bad);
    close(good);
    run_links_close(&job.links);
}
