/* rendezvous_join: the client's part of rendezvous.h. */
#include "os/clock.h"
#include "os/pages.h"
#include "runtime/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS 10000000

/* "file:PATH" has the address in it once rank 0 is there. What is wrong is in errno, 0 when it is what was read. */
static int find_address(const char *text, struct knell__address *address)
{
    char line[KNELL__ADDRESS_TEXT];
    if (strncmp(text, "file:", 5) != 0)
        return knell__address_parse(text, address);
    int fd = open(text + 5, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    if (size < 0)
        return KNELL_ESYSTEM;
    errno = 0;
    line[size] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return knell__address_parse(line, address);
}

static int try_connect(const struct knell__address *address)
{
    int fd = socket(address->as.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return KNELL_ESYSTEM;
    /* Blocking, but bounded: an address that swallows connections must not hold us for minutes. */
    struct timeval most = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connect(fd, &address->as.any, address->size) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return KNELL_ESYSTEM;
}

static int connect_before(const struct knell__rendezvous *meet, const char *text)
{
    int error = ENOENT;
    do {
        struct knell__address address;
        int fd = find_address(text, &address) == 0 ? try_connect(&address) : -1;
        if (fd >= 0)
            return fd;
        error = errno;
        nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
    } while (knell__clock_now() < meet->deadline);
    return knell__rendezvous_fail(meet, KNELL_ETIME, "rendezvous %s: nobody there in time (%s)", text,
                                  error ? strerror(error) : "no address in it");
}

static int say_lost(const struct knell__rendezvous *meet, int error)
{
    if (error == KNELL_EPEER)
        return knell__rendezvous_fail(meet, error,
                                      "rendezvous: rank 0 closed the connection; a wrong key, or it has ended");
    if (error == KNELL_ETIME)
        return knell__rendezvous_fail(meet, error, "rendezvous: no answer in time");
    return knell__rendezvous_fail(meet, error, "rendezvous: %s", strerror(errno));
}

/* An answer, then `size` bytes if it is good, then the tag over both. `whole` has room for all three. */
static int read_answer(const struct knell__rendezvous *meet, int fd, char label, uint8_t *whole, size_t size)
{
    uint8_t tag[KNELL__FRAME_TAG];
    struct knell__answer answer;
    int error = knell__rendezvous_read(fd, whole, sizeof answer, meet->deadline);
    if (error)
        return say_lost(meet, error);
    memcpy(&answer, whole, sizeof answer);
    if (answer.error == KNELL__COME_AGAIN)
        return KNELL__COME_AGAIN;
    size_t rest = (answer.error ? 0 : size) + KNELL__FRAME_TAG;
    error = knell__rendezvous_read(fd, whole + sizeof answer, rest, meet->deadline);
    if (error)
        return say_lost(meet, error);
    size_t signed_size = sizeof answer + rest - KNELL__FRAME_TAG;
    knell__rendezvous_tag(meet->key, label, meet->nonce, whole, signed_size, tag);
    if (sodium_memcmp(tag, whole + signed_size, sizeof tag) != 0)
        return knell__rendezvous_fail(meet, KNELL_EPEER, "rendezvous: the answer was not made with this key");
    answer.why[sizeof answer.why - 1] = '\0';
    if (answer.error)
        return knell__rendezvous_fail(meet, answer.error, "rendezvous: %s", answer.why);
    return 0;
}

static int say_hello(const struct knell__rendezvous *meet, int fd, const struct knell__rendezvous_point *me)
{
    uint8_t challenge[KNELL__NONCE], bytes[sizeof(struct knell__hello) + KNELL__FRAME_TAG];
    struct knell__hello hello;
    int error = knell__rendezvous_read(fd, challenge, sizeof challenge, meet->deadline);
    if (error)
        return say_lost(meet, error);
    memset(&hello, 0, sizeof hello); /* padding too: all of it is sent and signed */
    memcpy(hello.magic, knell__rendezvous_magic, sizeof hello.magic);
    hello.terms = meet->terms;
    hello.rank = meet->rank;
    hello.place = *me;
    memcpy(hello.nonce, meet->nonce, sizeof hello.nonce);
    memcpy(bytes, &hello, sizeof hello);
    knell__rendezvous_tag(meet->key, 'H', challenge, bytes, sizeof hello, bytes + sizeof hello);
    error = knell__rendezvous_write(fd, bytes, sizeof bytes, meet->deadline);
    if (error == KNELL_EPEER)
        return KNELL__COME_AGAIN; /* closed before this process has said anything */
    return error ? say_lost(meet, error) : 0;
}

/* Once. The connection, an error, or KNELL__COME_AGAIN. */
static int try_to_join(const struct knell__rendezvous *meet, const char *text, const struct knell__rendezvous_point *me,
                       uint8_t *whole, size_t size)
{
    int fd = connect_before(meet, text), error = fd < 0 ? fd : say_hello(meet, fd, me);
    if (!error)
        error = read_answer(meet, fd, 'T', whole, size);
    if (error && fd >= 0)
        close(fd);
    return error ? error : fd;
}

int knell__rendezvous_join(const struct knell__rendezvous *meet, const char *text,
                           const struct knell__rendezvous_point *me, struct knell__rendezvous_point *table)
{
    size_t size = meet->terms.ranks * sizeof *table;
    size_t whole_size = sizeof(struct knell__answer) + size + KNELL__FRAME_TAG;
    uint8_t *whole = knell__pages_take(whole_size);
    if (!whole)
        return knell__rendezvous_fail(meet, KNELL_ESYSTEM, "no memory for %u processes", (unsigned)meet->terms.ranks);
    int fd = try_to_join(meet, text, me, whole, size);
    while (fd == KNELL__COME_AGAIN && knell__clock_now() < meet->deadline)
        fd = try_to_join(meet, text, me, whole, size);
    if (fd == KNELL__COME_AGAIN)
        fd = knell__rendezvous_fail(meet, KNELL_ETIME, "rendezvous %s: strangers crowd it", text);
    if (fd >= 0)
        memcpy(table, whole + sizeof(struct knell__answer), size);
    knell__pages_give(whole, whole_size);
    return fd;
}

int knell__rendezvous_ready(const struct knell__rendezvous *meet, int fd, bool board, uint8_t *boards)
{
    uint8_t ready[1 + KNELL__FRAME_TAG] = {board};
    uint8_t *whole = malloc(sizeof(struct knell__answer) + meet->terms.ranks + KNELL__FRAME_TAG);
    if (!whole)
        return knell__rendezvous_fail(meet, KNELL_ESYSTEM, "no memory for %u processes", (unsigned)meet->terms.ranks);
    knell__rendezvous_tag(meet->key, 'R', meet->nonce, ready, 1, ready + 1);
    int error = knell__rendezvous_write(fd, ready, sizeof ready, meet->deadline);
    error = error ? say_lost(meet, error) : read_answer(meet, fd, 'G', whole, meet->terms.ranks);
    if (!error)
        memcpy(boards, whole + sizeof(struct knell__answer), meet->terms.ranks);
    free(whole);
    return error;
}
