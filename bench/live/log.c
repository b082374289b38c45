/* See log.h. */
#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

size_t live_log_size(uint32_t ranks)
{
    return sizeof(struct live_log) + (size_t)ranks * sizeof(struct live_part);
}

struct live_log *live_log_map(int fd, uint32_t ranks)
{
    void *log = mmap(NULL, live_log_size(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return log == MAP_FAILED ? NULL : log;
}

void live_log_record(struct live_part *part, uint32_t rank)
{
    uint32_t at = atomic_load_explicit(&part->records, memory_order_relaxed);
    if (at < LIVE_RECORDS)
        part->record[at] = (struct live_record){.when = live_now(), .rank = rank};
    atomic_store_explicit(&part->records, at + 1, memory_order_release);
}

void live_log_ready(void)
{
    if (write(LIVE_READY_FD, &(uint64_t){1}, sizeof(uint64_t)) != sizeof(uint64_t))
        _exit(1); /* nobody waits */
}

int64_t live_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

void live_sleep_until(int64_t when)
{
    struct timespec time = {.tv_sec = when / SECOND, .tv_nsec = when % SECOND};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}
