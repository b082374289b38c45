/* What a host knows before anybody has said it: the kernel's mark on a dead thread's lock, and news on the board. */
#include "os/clock.h"
#include "os/futex.h"
#include "runtime/board.h"
#include "runtime/news.h"
#include "runtime/sentinel.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 5 };

/* ---- sentinels ----------------------------------------------------------------------------------------------------------- */

struct heard {
    _Atomic uint32_t bells, ends, last;
};

static void count_bell(void *context)
{
    struct heard *heard = context;
    atomic_fetch_add(&heard->bells, 1);
    knell__futex_wake_all(&heard->bells);
}

static void count_end(void *context, knell_rank rank)
{
    struct heard *heard = context;
    atomic_store(&heard->last, rank);
    atomic_fetch_add(&heard->ends, 1);
    knell__futex_wake_all(&heard->ends);
}

/* The limit on the whole test ends a wait that does not. */
static void wait_for(_Atomic uint32_t *word, uint32_t value)
{
    for (uint32_t now; (now = atomic_load(word)) != value;)
        knell__futex_wait_any(&(struct knell__futex_wait){word, now}, 1);
}

static void open_board(int fd, struct knell__board *board, struct knell__news *news)
{
    if (!CHECK(knell__board_map(board, fd, RANKS) == 0))
        abort();
    knell__news_open(news, knell__board_wall(board), RANKS);
}

static void start(struct knell__sentinel *sentinel, const struct knell__board *board, const struct knell__news *news,
                  knell_rank self, struct heard *heard)
{
    const struct knell__sentinel_calls calls = {count_bell, count_end, heard};
    memset(sentinel, 0, sizeof *sentinel);
    knell__sentinel_start(sentinel, board, knell__news_bell(news), self, true, &calls);
}

/* A process that stands as rank 2 until it is killed, or leaves when a byte comes. */
static pid_t stand_as_two(int fd, int *leave)
{
    int ends[2];
    if (!CHECK(pipe(ends) == 0))
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        struct knell__board board;
        struct knell__news news;
        struct knell__sentinel sentinel;
        struct heard heard = {0};
        char byte;
        open_board(fd, &board, &news);
        start(&sentinel, &board, &news, 2, &heard);
        ssize_t size = read(ends[0], &byte, 1);
        knell__sentinel_stop(&sentinel);
        _exit(size != 1);
    }
    close(ends[0]);
    *leave = ends[1];
    return pid;
}

TEST(a_killed_process_is_told_and_one_that_leaves_is_not)
{
    if (!knell__sentinel_can())
        return; /* this kernel is too old: the runtime does without */
    for (int kills = 0; kills < 2; kills++) {
        struct knell__board board;
        struct knell__news news;
        struct knell__sentinel sentinel;
        struct heard heard = {0};
        int leave, status, fd = knell__board_create(RANKS);
        REQUIRE(fd >= 0);
        open_board(fd, &board, &news);
        pid_t pid = stand_as_two(fd, &leave);
        start(&sentinel, &board, &news, 1, &heard);
        knell__sentinel_watch(&sentinel, 2); /* perhaps before it stands */
        _Atomic uint32_t *word = &knell__board_lock(&board, 2)->word;
        for (uint32_t now; !((now = atomic_load(word)) & FUTEX_WAITERS);)
            usleep(1000); /* not an event: a bit set without a wake */
        if (kills)
            kill(pid, SIGKILL);
        else
            REQUIRE(write(leave, "x", 1) == 1);
        REQUIRE(waitpid(pid, &status, 0) == pid);
        if (kills) {
            wait_for(&heard.ends, 1);
            CHECK_EQ_U64(heard.last, 2);
        } else {
            knell__news_ring(&news); /* a turn of the sentinel after the leave */
            wait_for(&heard.bells, 1);
            CHECK_EQ_U64(heard.ends, 0);
            CHECK_EQ_U64(*word, 0);
        }
        knell__sentinel_stop(&sentinel);
        knell__board_unmap(&board);
        close(leave);
        close(fd);
    }
}

/* ---- news ---------------------------------------------------------------------------------------------------------------- */

struct taken {
    unsigned count;
    uint64_t label[256];
};

static void take(void *context, const struct knell__news_item *item)
{
    struct taken *taken = context;
    CHECK_EQ_U64(item->size, 8);
    CHECK(memcmp(item->bytes, &item->label, 8) == 0);
    taken->label[taken->count++ % 256] = item->label;
}

static bool post(struct knell__news *news, uint64_t label)
{
    return knell__news_post(news, 1, label, 0, &label, sizeof label);
}

static void *open_wall(struct knell__news *news)
{
    void *wall = aligned_alloc(64, (knell__news_size(RANKS) + 63) / 64 * 64);
    if (!CHECK(wall))
        abort();
    memset(wall, 0, knell__news_size(RANKS));
    knell__news_open(news, wall, RANKS);
    return wall;
}

TEST(news_are_read_once_and_in_order)
{
    struct knell__news news;
    struct taken taken = {0};
    void *wall = open_wall(&news);
    for (uint64_t i = 1; i <= 300; i++) {
        CHECK(post(&news, i));
        CHECK(!post(&news, i));
        knell__news_read(&news, take, &taken);
        REQUIRE(taken.count == i);
        CHECK_EQ_U64(taken.label[(i - 1) % 256], i);
    }
    free(wall);
}

TEST(who_falls_behind_misses_the_oldest)
{
    struct knell__news news, late;
    struct taken taken = {0};
    void *wall = open_wall(&news);
    late = news;
    for (uint64_t i = 1; i <= 1000; i++)
        post(&news, i);
    knell__news_read(&late, take, &taken);
    REQUIRE(taken.count > 0 && taken.count <= late.slots);
    CHECK_EQ_U64(taken.label[taken.count - 1], 1000);
    knell__news_read(&late, take, &taken);
    CHECK_EQ_U64(taken.label[taken.count - 1], 1000);
    free(wall);
}

/* Posters are killed at random moments; what the last one posts is still heard, and nothing torn is. */
TEST(a_poster_that_dies_stops_nobody)
{
    struct knell__news news;
    struct taken taken = {0};
    size_t size = knell__news_size(RANKS);
    void *wall = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(wall != MAP_FAILED);
    knell__news_open(&news, wall, RANKS);
    for (uint64_t round = 0; round < 50; round++) {
        pid_t pid = fork();
        if (pid == 0)
            for (uint64_t i = 1;; i++)
                post(&news, round << 32 | i);
        for (knell_time until = knell__clock_now() + 2000000; knell__clock_now() < until;)
            knell__news_read(&news, take, &taken);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    knell__news_read(&news, take, &taken); /* a slot left unfinished is passed over in time: */
    for (uint64_t i = 1; i <= 2 * news.slots; i++) {
        post(&news, UINT64_MAX - i);
        knell__news_read(&news, take, &taken);
        CHECK_EQ_U64(taken.label[(taken.count - 1) % 256], UINT64_MAX - i);
    }
    munmap(wall, size);
}
