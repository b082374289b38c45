/* network.c: by which address this host is seen from another one. */
#include "cli/leader/leader.h"

#include <netdb.h>
#include <unistd.h>

bool leader_own_address(const char *name, struct knell__address *own)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
    bool known = false;
    if (getaddrinfo(name, "9", &hints, &found) != 0)
        return false;
    for (struct addrinfo *at = found; at && !known; at = at->ai_next) {
        int fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        own->size = sizeof own->as;
        known =
            fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0 && getsockname(fd, &own->as.any, &own->size) == 0;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(found);
    return known;
}
