/* Whole runtimes, several in one process, over real sockets: start, facts, agreement, revoke, report, leave, fork; and what is
 * wrong with a configuration is said in one sentence and leaves nothing behind. */
#include <knell/runtime.h>

#include "test.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { RANKS = 5, PATIENCE_MS = 20000 };

static const char key[] = "the secret of this job";

struct member {
    struct knell_runtime_config config;
    struct knell_runtime *runtime;
    pthread_t thread;
    int error;
    char why[KNELL_RUNTIME_WHY];
};

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static char meeting[64];

static struct knell_runtime_config config_of(knell_rank rank)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    config.rank = rank;
    config.ranks = RANKS;
    config.eta = 50 * MS;
    config.delta = 1500 * MS;
    config.key = key;
    config.key_size = sizeof key;
    config.rendezvous = meeting;
    config.no_shortcuts = rank < RANKS; /* all: they share a process */
    config.fencing = KNELL_FENCE_TELL;
    return config;
}

static void *start(void *argument)
{
    struct member *member = argument;
    member->error = knell_runtime_start(&member->config, &member->runtime, member->why);
    return NULL;
}

static void configure(struct member *member)
{
    snprintf(meeting, sizeof meeting, "file:/tmp/knell-test-%ld", (long)getpid());
    for (knell_rank i = 0; i < RANKS; i++)
        member[i] = (struct member){.config = config_of(i)};
}

static void start_some(struct member *member, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pthread_create(&member[i].thread, NULL, start, &member[i]);
    for (unsigned i = 0; i < count; i++)
        pthread_join(member[i].thread, NULL);
}

static bool start_all(struct member *member)
{
    configure(member);
    start_some(member, RANKS);
    for (unsigned i = 0; i < RANKS; i++)
        if (!CHECK_EQ_I64(member[i].error, 0)) {
            fprintf(stderr, "rank %u: %s\n", i, member[i].why);
            return false;
        }
    return true;
}

static void *stop(void *argument)
{
    knell_runtime_stop(((struct member *)argument)->runtime);
    return NULL;
}

static void stop_all(struct member *member)
{
    for (unsigned i = 0; i < RANKS; i++)
        pthread_create(&member[i].thread, NULL, stop, &member[i]);
    for (unsigned i = 0; i < RANKS; i++)
        pthread_join(member[i].thread, NULL);
}

/* The next fact of this type, others passed over; false when it does not come. */
static bool wait_fact(struct member *member, enum knell_fact_type type, struct knell_fact *fact)
{
    for (int left = PATIENCE_MS; left > 0; left -= 100) {
        int got;
        while ((got = knell_runtime_poll(member->runtime, fact)) == 1)
            if (fact->type == type)
                return true;
        poll(&(struct pollfd){.fd = knell_runtime_fd(member->runtime), .events = POLLIN}, 1, 100);
    }
    fprintf(stderr, "rank %u waits in vain for a fact of type %d\n", member->config.rank, type);
    return false;
}

TEST(leaves_nothing_open)
{
    struct member member[RANKS];
    unsigned before = open_descriptors();
    REQUIRE(start_all(member));
    CHECK(open_descriptors() > before);
    CHECK(access(meeting + 5, F_OK) != 0); /* the file of the rendezvous is gone */
    stop_all(member);
    CHECK_EQ_U64(open_descriptors(), before);
}

TEST(agreement_and_revoke)
{
    struct member member[RANKS];
    struct knell_fact fact;
    const knell_rank some[] = {1, 2, 4};
    REQUIRE(start_all(member));
    for (unsigned i = 0; i < RANKS; i++) {
        uint8_t flags = (uint8_t) ~(1u << i);
        CHECK_EQ_I64(knell_runtime_propose(member[i].runtime, KNELL_WORLD, KNELL_KIND_AGREE, 0, &flags, 1, 0), 0);
    }
    for (unsigned i = 0; i < RANKS; i++)
        if (CHECK(wait_fact(&member[i], KNELL_FACT_DECIDED, &fact)) && CHECK_EQ_U64(fact.value_size, 1))
            CHECK_EQ_U64(fact.value[0], 0xe0);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ_I64(knell_runtime_group(member[some[i]].runtime, 77, some, 3), 0);
    CHECK_EQ_I64(knell_runtime_revoke(member[2].runtime, 77), 0);
    for (unsigned i = 0; i < 3; i++)
        if (CHECK(wait_fact(&member[some[i]], KNELL_FACT_REVOKED, &fact)))
            CHECK_EQ_U64(fact.group, 77);
    CHECK_EQ_I64(knell_runtime_revoke(member[0].runtime, 77), KNELL_EGROUP);
    CHECK_EQ_I64(knell_runtime_drop(member[1].runtime, 77), 0);
    stop_all(member);
}

/* ---- a way of the program's own ---------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    unsigned put, taken;
    struct {
        knell_rank from, to;
        size_t size;
        uint8_t bytes[1400];
    } item[64];
} cart = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool load(void *context, uint64_t group, enum knell_kind kind, const knell_rank *to, uint32_t count,
                 const void *bytes, size_t size)
{
    CHECK_EQ_U64(group, KNELL_WORLD);
    CHECK_EQ_U64(kind, KNELL_KIND_AGREE);
    pthread_mutex_lock(&cart.lock);
    for (uint32_t i = 0; i < count && cart.put < 64; i++) {
        cart.item[cart.put].from = *(knell_rank *)context;
        cart.item[cart.put].to = to[i];
        cart.item[cart.put].size = size;
        memcpy(cart.item[cart.put++].bytes, bytes, size);
    }
    pthread_mutex_unlock(&cart.lock);
    return true;
}

static void unload(struct member *member)
{
    while (cart.taken < cart.put) {
        unsigned at = cart.taken++;
        CHECK_EQ_I64(knell_runtime_hear(member[cart.item[at].to].runtime, cart.item[at].from, cart.item[at].bytes,
                                        cart.item[at].size),
                     0);
    }
}

/* All who live contribute all bits but their own. */
static void agree(struct member *member, knell_rank dead, uint8_t expected)
{
    struct knell_fact fact;
    for (unsigned i = 0; i < RANKS; i++) {
        uint8_t flags = (uint8_t) ~(1u << i);
        if (i != dead)
            CHECK_EQ_I64(knell_runtime_propose(member[i].runtime, KNELL_WORLD, KNELL_KIND_AGREE, 0, &flags, 1, 0), 0);
    }
    unload(member);
    for (unsigned i = 0; i < RANKS; i++)
        if (i != dead && CHECK(wait_fact(&member[i], KNELL_FACT_DECIDED, &fact)) && CHECK_EQ_U64(fact.value_size, 1))
            CHECK_EQ_U64(fact.value[0], expected);
}

/* While nobody is gone all messages of an agreement go by it, and none after. */
TEST(agreements_are_carried_until_somebody_dies)
{
    struct member member[RANKS];
    knell_rank name[RANKS];
    struct knell_fact fact;
    configure(member);
    for (knell_rank i = 0; i < RANKS; i++) {
        name[i] = i;
        member[i].config.carry = load;
        member[i].config.carry_context = &name[i];
    }
    start_some(member, RANKS);
    for (unsigned i = 0; i < RANKS; i++)
        REQUIRE(member[i].error == 0);
    agree(member, KNELL_NOBODY, 0xe0);
    CHECK_EQ_U64(cart.put, 2 * (RANKS - 1));
    CHECK_EQ_I64(knell_runtime_hear(member[0].runtime, 1, "nonsense", 8), KNELL_EWIRE);
    CHECK_EQ_I64(knell_runtime_hear(member[0].runtime, RANKS, "nonsense", 8), KNELL_EINVAL);
    CHECK_EQ_I64(knell_runtime_suspect(member[0].runtime, 2, KNELL_WHY_HARDWARE), 0);
    for (unsigned i = 0; i < RANKS; i++)
        if (i != 2)
            CHECK(wait_fact(&member[i], KNELL_FACT_FAILED, &fact));
    agree(member, 2, 0xe4);
    CHECK_EQ_U64(cart.put, 2 * (RANKS - 1));
    stop_all(member);
}

TEST(departure_is_no_failure)
{
    struct member member[RANKS];
    struct knell_fact fact;
    struct knell_range range[4];
    size_t count;
    REQUIRE(start_all(member));
    knell_runtime_stop(member[3].runtime);
    for (unsigned i = 0; i < RANKS; i++)
        if (i != 3 && CHECK(wait_fact(&member[i], KNELL_FACT_LEFT, &fact)))
            CHECK_EQ_U64(fact.rank, 3);
    REQUIRE(knell_runtime_view(member[0].runtime, range, 4, &count) == 0);
    CHECK_EQ_U64(count, 1);
    CHECK_EQ_U64(range[0].first, 3);
    CHECK_EQ_I64(knell_runtime_is_gone(member[0].runtime, 3), 1);
    CHECK_EQ_I64(knell_runtime_is_gone(member[0].runtime, 2), 0);
    CHECK_EQ_I64(knell_runtime_view(member[0].runtime, range, 0, &count), KNELL_ESPACE);
    for (unsigned i = 0; i < RANKS; i++)
        if (i != 3)
            knell_runtime_stop(member[i].runtime);
}

/* Who is reported dead is told, and the others know why. */
TEST(reported_from_outside)
{
    struct member member[RANKS];
    struct knell_fact fact;
    REQUIRE(start_all(member));
    CHECK_EQ_I64(knell_runtime_suspect(member[0].runtime, 2, KNELL_WHY_HARDWARE), 0);
    CHECK_EQ_I64(knell_runtime_suspect(member[0].runtime, RANKS, KNELL_WHY_HARDWARE), KNELL_EINVAL);
    for (unsigned i = 0; i < RANKS; i++)
        if (i != 2 && CHECK(wait_fact(&member[i], KNELL_FACT_FAILED, &fact))) {
            CHECK_EQ_U64(fact.rank, 2);
            CHECK(fact.why == KNELL_WHY_HARDWARE || fact.why == KNELL_WHY_TOLD);
        }
    CHECK(wait_fact(&member[2], KNELL_FACT_FENCED, &fact));
    CHECK_EQ_I64(knell_runtime_suspect(member[2].runtime, 0, KNELL_WHY_OPERATOR), KNELL_ESTOPPED);
    stop_all(member);
}

TEST(child_of_fork_is_without)
{
    struct member member[RANKS];
    struct knell_fact fact;
    int status = -1;
    REQUIRE(start_all(member));
    pid_t pid = fork();
    if (pid == 0) {
        bool refused = knell_runtime_poll(member[0].runtime, &fact) == KNELL_ESTOPPED &&
                       knell_runtime_revoke(member[1].runtime, KNELL_WORLD) == KNELL_ESTOPPED &&
                       knell_runtime_is_gone(member[1].runtime, 0) == KNELL_ESTOPPED;
        knell_runtime_stop(member[0].runtime);
        _exit(refused ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    CHECK_EQ_I64(status, 0);
    CHECK_EQ_I64(knell_runtime_revoke(member[1].runtime, KNELL_WORLD), 0);
    CHECK(wait_fact(&member[4], KNELL_FACT_REVOKED, &fact)); /* the parent goes on */
    stop_all(member);
}

/* ---- what may be wrong ------------------------------------------------------------------------------------------------- */

static void expect(const struct member *member, int error, const char *words)
{
    test_context("%s", member->why);
    CHECK_EQ_I64(member->error, error);
    CHECK(strstr(member->why, words) != NULL);
    test_context("%s", "");
}

TEST(wrong_alone)
{
    struct member member[RANKS];
    unsigned before = open_descriptors();
    configure(member);
    member[0].config.delta = member[0].config.eta;
    member[1].config.key_size = 3;
    member[2].config.rank = RANKS;
    member[3].config.rendezvous = "nowhere";
    member[4].config.rendezvous = "127.0.0.1:1";
    member[4].config.rendezvous_wait = 200 * MS;
    for (unsigned i = 0; i < RANKS; i++)
        start(&member[i]);
    expect(&member[0], KNELL_EINVAL, "delta");
    expect(&member[1], KNELL_EINVAL, "key");
    expect(&member[2], KNELL_EINVAL, "rank 5");
    expect(&member[3], KNELL_EINVAL, "nowhere");
    expect(&member[4], KNELL_ETIME, "Connection refused");
    CHECK_EQ_U64(open_descriptors(), before);
}

TEST(wrong_together)
{
    struct member member[RANKS];
    unsigned before = open_descriptors();
    configure(member);
    member[4].config.rank = 3;
    start_some(member, RANKS);
    expect(&member[0], KNELL_EPEER, "rank 3 came twice");
    configure(member);
    member[2].config.eta *= 2;
    start_some(member, RANKS);
    expect(&member[0], KNELL_EPEER, "rank 2 and rank 0 are configured differently");
    expect(&member[2], KNELL_EPEER, "rank 2 and rank 0 are configured differently");
    configure(member);
    for (unsigned i = 0; i < RANKS; i++)
        member[i].config.rendezvous_wait = 1000 * MS;
    member[1].config.key = "another secret of the job";
    start_some(member, RANKS - 1);
    expect(&member[0], KNELL_ETIME, "2 of 5 processes did not come in time: rank 1, 4");
    expect(&member[0], KNELL_ETIME, "wrong key");
    expect(&member[1], KNELL_EPEER, "wrong key");
    CHECK_EQ_U64(open_descriptors(), before);
    CHECK(access(meeting + 5, F_OK) != 0);
}
