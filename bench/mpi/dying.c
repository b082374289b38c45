/* See dying.h. */
#include "dying.h"

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct order {
    int count;
    pid_t pid[DYING_MOST];
};

const char *volatile dying_at = "the beginning";

int64_t dying_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int64_t dying_moment(void)
{
    return dying_now() % (DYING_SOON_MS * INT64_C(1000000));
}

void *dying_map(const char *file, size_t size)
{
    int fd = open(file, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        return NULL;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

void dying_give_up(const char *why)
{
    fprintf(stderr, "bench-mpi: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- the limit --------------------------------------------------------------------------------------------------------------- */

static void too_long(int number)
{
    char line[120];
    (void)number;
    int size = snprintf(line, sizeof line, "bench-mpi: process %d hangs at %s\n", (int)getpid(), dying_at);
    ssize_t written = write(2, line, (size_t)size);
    (void)written;
    _exit(99);
}

void dying_limit(unsigned seconds)
{
    signal(SIGALRM, too_long);
    alarm(seconds);
}

/* ---- the killer -------------------------------------------------------------------------------------------------------------- */

static void send_all(const struct order *order, int number)
{
    for (int i = 0; i < order->count; i++)
        kill(order->pid[i], number);
}

static _Noreturn void be_killer(int orders, int number, int64_t *died)
{
    struct order order;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(orders, &order, sizeof order) == sizeof order) {
        nanosleep(&(struct timespec){.tv_nsec = dying_moment()}, NULL); /* there is nothing to wait for */
        *died = dying_now();
        send_all(&order, number);
        if (number == SIGSTOP && read(orders, &(char){0}, 1) == 0)
            send_all(&order, SIGKILL);
    }
    _exit(0);
}

struct dying_killer dying_hire(int number, int64_t *died)
{
    int ends[2];
    struct dying_killer killer = {.order = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return killer;
    killer.pid = fork();
    if (killer.pid == 0) {
        close(ends[1]);
        be_killer(ends[0], number, died);
    }
    close(ends[0]);
    killer.order = ends[1];
    return killer;
}

void dying_order(const struct dying_killer *killer, const pid_t *pids, int count)
{
    struct order order = {.count = count};
    memcpy(order.pid, pids, (size_t)count * sizeof *pids);
    if (write(killer->order, &order, sizeof order) != sizeof order)
        dying_give_up("there is no killer");
}

void dying_dismiss(struct dying_killer *killer)
{
    if (killer->order < 0)
        return;
    close(killer->order);
    waitpid(killer->pid, NULL, 0);
    killer->order = -1;
}
