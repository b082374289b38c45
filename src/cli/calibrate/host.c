/* host.c: the measurement on one host. Processes form a ring and each sends datagrams to the next, as a detector
 * does: one thread that sleeps until a datagram arrives or its own next one is due. */
#include "cli/calibrate/calibrate.h"
#include "os/clock.h"
#include "os/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define AHEAD (100 * MS) /* the start is so far ahead that all processes are there */
#define GRACE (200 * MS) /* for datagrams that are under way at the end */

/* One for each process, in memory that all share. */
struct part {
    uint64_t sent, refused;
    size_t count;
    size_t room;
    struct calibrate_lateness *one;
};

struct ring {
    const struct calibrate_plan *plan;
    struct knell__key key;
    struct knell__address *address;
    int *fd;
    pid_t *pid;
    struct part *part;
    void *memory;
    size_t memory_size;
    int64_t begin, end;
};

/* ---- a process --------------------------------------------------------------------------------------------------- */

static void hear(struct ring *ring, knell_rank self)
{
    struct part *part = &ring->part[self];
    struct calibrate_datagram timed;
    uint8_t kind;
    for (int got; (got = calibrate_datagram_receive(&ring->key, ring->fd[self], self, (uint32_t)ring->plan->ranks,
                                                    &kind, &timed, NULL)) != 0;) {
        int64_t now = knell__clock_now();
        part->refused += got < 0;
        if (got > 0 && part->count < part->room)
            part->one[part->count++] = (struct calibrate_lateness){now - timed.due, timed.sent - timed.due};
    }
}

/* Sends also the datagrams that were due while the process did not run, each with its own due time. Otherwise one
 * long absence would count as one late heartbeat, whatever its length. */
static int64_t send_due(struct ring *ring, knell_rank self, int64_t next)
{
    knell_rank to = (knell_rank)((self + 1) % ring->plan->ranks);
    for (int64_t now; next < ring->end && next <= (now = knell__clock_now()); next += ring->plan->every) {
        calibrate_datagram_send(&ring->key, ring->fd[self], self, to, KNELL__FRAME_BEAT,
                                &(struct calibrate_datagram){next, now, 0}, &ring->address[to]);
        ring->part[self].sent++;
    }
    return next;
}

static _Noreturn void take_part(struct ring *ring, knell_rank self, pid_t parent)
{
    int64_t next = ring->begin + ring->plan->every * self / ring->plan->ranks, now;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    knell__thread_be_prompt(false);
    while ((now = knell__clock_now()) < ring->end + GRACE) {
        int64_t until = next < ring->end ? next : ring->end + GRACE, left = until > now ? until - now : 0;
        struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (ppoll(&(struct pollfd){.fd = ring->fd[self], .events = POLLIN}, 1, &time, NULL) > 0)
            hear(ring, self);
        next = send_due(ring, self, next);
    }
    _exit(0);
}

/* ---- the parent -------------------------------------------------------------------------------------------------- */

static int make_sockets(const struct usage *usage, struct ring *ring)
{
    struct knell__address any;
    uint8_t secret[32];
    if (getrandom(secret, sizeof secret, 0) != sizeof secret ||
        knell__key_set(&ring->key, secret, sizeof secret) != 0 || knell__address_parse_host("127.0.0.1", &any) != 0)
        return cli_failure(usage, "cannot begin: no key");
    for (int64_t i = 0; i < ring->plan->ranks; i++) {
        ring->fd[i] = knell__address_bind_datagrams(&any, &ring->address[i]);
        if (ring->fd[i] < 0)
            return cli_failure(usage, "no socket for process %" PRId64 ": %s", i, strerror(errno));
    }
    return EXIT_OK;
}

static int make_memory(const struct usage *usage, struct ring *ring)
{
    size_t ranks = (size_t)ring->plan->ranks, room = (size_t)(ring->plan->duration / ring->plan->every) + 2;
    size_t head = (ranks * sizeof(struct part) + 63) & ~(size_t)63;
    ring->memory_size = head + ranks * room * sizeof(struct calibrate_lateness);
    ring->memory = mmap(NULL, ring->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ring->address = calloc(ranks, sizeof *ring->address);
    ring->fd = calloc(ranks, sizeof *ring->fd);
    ring->pid = calloc(ranks, sizeof *ring->pid);
    if (ring->memory == MAP_FAILED || !ring->address || !ring->fd || !ring->pid)
        return cli_failure(usage, "no memory for %zu samples; use a shorter --for or a longer --every", ranks * room);
    ring->part = ring->memory;
    for (size_t i = 0; i < ranks; i++) {
        ring->fd[i] = -1;
        ring->part[i].room = room;
        ring->part[i].one = (struct calibrate_lateness *)((char *)ring->memory + head) + i * room;
    }
    return EXIT_OK;
}

static int make_processes(const struct usage *usage, struct ring *ring)
{
    pid_t parent = getpid();
    fflush(NULL);
    ring->begin = knell__clock_now() + AHEAD;
    ring->end = ring->begin + ring->plan->duration;
    for (int64_t i = 0; i < ring->plan->ranks; i++) {
        ring->pid[i] = fork();
        if (ring->pid[i] == 0)
            take_part(ring, (knell_rank)i, parent);
        if (ring->pid[i] < 0)
            return cli_failure(usage, "no process %" PRId64 ": %s", i, strerror(errno));
    }
    return EXIT_OK;
}

static void watch(const struct ring *ring, struct calibrate_sample *sample)
{
    struct calibrate_steal steal;
    calibrate_steal_begin(&steal);
    for (int64_t now; (now = knell__clock_now()) < ring->end + GRACE;) {
        int64_t left = ring->end + GRACE - now;
        nanosleep(&(struct timespec){.tv_nsec = left < 100 * MS ? left : 100 * MS}, NULL);
        calibrate_steal_look(&steal, sample);
    }
}

static int gather(const struct usage *usage, const struct ring *ring, struct calibrate_sample *sample)
{
    size_t count = 0;
    for (int64_t i = 0; i < ring->plan->ranks; i++)
        count += ring->part[i].count;
    sample->one = malloc((count ? count : 1) * sizeof *sample->one);
    if (!sample->one)
        return cli_failure(usage, "no memory for %zu samples", count);
    for (int64_t i = 0; i < ring->plan->ranks; i++) {
        const struct part *part = &ring->part[i];
        memcpy(sample->one + sample->count, part->one, part->count * sizeof *part->one);
        sample->count += part->count;
        sample->sent += part->sent;
        sample->refused += part->refused;
    }
    return EXIT_OK;
}

/* The processes end by themselves; one that is too late is killed. */
static void end_all(const struct ring *ring, bool kill_them)
{
    for (int64_t i = 0; ring->pid && i < ring->plan->ranks; i++)
        if (ring->pid[i] > 0) {
            if (kill_them)
                kill(ring->pid[i], SIGKILL);
            waitpid(ring->pid[i], NULL, 0);
        }
    for (int64_t i = 0; ring->fd && i < ring->plan->ranks; i++)
        if (ring->fd[i] >= 0)
            close(ring->fd[i]);
}

int calibrate_host(const struct usage *usage, const struct calibrate_plan *plan, struct calibrate_sample *sample)
{
    struct ring *ring = aligned_alloc(64, (sizeof *ring + 63) & ~(size_t)63); /* the key needs this alignment */
    if (!ring)
        return cli_failure(usage, "no memory");
    memset(ring, 0, sizeof *ring);
    ring->plan = plan;
    int status = make_memory(usage, ring);
    if (status == EXIT_OK)
        status = make_sockets(usage, ring);
    if (status == EXIT_OK)
        status = make_processes(usage, ring);
    if (status == EXIT_OK)
        watch(ring, sample);
    end_all(ring, status != EXIT_OK);
    if (status == EXIT_OK)
        status = gather(usage, ring, sample);
    if (ring->memory && ring->memory != MAP_FAILED)
        munmap(ring->memory, ring->memory_size);
    free(ring->address);
    free(ring->fd);
    free(ring->pid);
    free(ring);
    return status;
}
