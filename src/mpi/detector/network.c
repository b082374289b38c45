/* network.c: see network.h. */
#include "mpi/detector/network.h"
#include "mpi/base/layer.h"
#include "mpi/base/settings.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_any(const struct knell__address *address)
{
    return address->as.any.sa_family == AF_INET ? address->as.v4.sin_addr.s_addr == htonl(INADDR_ANY)
                                                : IN6_IS_ADDR_UNSPECIFIED(&address->as.v6.sin6_addr);
}

static void take_given(const char *text, bool one_host, struct knell__address *found)
{
    if (knell__address_parse_host(text, found) != 0 || is_any(found))
        layer_die("KNELL_ADDRESS is %s: it must be an address of this host in numbers", text);
    if (!one_host && knell__address_is_loopback(found))
        layer_die("KNELL_ADDRESS is %s, but the ranks are on several hosts", text);
}

/* ---- interfaces ------------------------------------------------------------------------------------------------------------ */

/* What others can reach without being told of an interface: no loopback, and nothing that is valid on one link alone. */
static bool may_serve(const struct ifaddrs *at, const char *name, int family)
{
    if (!at->ifa_addr || at->ifa_addr->sa_family != family || !(at->ifa_flags & IFF_UP))
        return false;
    if (name ? strcmp(name, at->ifa_name) != 0 : (at->ifa_flags & IFF_LOOPBACK) != 0)
        return false;
    return family == AF_INET ||
           !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)at->ifa_addr)->sin6_addr);
}

static bool take_first(const struct ifaddrs *all, const char *name, int family, struct knell__address *found)
{
    while (all && !may_serve(all, name, family))
        all = all->ifa_next;
    if (!all)
        return false;
    memset(found, 0, sizeof *found);
    found->size = family == AF_INET ? sizeof found->as.v4 : sizeof found->as.v6;
    memcpy(&found->as, all->ifa_addr, found->size);
    knell__address_set_port(found, 0);
    return true;
}

/* Of this interface, or of any; of IPv4 if there is one. */
static bool take_from(const char *name, struct knell__address *found)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return false;
    bool there = take_first(all, name, AF_INET, found) || take_first(all, name, AF_INET6, found);
    freeifaddrs(all);
    return there;
}

/* In /proc/net/route the first two words of a line are interface and destination, in ipv6_route destination, its length and, as the
 * last, the interface. */
static bool find_default_route(char name[IF_NAMESIZE])
{
    char line[256], destination[33];
    unsigned length;
    bool there = false;
    FILE *file = fopen("/proc/net/route", "re");
    while (file && !there && fgets(line, sizeof line, file))
        there = sscanf(line, "%15s %8s", name, destination) == 2 && strcmp(destination, "00000000") == 0;
    if (file)
        fclose(file);
    file = there ? NULL : fopen("/proc/net/ipv6_route", "re");
    while (file && !there && fgets(line, sizeof line, file))
        there = sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %*s %15s", destination, &length, name) == 3 &&
                length == 0 && strcmp(name, "lo") != 0;
    if (file)
        fclose(file);
    return there;
}

/* ---- the way to rank 0 ------------------------------------------------------------------------------------------------------ */

/* Nothing is sent: the kernel says which address it would take. */
static bool take_beginning(const struct knell__address *towards, struct knell__address *found)
{
    int fd = socket(towards->as.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memset(found, 0, sizeof *found);
    found->size = sizeof found->as;
    bool there = fd >= 0 && connect(fd, &towards->as.any, towards->size) == 0 &&
                 getsockname(fd, &found->as.any, &found->size) == 0;
    if (fd >= 0)
        close(fd);
    if (there)
        knell__address_set_port(found, 0);
    return there;
}

static void take_named(const char *name, struct knell__address *found)
{
    if (!take_from(name, found))
        layer_die("KNELL_INTERFACE is %s: this host has no such interface with an address that others can reach", name);
}

static void take_reaching(const struct knell__address *towards, struct knell__address *found)
{
    char text[KNELL__ADDRESS_TEXT];
    if (!take_beginning(towards, found))
        layer_die("there is no way to rank 0 at %s: KNELL_INTERFACE says which network to use",
                  knell__address_text(towards, text));
}

static void take_usual(struct knell__address *found)
{
    char name[IF_NAMESIZE];
    if (!(find_default_route(name) && take_from(name, found)) && !take_from(NULL, found))
        layer_die(
            "the ranks are on several hosts, and this one has no network interface with an address: KNELL_INTERFACE "
            "names one, or KNELL_ADDRESS an address");
}

void network_find(bool one_host, const struct knell__address *towards, struct knell__address *found)
{
    const char *address = settings_get("KNELL_ADDRESS"), *interface = settings_get("KNELL_INTERFACE");
    if (address)
        take_given(address, one_host, found);
    else if (one_host)
        knell__address_parse_host("127.0.0.1", found);
    else if (interface)
        take_named(interface, found);
    else if (towards)
        take_reaching(towards, found);
    else
        take_usual(found);
    if (towards && found->as.any.sa_family != towards->as.any.sa_family)
        layer_die(
            "this process has an address of another kind (IPv4, IPv6) than rank 0: KNELL_ADDRESS or KNELL_INTERFACE "
            "must be set for all, or for none");
}
