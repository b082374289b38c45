/* peer.c: the measurement between two hosts, whose clocks differ. One sends at regular times, the other answers at
 * once; both sleep in between. Half of the shortest round trip is subtracted from each round trip, and the rest
 * counts as if it had happened one way. If the shortest journeys there and back take equally long, this
 * overestimates the latency and never underestimates it. */
#include "cli/calibrate/calibrate.h"
#include "os/clock.h"
#include "os/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define GRACE (1000 * MS)   /* for the last answers */
#define SILENCE (5000 * MS) /* after which the answering host gives up on the other */
enum { ASKS, ANSWERS, BOTH };

struct line {
    const struct usage *usage;
    const struct calibrate_plan *plan;
    struct knell__key key;
    struct knell__address address;
    int fd;
    uint64_t refused;
};

static bool wait_until(const struct line *line, int64_t until)
{
    int64_t left = until - knell__clock_now();
    left = left > 0 ? left : 0;
    struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    return ppoll(&(struct pollfd){.fd = line->fd, .events = POLLIN}, 1, &time, NULL) > 0;
}

static int open_line(struct line *line, const struct knell__address *bind_to)
{
    struct knell__address bound;
    if (knell__key_set(&line->key, line->plan->key, line->plan->key_size) != 0)
        return cli_failure(line->usage, "libsodium cannot be used");
    line->fd = knell__address_bind_datagrams(bind_to, &bound);
    if (line->fd < 0)
        return cli_failure(line->usage, "--listen %s: %s", line->plan->listen ? line->plan->listen : "any",
                           strerror(errno));
    knell__thread_be_prompt(false);
    return EXIT_OK;
}

static struct line *new_line(const struct usage *usage, const struct calibrate_plan *plan)
{
    struct line *line = aligned_alloc(64, (sizeof *line + 63) & ~(size_t)63); /* the key needs this alignment */
    if (line) {
        memset(line, 0, sizeof *line);
        line->usage = usage;
        line->plan = plan;
        line->fd = -1;
    }
    return line;
}

static void free_line(struct line *line)
{
    if (line->fd >= 0)
        close(line->fd);
    sodium_memzero(&line->key, sizeof line->key);
    free(line);
}

/* ---- the answering host ------------------------------------------------------------------------------------------ */

static int answer(struct line *line, uint64_t *answered)
{
    int64_t until = knell__clock_now() + line->plan->wait;
    while (knell__clock_now() < until) {
        struct calibrate_datagram timed;
        struct knell__address from;
        uint8_t kind;
        wait_until(line, until);
        for (int got;
             (got = calibrate_datagram_receive(&line->key, line->fd, ANSWERS, BOTH, &kind, &timed, &from)) != 0;) {
            line->refused += got < 0;
            if (got < 0)
                continue;
            if (kind == KNELL__FRAME_BYE)
                return EXIT_OK;
            calibrate_datagram_send(&line->key, line->fd, ANSWERS, ASKS, KNELL__FRAME_BEAT, &timed, &from);
            ++*answered;
            until = knell__clock_now() + SILENCE;
        }
    }
    if (*answered)
        return EXIT_OK;
    return cli_failure(line->usage, "no host asked at %s in time; %" PRIu64 " datagrams came with a wrong key",
                       line->plan->listen, line->refused);
}

int calibrate_listen(const struct usage *usage, const struct calibrate_plan *plan)
{
    struct line *line = new_line(usage, plan);
    uint64_t answered = 0;
    if (!line)
        return cli_failure(usage, "no memory");
    knell__address_parse(plan->listen, &line->address); /* checked before */
    int status = open_line(line, &line->address);
    if (status == EXIT_OK)
        status = answer(line, &answered);
    if (status == EXIT_OK)
        printf("answered %" PRIu64 " heartbeats at %s\n", answered, plan->listen);
    free_line(line);
    return status;
}

/* ---- the asking host --------------------------------------------------------------------------------------------- */

/* Takes the answers that have arrived, each once; true if there was one. */
static bool take_answers(struct line *line, struct calibrate_sample *sample, bool *answered, uint32_t asked)
{
    struct calibrate_datagram timed;
    uint8_t kind;
    bool any = false;
    for (int got; (got = calibrate_datagram_receive(&line->key, line->fd, ASKS, BOTH, &kind, &timed, NULL)) != 0;) {
        int64_t now = knell__clock_now();
        line->refused += got < 0;
        if (got < 0 || timed.number >= asked || answered[timed.number])
            continue;
        any = answered[timed.number] = true;
        sample->one[sample->count++] = (struct calibrate_lateness){now - timed.due, timed.sent - timed.due};
    }
    return any;
}

static void ask(struct line *line, uint32_t number, int64_t due)
{
    calibrate_datagram_send(&line->key, line->fd, ASKS, ANSWERS, KNELL__FRAME_BEAT,
                            &(struct calibrate_datagram){due, knell__clock_now(), number}, &line->address);
}

/* Asks until the other host answers. */
static int find_other(struct line *line, struct calibrate_sample *sample, bool *answered)
{
    int64_t end = knell__clock_now() + line->plan->wait;
    for (int64_t now; (now = knell__clock_now()) < end;) {
        ask(line, 0, now);
        if (wait_until(line, now + 100 * MS) && take_answers(line, sample, answered, 1)) {
            sample->count = 0; /* the first answer does not count */
            return EXIT_OK;
        }
    }
    return cli_failure(line->usage,
                       "--peer %s: no answer in time; is `knell calibrate --listen` there, with the same key?",
                       line->plan->peer);
}

static void ask_all(struct line *line, struct calibrate_sample *sample, bool *answered, uint32_t most)
{
    struct calibrate_steal steal;
    int64_t begin = knell__clock_now() + line->plan->every, look = begin, end = begin + line->plan->duration;
    uint32_t asked = 1;
    calibrate_steal_begin(&steal);
    for (int64_t next = begin, now; (now = knell__clock_now()) < end + GRACE;) {
        if (next >= end && sample->count + 1 == asked)
            break; /* all have come back */
        if (now >= look) {
            calibrate_steal_look(&steal, sample);
            look += 100 * MS;
        }
        for (; next < end && next <= knell__clock_now() && asked < most; next += line->plan->every)
            ask(line, asked++, next);
        wait_until(line, next < end ? next : end + GRACE); /* the last ones may be lost */
        take_answers(line, sample, answered, asked);
    }
    calibrate_steal_look(&steal, sample);
    sample->sent = asked - 1;
    sample->refused = line->refused;
    calibrate_datagram_send(&line->key, line->fd, ASKS, ANSWERS, KNELL__FRAME_BYE, &(struct calibrate_datagram){0},
                            &line->address);
}

/* From round trips to one way. */
static void halve(struct calibrate_sample *sample)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < sample->count; i++) {
        int64_t trip = sample->one[i].total - sample->one[i].timer;
        least = trip < least ? trip : least;
    }
    for (size_t i = 0; i < sample->count; i++)
        sample->one[i].total -= least / 2;
}

int calibrate_peer(const struct usage *usage, const struct calibrate_plan *plan, struct calibrate_sample *sample)
{
    uint32_t most = (uint32_t)(plan->duration / plan->every) + 2;
    struct line *line = new_line(usage, plan);
    bool *answered = calloc(most, sizeof *answered);
    struct knell__address any;
    sample->one = calloc(most, sizeof *sample->one);
    bool room = line && answered && sample->one;
    int status = room ? EXIT_OK : cli_failure(usage, "no memory for %u samples", most);
    if (room) {
        knell__address_parse(plan->peer, &line->address); /* checked before */
        knell__address_parse_host(line->address.as.any.sa_family == AF_INET ? "0.0.0.0" : "::", &any);
        status = open_line(line, &any);
    }
    if (room && status == EXIT_OK)
        status = find_other(line, sample, answered);
    if (room && status == EXIT_OK) {
        ask_all(line, sample, answered, most);
        halve(sample);
    }
    if (line)
        free_line(line);
    free(answered);
    return status;
}
