/* See work.h. */
#include "work.h"
#include "log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1000000000
enum { CHUNK = 65536, SIDE = 64 };
#define PATIENCE (10 * (int64_t)SECOND)

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static struct sockaddr_in address_of(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* ---- connections ------------------------------------------------------------------------------------------------------- */

static int datagrams(uint32_t rank, uint16_t port)
{
    struct sockaddr_in mine = address_of((uint16_t)(port + rank)), other = address_of((uint16_t)(port + (rank ^ 1)));
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&mine, sizeof mine) != 0 ||
        connect(fd, (struct sockaddr *)&other, sizeof other) != 0)
        give_up("datagrams to the partner");
    return fd;
}

static int await_partner(struct sockaddr_in *mine)
{
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = PATIENCE / SECOND};
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (bind(listening, (struct sockaddr *)mine, sizeof *mine) != 0 || listen(listening, 1) != 0)
        give_up("listen for the partner");
    int fd = accept(listening, NULL, NULL);
    if (fd < 0)
        give_up("the partner does not come");
    close(listening);
    return fd;
}

/* The partner may not listen yet; there is no event for that. */
static int call_partner(struct sockaddr_in *other)
{
    for (int64_t until = live_now() + PATIENCE; live_now() < until; usleep(1000)) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)other, sizeof *other) == 0)
            return fd;
        close(fd);
    }
    give_up("the partner does not listen");
}

int work_connect(enum work_kind kind, uint32_t rank, uint16_t port)
{
    struct sockaddr_in meeting = address_of((uint16_t)(port + rank / 2 * 2));
    if (kind == WORK_LATENCY)
        return datagrams(rank, port);
    if (kind == WORK_BANDWIDTH)
        return rank % 2 ? await_partner(&meeting) : call_partner(&meeting);
    return -1;
}

/* ---- work -------------------------------------------------------------------------------------------------------------- */

/* Asks until a letter is there; false: none will come, the partner has ended. */
static bool await_letter(int fd, char *letter)
{
    for (int64_t until = live_now() + PATIENCE; live_now() < until;) {
        if (recv(fd, letter, 1, MSG_DONTWAIT) == 1)
            return true;
        if (errno != EAGAIN && errno != EINTR)
            return false;
    }
    return false;
}

static double ask(int fd, int64_t ns)
{
    int64_t begin = live_now(), now = begin;
    double trips = 0;
    char letter = 'a';
    for (; now - begin < ns; now = live_now(), trips++)
        if (send(fd, &letter, 1, 0) != 1 || !await_letter(fd, &letter))
            return 0; /* it is no more: held for dead, which the log tells */
    letter = 'z';
    send(fd, &letter, 1, 0);
    return trips * 1e9 / (double)(now - begin);
}

static void answer(int fd)
{
    for (char letter; await_letter(fd, &letter) && letter != 'z';)
        send(fd, &letter, 1, 0); /* lost: the partner has ended, and no letter will come */
}

/* Zeros, and one other byte at the end, which the partner says it has: nothing more may come before that. */
static void pour(int fd, int64_t ns)
{
    static char chunk[CHUNK];
    char last = 'z';
    for (int64_t until = live_now() + ns; live_now() < until;)
        if (send(fd, chunk, sizeof chunk, MSG_NOSIGNAL) < 0)
            give_up("the partner does not take bytes");
    if (send(fd, &last, 1, MSG_NOSIGNAL) != 1 || recv(fd, &last, 1, 0) != 1)
        give_up("the partner does not take the last byte");
}

static double drink(int fd)
{
    static char chunk[CHUNK];
    double bytes = 0;
    int64_t begin = 0;
    for (bool last = false; !last;) {
        ssize_t got = recv(fd, chunk, sizeof chunk, 0);
        if (got <= 0)
            return 0; /* it is no more */
        begin = begin ? begin : live_now();
        bytes += (double)got;
        last = chunk[got - 1] != 0;
    }
    double rate = bytes * 1e9 / (double)(live_now() - begin);
    return send(fd, "z", 1, MSG_NOSIGNAL) == 1 ? rate : 0;
}

static void multiply(double a[SIDE][SIDE], double b[SIDE][SIDE], double c[SIDE][SIDE])
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                c[i][j] = 0.5 * c[i][j] + a[i][k] * b[k][j];
}

static double compute(int64_t ns)
{
    static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            a[i][j] = b[j][i] = 1.0 / (i + j + 1);
    int64_t begin = live_now(), now = begin;
    double done = 0;
    for (; now - begin < ns; now = live_now(), done++)
        multiply(a, b, c);
    if (c[1][1] < 0) /* never, but the compiler does not know */
        give_up("arithmetic");
    return done * 1e9 / (double)(now - begin);
}

double work_for(enum work_kind kind, int fd, uint32_t rank, int64_t ns)
{
    bool speaks = rank % 2 == 0;
    if (kind == WORK_COMPUTE)
        return compute(ns);
    if (kind == WORK_BANDWIDTH && !speaks)
        return drink(fd);
    if (kind == WORK_BANDWIDTH)
        pour(fd, ns);
    if (kind == WORK_LATENCY && speaks)
        return ask(fd, ns);
    if (kind == WORK_LATENCY)
        answer(fd);
    return 0;
}
