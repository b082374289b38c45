/* The detector's threads run in real time where that is permitted, and ordinary ones everywhere else; the program's threads and what
 * it forks stay as they are. */
#include "os/thread.h"

#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct asked {
    bool ordinary;
    int policy, policy_of_child;
};

static int policy_in_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(sched_getscheduler(0));
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *become_prompt(void *argument)
{
    struct asked *asked = argument;
    knell__thread_be_prompt(asked->ordinary);
    asked->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    asked->policy_of_child = policy_in_child();
    return NULL;
}

static struct asked ask(bool ordinary)
{
    struct asked asked = {.ordinary = ordinary};
    pthread_t thread;
    if (CHECK_EQ_I64(knell__thread_start(&thread, become_prompt, &asked), 0))
        pthread_join(thread, NULL);
    return asked;
}

static void *try_real_time(void *permitted)
{
    *(bool *)permitted = sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1}) == 0;
    return NULL;
}

static bool is_permitted(void)
{
    bool permitted = false;
    pthread_t thread;
    if (CHECK_EQ_I64(pthread_create(&thread, NULL, try_real_time, &permitted), 0))
        pthread_join(thread, NULL);
    return permitted;
}

TEST(real_time_where_permitted)
{
    struct asked asked = ask(false);
    CHECK_EQ_I64(asked.policy, is_permitted() ? SCHED_RR : SCHED_OTHER);
    CHECK_EQ_I64(asked.policy_of_child, SCHED_OTHER);
    CHECK_EQ_I64(sched_getscheduler(0), SCHED_OTHER);
}

TEST(ordinary_when_wanted)
{
    CHECK_EQ_I64(ask(true).policy, SCHED_OTHER);
}

/* Somebody who may not: an ordinary user. */
TEST(ordinary_without_the_right)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        bool other = setgid(65534) == 0 && setuid(65534) == 0;
        _exit(other || geteuid() != 0 ? ask(false).policy != (is_permitted() ? SCHED_RR : SCHED_OTHER) : 2);
    }
    CHECK_EQ_I64(waitpid(child, &status, 0), child);
    CHECK_EQ_I64(status, 0);
}

static void *wait_for_lock(void *lock)
{
    knell__thread_be_prompt(false);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* As proc(5) has it, field 18: below 0 in real time, lent or own. */
static int priority_now(void)
{
    char text[512], path[64];
    int priority = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", gettid());
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
        sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %d", &priority);
    if (file)
        fclose(file);
    return priority;
}

/* A thread of the program that holds the lock runs in real time while one of the detector's waits for it. */
TEST(who_holds_the_lock_is_hurried)
{
    pthread_mutex_t lock;
    pthread_t thread;
    if (!is_permitted())
        return;
    knell__lock_make(&lock);
    pthread_mutex_lock(&lock);
    CHECK(priority_now() >= 0);
    if (CHECK_EQ_I64(knell__thread_start(&thread, wait_for_lock, &lock), 0)) {
        for (int looks = 0; looks < 100000 && priority_now() >= 0; looks++)
            sched_yield();
        CHECK(priority_now() < 0);
        pthread_mutex_unlock(&lock);
        CHECK(priority_now() >= 0);
        pthread_join(thread, NULL);
    }
    pthread_mutex_destroy(&lock);
}
