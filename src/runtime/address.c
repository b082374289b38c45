/* address: see address.h. */
#include "runtime/address.h"

#include <knell/types.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECEIVE_ROOM = 1 << 20 }; /* a burst of broadcasts waits here while the thread is not scheduled */

static int make(const char *host, uint16_t port, struct knell__address *address)
{
    struct knell__address made = {0};
    if (inet_pton(AF_INET, host, &made.as.v4.sin_addr) == 1) {
        made.as.v4.sin_family = AF_INET;
        made.as.v4.sin_port = htons(port);
        made.size = sizeof made.as.v4;
    } else if (inet_pton(AF_INET6, host, &made.as.v6.sin6_addr) == 1) {
        made.as.v6.sin6_family = AF_INET6;
        made.as.v6.sin6_port = htons(port);
        made.size = sizeof made.as.v6;
    } else {
        return KNELL_EINVAL;
    }
    *address = made;
    return 0;
}

int knell__address_parse_host(const char *text, struct knell__address *address)
{
    return make(text, 0, address);
}

int knell__address_parse(const char *text, struct knell__address *address)
{
    char host[INET6_ADDRSTRLEN];
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon[1] < '0' || colon[1] > '9')
        return KNELL_EINVAL;
    unsigned long port = strtoul(colon + 1, &end, 10);
    size_t size = (size_t)(colon - text);
    if (size >= 2 && text[0] == '[' && text[size - 1] == ']') {
        text++;
        size -= 2;
    }
    if (*end || port == 0 || port > 65535 || size >= sizeof host)
        return KNELL_EINVAL;
    memcpy(host, text, size);
    host[size] = '\0';
    return make(host, (uint16_t)port, address);
}

const char *knell__address_host(const struct knell__address *address, char text[KNELL__ADDRESS_TEXT])
{
    const void *host = address->as.any.sa_family == AF_INET ? (const void *)&address->as.v4.sin_addr
                                                            : (const void *)&address->as.v6.sin6_addr;
    snprintf(text, KNELL__ADDRESS_TEXT, "?");
    inet_ntop(address->as.any.sa_family, host, text, KNELL__ADDRESS_TEXT);
    return text;
}

const char *knell__address_text(const struct knell__address *address, char text[KNELL__ADDRESS_TEXT])
{
    char host[KNELL__ADDRESS_TEXT];
    const char *form = address->as.any.sa_family == AF_INET ? "%.64s:%u" : "[%.64s]:%u";
    snprintf(text, KNELL__ADDRESS_TEXT, form, knell__address_host(address, host),
             (unsigned)ntohs(knell__address_port(address)));
    return text;
}

bool knell__address_is_loopback(const struct knell__address *address)
{
    return address->as.any.sa_family == AF_INET ? ntohl(address->as.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
                                                : IN6_IS_ADDR_LOOPBACK(&address->as.v6.sin6_addr);
}

in_port_t knell__address_port(const struct knell__address *address)
{
    return address->as.any.sa_family == AF_INET ? address->as.v4.sin_port : address->as.v6.sin6_port;
}

void knell__address_set_port(struct knell__address *address, in_port_t port)
{
    if (address->as.any.sa_family == AF_INET)
        address->as.v4.sin_port = port;
    else
        address->as.v6.sin6_port = port;
}

static int bind_socket(int type, const struct knell__address *address, struct knell__address *bound)
{
    struct knell__address real = {.size = sizeof real.as};
    int yes = 1, room = RECEIVE_ROOM;
    int fd = socket(address->as.any.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return KNELL_ESYSTEM;
    if (type == SOCK_STREAM)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    else
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room); /* the system gives what it allows */
    if (bind(fd, &address->as.any, address->size) != 0 || getsockname(fd, &real.as.any, &real.size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return KNELL_ESYSTEM;
    }
    *bound = real;
    return fd;
}

int knell__address_bind_datagrams(const struct knell__address *address, struct knell__address *bound)
{
    return bind_socket(SOCK_DGRAM, address, bound);
}

int knell__address_listen(const struct knell__address *address, struct knell__address *bound)
{
    int fd = bind_socket(SOCK_STREAM, address, bound);
    if (fd >= 0 && listen(fd, 1024) != 0) {
        close(fd);
        return KNELL_ESYSTEM;
    }
    return fd;
}
