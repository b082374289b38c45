/* Real processes of one host that agree and then leave at the same moment, all but one: to that one each of them has left, and nobody
 * has died. A node may say its farewell in a step that another one's farewell on the host's board has brought. */
#include "test.h"

#include <knell/runtime.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 6, ROUNDS = 25, PATIENCE_MS = 20000 };

static const char key[] = "the secret of this job";

static struct knell_runtime *start(knell_rank rank, const char *meeting)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    struct knell_runtime *runtime = NULL;
    char why[KNELL_RUNTIME_WHY];
    config.rank = rank;
    config.ranks = RANKS;
    config.eta = INT64_C(100000000);
    config.delta = INT64_C(3000000000);
    config.key = key;
    config.key_size = sizeof key;
    config.rendezvous = meeting;
    config.fencing = KNELL_FENCE_TELL;
    if (knell_runtime_start(&config, &runtime, why) != 0)
        fprintf(stderr, "rank %u: %s\n", rank, why);
    return runtime;
}

/* The next fact; false when none comes. */
static bool wait_fact(struct knell_runtime *runtime, struct knell_fact *fact)
{
    for (int left = PATIENCE_MS; left > 0; left -= 100) {
        if (knell_runtime_poll(runtime, fact) == 1)
            return true;
        poll(&(struct pollfd){.fd = knell_runtime_fd(runtime), .events = POLLIN}, 1, 100);
    }
    return false;
}

static bool agree(struct knell_runtime *runtime)
{
    struct knell_fact fact = {0};
    if (knell_runtime_propose(runtime, KNELL_WORLD, KNELL_KIND_AGREE, 0, &(uint8_t){1}, 1, 0) != 0)
        return false;
    while (wait_fact(runtime, &fact))
        if (fact.type == KNELL_FACT_DECIDED)
            return true;
    return false;
}

/* How many left, until all others are gone. */
static int count_farewells(struct knell_runtime *runtime)
{
    int left = 0, failed = 0;
    struct knell_fact fact = {0};
    while (left + failed < RANKS - 1 && wait_fact(runtime, &fact)) {
        left += fact.type == KNELL_FACT_LEFT;
        failed += fact.type == KNELL_FACT_FAILED;
    }
    return left;
}

static _Noreturn void live(knell_rank rank, const char *meeting)
{
    struct knell_runtime *runtime = start(rank, meeting);
    bool well = runtime && agree(runtime);
    if (well && rank == 0)
        well = count_farewells(runtime) == RANKS - 1;
    knell_runtime_stop(runtime);
    _exit(well ? 0 : 1);
}

static void one_round(int number)
{
    char meeting[80];
    pid_t pid[RANKS];
    snprintf(meeting, sizeof meeting, "file:/tmp/knell-farewell-%ld-%d", (long)getpid(), number);
    for (knell_rank rank = 0; rank < RANKS; rank++)
        if ((pid[rank] = fork()) == 0)
            live(rank, meeting);
    for (knell_rank rank = 0; rank < RANKS; rank++) {
        int status = -1;
        REQUIRE(pid[rank] > 0 && waitpid(pid[rank], &status, 0) == pid[rank]);
        CHECK_EQ_I64(status, 0);
    }
}

TEST(who_leaves_with_others_has_not_died)
{
    for (int i = 0; i < ROUNDS; i++)
        one_round(i);
}
