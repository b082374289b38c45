/* rendezvous_door: see rendezvous_door.h. */
#include "runtime/rendezvous_door.h"

#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STRANGERS = 128 };                  /* connections beyond one per rank that may be open at a time */
#define SILENT_NS INT64_C(5000000000)      /* for whom the key is known it takes a journey to answer */
#define SILENT_LEAST_NS INT64_C(500000000) /* before that a descriptor is not taken back from anybody */

int knell__door_open(struct knell__door *door, uint32_t ranks, int listening)
{
    *door = (struct knell__door){.listening = listening, .slots = ranks + STRANGERS};
    door->visitor = calloc(door->slots, sizeof *door->visitor);
    door->poll = calloc(door->slots + 1, sizeof *door->poll);
    if (!door->visitor || !door->poll) {
        knell__door_close(door);
        return KNELL_ESYSTEM;
    }
    for (uint32_t i = 0; i < door->slots; i++)
        door->visitor[i].fd = -1;
    return 0;
}

void knell__door_close(struct knell__door *door)
{
    for (uint32_t i = 0; door->visitor && i < door->slots; i++)
        if (door->visitor[i].fd >= 0)
            close(door->visitor[i].fd);
    free(door->visitor);
    free(door->poll);
    door->visitor = NULL;
    door->poll = NULL;
    door->slots = 0;
}

void knell__door_turn_away(struct knell__visitor *visitor)
{
    close(visitor->fd);
    visitor->fd = -1;
}

/* ---- strangers -------------------------------------------------------------------------------------------------------- */

static bool is_stranger(const struct knell__visitor *visitor)
{
    return visitor->fd >= 0 && !visitor->known;
}

/* It may be a process of the job that was slow: it is told to come again. Nothing is at stake, so this is not signed. */
static void send_away(struct knell__visitor *visitor)
{
    struct knell__answer answer = {.error = KNELL__COME_AGAIN};
    ssize_t sent = send(visitor->fd, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
    knell__door_turn_away(visitor);
}

static void send_silent_away(struct knell__door *door)
{
    knell_time now = knell__clock_now();
    for (uint32_t i = 0; i < door->slots; i++)
        if (is_stranger(&door->visitor[i]) && now - door->visitor[i].came > SILENT_NS)
            send_away(&door->visitor[i]);
}

static uint32_t count_from(const struct knell__door *door, const struct knell__address *from)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < door->slots; i++)
        count += is_stranger(&door->visitor[i]) && memcmp(&door->visitor[i].from, from, sizeof *from) == 0;
    return count;
}

/* Of the address that has most, the one that has been silent longest; NULL: there are none. Who floods pushes out itself. */
static struct knell__visitor *choose_stranger(const struct knell__door *door)
{
    struct knell__visitor *chosen = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < door->slots; i++) {
        struct knell__visitor *visitor = &door->visitor[i];
        uint32_t count = is_stranger(visitor) ? count_from(door, &visitor->from) : 0;
        if (count > most || (count > 0 && count == most && visitor->came < chosen->came)) {
            chosen = visitor;
            most = count;
        }
    }
    return chosen;
}

/* ---- the door ---------------------------------------------------------------------------------------------------------- */

/* Only who is there: more entries than the process may have descriptors are refused. Returns their number. */
static nfds_t list_for_poll(struct knell__door *door)
{
    uint32_t count = 0;
    door->poll[count++] = (struct pollfd){.fd = door->listening, .events = POLLIN};
    for (uint32_t i = 0; i < door->slots; i++) {
        struct knell__visitor *visitor = &door->visitor[i];
        visitor->polled = count;
        if (visitor->fd >= 0)
            door->poll[count++] = (struct pollfd){.fd = visitor->fd, .events = POLLIN};
    }
    return count;
}

bool knell__door_wait(struct knell__door *door, knell_time deadline)
{
    knell_time left = deadline - knell__clock_now();
    send_silent_away(door);
    return left > 0 &&
           poll(door->poll, list_for_poll(door), (int)(left / 1000000 < 500 ? left / 1000000 + 1 : 500)) > 0;
}

bool knell__door_is_heard(const struct knell__door *door, const struct knell__visitor *visitor)
{
    return visitor->fd >= 0 && door->poll[visitor->polled].revents;
}

/* No descriptor is left: a stranger gives one back, and whoever is outside waits until then. */
static int make_room(struct knell__door *door)
{
    struct knell__visitor *stranger = choose_stranger(door);
    if (!stranger)
        return KNELL_ESYSTEM;
    if (knell__clock_now() - stranger->came > SILENT_LEAST_NS)
        send_away(stranger);
    return 0;
}

static struct knell__visitor *find_place(const struct knell__door *door)
{
    for (uint32_t i = 0; i < door->slots; i++)
        if (door->visitor[i].fd < 0)
            return &door->visitor[i];
    struct knell__visitor *stranger = choose_stranger(door); /* there are more places than ranks */
    send_away(stranger);
    return stranger;
}

static void challenge(struct knell__visitor *visitor)
{
    randombytes_buf(visitor->challenge, sizeof visitor->challenge);
    if (send(visitor->fd, visitor->challenge, sizeof visitor->challenge, MSG_NOSIGNAL) != sizeof visitor->challenge)
        knell__door_turn_away(visitor);
}

static int let_nobody_in(struct knell__door *door, int why)
{
    int error = why == EMFILE || why == ENFILE ? make_room(door) : 0;
    if (why != EAGAIN)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* it stays readable */
    return error;
}

int knell__door_let_in(struct knell__door *door)
{
    struct knell__address from = {.size = sizeof from.as};
    if (!door->poll[0].revents)
        return 0;
    int fd = accept4(door->listening, &from.as.any, &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return let_nobody_in(door, errno);
    knell__address_set_port(&from, 0);
    struct knell__visitor *visitor = find_place(door);
    *visitor = (struct knell__visitor){.fd = fd, .rank = KNELL_NOBODY, .came = knell__clock_now(), .from = from};
    challenge(visitor);
    return 0;
}
