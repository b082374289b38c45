/* The order of locks (mpi/base/lock.h): a thread that breaks it ends the process, and both names are in the message. */
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a process of its own. Its status; `said` is what it wrote on standard error. */
static int status_of(void (*body)(void), char *said, size_t room)
{
    int ends[2], status = -1;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    ssize_t size = read(ends[0], said, room - 1);
    said[size > 0 ? size : 0] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void check_passes(void (*body)(void))
{
    char said[512];
    CHECK_EQ_I64(status_of(body, said, sizeof said), 0);
    CHECK_STR(said, "");
}

static void check_aborts(void (*body)(void), const char *line)
{
    char said[512];
    int status = status_of(body, said, sizeof said);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ_I64(WTERMSIG(status), SIGABRT);
    CHECK_STR(said, line);
}

static void all_in_order(void)
{
    for (int lock = 0; lock < LOCK_END; lock++)
        lock_take((enum lock)lock);
    for (int lock = 0; lock < LOCK_END; lock++)
        lock_give((enum lock)lock);
    lock_take(LOCK_DRAIN);
}

static void one_after_the_other(void)
{
    for (int lock = LOCK_END; lock-- > 0;) {
        lock_take((enum lock)lock);
        lock_give((enum lock)lock);
    }
}

static void wrong_order(void)
{
    lock_take(LOCK_DISCARD);
    lock_take(LOCK_DRAIN);
}

static void twice(void)
{
    lock_take(LOCK_COMM);
    lock_take(LOCK_COMM);
}

/* Of several that come later, the first is named. */
static void far_apart(void)
{
    lock_take(LOCK_MATCHING);
    lock_take(LOCK_DISCARD);
    lock_take(LOCK_HANDLER);
    lock_take(LOCK_ACKNOWLEDGE);
}

static void tried(void)
{
    lock_take(LOCK_HANDLER);
    if (!lock_try(LOCK_ACKNOWLEDGE) || lock_try(LOCK_HANDLER))
        _exit(1);
    lock_give(LOCK_ACKNOWLEDGE);
    lock_give(LOCK_HANDLER);
    lock_take(LOCK_ACKNOWLEDGE);
}

/* What was tried and got is held like any other. */
static void taken_after_a_try(void)
{
    lock_try(LOCK_CONTEXT);
    lock_take(LOCK_PAST);
}

static void *take_an_earlier_one(void *ignored)
{
    lock_take(LOCK_KEPT);
    lock_give(LOCK_KEPT);
    return ignored;
}

static void held_by_another_thread(void)
{
    pthread_t thread;
    lock_take(LOCK_HANDLER);
    pthread_create(&thread, NULL, take_an_earlier_one, NULL);
    pthread_join(thread, NULL);
}

static void in_a_ghost(void)
{
    atomic_store(&layer_attention, ATTENTION_GHOST);
    lock_take(LOCK_DISCARD);
    lock_take(LOCK_DRAIN);
}

TEST(right_order_passes)
{
    check_passes(all_in_order);
    check_passes(one_after_the_other);
}

TEST(wrong_order_ends_the_process_with_both_names)
{
    self.process = 3;
    check_aborts(wrong_order,
                 "knell: rank 3: lock DRAIN is taken by a thread that holds DISCARD: see src/mpi/base/lock.h\n");
    check_aborts(twice, "knell: rank 3: lock COMM is taken by a thread that holds COMM: see src/mpi/base/lock.h\n");
    check_aborts(far_apart,
                 "knell: rank 3: lock ACKNOWLEDGE is taken by a thread that holds MATCHING: see src/mpi/base/lock.h\n");
    self.process = 0;
}

TEST(lock_try_is_free)
{
    check_passes(tried);
    check_aborts(taken_after_a_try,
                 "knell: rank 0: lock PAST is taken by a thread that holds CONTEXT: see src/mpi/base/lock.h\n");
}

TEST(each_thread_has_locks_of_its_own)
{
    check_passes(held_by_another_thread);
}

TEST(ghosts_are_not_checked)
{
    check_passes(in_a_ghost);
}
