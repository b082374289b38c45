/* The board between processes, the kernel's word on an end, and the translation of clocks. */
#include "os/clock.h"
#include "runtime/board.h"
#include "runtime/offset.h"
#include "runtime/watch.h"
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 7, STORES = 200000 };

static struct knell__beat beat_of(int64_t number)
{
    return (struct knell__beat){number, (uint64_t)number * 0x9e3779b97f4a7c15u, (uint32_t)number * 3,
                                (uint32_t)number * 5};
}

TEST(stored_is_loaded)
{
    struct knell__board board, too_small = {0};
    struct knell__beat beat;
    int fd = knell__board_create(RANKS);
    REQUIRE(fd >= 0);
    CHECK_EQ_I64(knell__board_map(&too_small, fd, RANKS - 1), KNELL_EINVAL);
    REQUIRE(knell__board_map(&board, fd, RANKS) == 0);
    CHECK(ftruncate(fd, 0) != 0); /* sealed */
    close(fd);
    CHECK(!knell__board_load(&board, 3, &beat));
    knell__board_store(&board, 3, &(struct knell__beat){5, 6, 7, 8});
    REQUIRE(knell__board_load(&board, 3, &beat));
    CHECK_EQ_I64(beat.emitted, 5);
    CHECK_EQ_U64(beat.digest, 6);
    CHECK_EQ_U64(beat.size, 7);
    CHECK_EQ_U64(beat.thread, 8);
    CHECK(!knell__board_load(&board, 4, &beat));
    knell__board_unmap(&board);
}

/* The writer opens the board through /proc, as the runtime does, and is killed while it stores. */
TEST(lines_are_never_torn)
{
    struct knell__board board;
    int fd = knell__board_create(RANKS);
    pid_t parent = getpid();
    REQUIRE(fd >= 0 && knell__board_map(&board, fd, RANKS) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct knell__board mine;
        int opened = knell__board_open(parent, fd);
        if (opened < 0 || knell__board_map(&mine, opened, RANKS) != 0)
            _exit(1);
        for (int64_t i = 1;; i++)
            knell__board_store(
                &mine, 2,
                &(struct knell__beat){beat_of(i).emitted, beat_of(i).digest, beat_of(i).size, beat_of(i).thread});
    }
    knell_time until = knell__clock_now() + 500000000;
    struct knell__beat beat;
    unsigned loaded = 0, torn = 0;
    int64_t last = 0;
    while (loaded < STORES && knell__clock_now() < until)
        if (knell__board_load(&board, 2, &beat)) {
            struct knell__beat whole = beat_of(beat.emitted);
            loaded++;
            torn += beat.digest != whole.digest || beat.size != whole.size || beat.thread != whole.thread ||
                    beat.emitted < last;
            last = beat.emitted;
        }
    CHECK(loaded > 0);
    CHECK_EQ_U64(torn, 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(fd);
    knell__board_unmap(&board);
}

TEST(an_end_is_seen_at_once)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    struct knell__process process = {.pid = pid}, wrong = {.pid = pid, .started = 1};
    int fd = knell__watch_open(&process);
    REQUIRE(fd >= 0);
    CHECK_EQ_I64(knell__watch_open(&wrong), -1); /* the number of somebody who was born later */
    CHECK(!knell__pidfd_has_ended(fd));
    CHECK(knell__process_silence(&process, 0) == KNELL__SILENCE_STARVED);
    REQUIRE(ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0);
    waitpid(pid, NULL, __WALL);
    CHECK(knell__process_silence(&process, 0) == KNELL__SILENCE_TRACED);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    kill(pid, SIGSTOP);
    waitpid(pid, NULL, WUNTRACED);
    CHECK(knell__process_silence(&process, 0) == KNELL__SILENCE_STOPPED);
    knell__pidfd_kill(fd);
    CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000) == 1);
    CHECK(knell__pidfd_has_ended(fd));
    waitpid(pid, NULL, 0);
    CHECK(knell__process_silence(&process, 0) == KNELL__SILENCE_STOPPED);
    CHECK_EQ_I64(knell__watch_open(&process), -1);
    close(fd);
    struct knell__process self = knell__process_self();
    CHECK_EQ_I64(self.pid, getpid());
    CHECK(self.started > 0);
}

TEST(clocks_are_translated_by_the_fastest_journey)
{
    struct knell__offset offset = {0};
    /* Their clock is 1000 s behind; journeys take 5, 3, 9, then long ones. */
    const knell_time behind = INT64_C(1000000000000);
    CHECK_EQ_I64(knell__offset_translate(&offset, 100, behind + 105), behind + 105);
    CHECK_EQ_I64(knell__offset_translate(&offset, 200, behind + 203), behind + 203);
    CHECK_EQ_I64(knell__offset_translate(&offset, 300, behind + 309), behind + 303);
    /* The least is kept for one span more, then forgotten: clocks drift. */
    knell_time later = KNELL__OFFSET_SPAN + 1000;
    CHECK_EQ_I64(knell__offset_translate(&offset, later, behind + later + 50), behind + later + 3);
    later += KNELL__OFFSET_SPAN + 1000;
    CHECK_EQ_I64(knell__offset_translate(&offset, later, behind + later + 50), behind + later + 50);
}
