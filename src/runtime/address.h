/* address.h: network addresses as text, and the two kinds of socket made from them. */
#ifndef KNELL_RUNTIME_ADDRESS_H
#define KNELL_RUNTIME_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

struct knell__address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } as;
    socklen_t size;
};

enum { KNELL__ADDRESS_TEXT = 80 };

/* "127.0.0.1:7100", "[::1]:7100". Numbers only: no name service is asked. KNELL_EINVAL. */
int knell__address_parse(const char *text, struct knell__address *address);
/* An address without a port: that becomes 0. */
int knell__address_parse_host(const char *text, struct knell__address *address);
const char *knell__address_text(const struct knell__address *address, char text[KNELL__ADDRESS_TEXT]);
/* Without the port. */
const char *knell__address_host(const struct knell__address *address, char text[KNELL__ADDRESS_TEXT]);

bool knell__address_is_loopback(const struct knell__address *address);

/* The port, in network order. */
in_port_t knell__address_port(const struct knell__address *address);
void knell__address_set_port(struct knell__address *address, in_port_t port);

/* A socket bound there, non-blocking, and in *bound what it is really bound to. The descriptor, or KNELL_ESYSTEM. */
int knell__address_bind_datagrams(const struct knell__address *address, struct knell__address *bound);
int knell__address_listen(const struct knell__address *address, struct knell__address *bound);

#endif
