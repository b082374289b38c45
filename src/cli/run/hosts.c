/* hosts.c: --hosts and --hostfile: the hosts of a job, how many ranks each gets, and the network between them. */
#include "cli/run/run.h"
#include "runtime/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the list ---------------------------------------------------------------------------------------------------- */

bool run_hosts_add(struct run_plan *plan, const char *text, size_t length, int64_t slots)
{
    struct run_host *more = realloc(plan->host, (plan->hosts + 1) * sizeof *more);
    if (!more)
        return false;
    plan->host = more;
    struct run_host *host = &plan->host[plan->hosts++];
    *host = (struct run_host){.slots = slots};
    snprintf(host->name, sizeof host->name, "%.*s", (int)length, text);
    return true;
}

/* "a" and "a:8". */
static int add_host(struct run_plan *plan, const char *where, const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon ? (size_t)(colon - text) : length;
    int64_t slots = 0;
    if (name == 0 || name >= sizeof plan->host->name)
        return cli_usage_error(plan->usage, "%s: '%.*s' is no name of a host; NAME or NAME:RANKS is expected", where,
                               (int)(length < 80 ? length : 80), text);
    if (colon) {
        char number[16];
        snprintf(number, sizeof number, "%.*s", (int)(length - name - 1), colon + 1);
        if (parse_integer(number, &slots) != NULL || slots < 1 || length - name - 1 >= sizeof number)
            return cli_usage_error(plan->usage,
                                   "%s: %.*s: the ranks of a host are a whole number from 1 on, as in %.*s:8", where,
                                   (int)name, text, (int)name, text);
    }
    return run_hosts_add(plan, text, name, slots) ? -1 : cli_failure(plan->usage, "no memory for the hosts");
}

static int parse_list(struct run_plan *plan, const char *text)
{
    int status = -1;
    for (const char *at = text; status < 0; at++) {
        size_t length = strcspn(at, ",");
        status = add_host(plan, "--hosts", at, length);
        at += length;
        if (!*at)
            break;
    }
    return status;
}

/* A line: a name; "a:8" as for --hosts, "a slots=8" as for mpirun. What follows # is a comment. */
static int parse_line(struct run_plan *plan, const char *file, char *line)
{
    char entry[320], where[160], *slots = strstr(line, "slots=");
    line[strcspn(line, "#\n")] = '\0';
    size_t begin = strspn(line, " \t"), length = strcspn(line + begin, " \t");
    if (length == 0)
        return -1;
    snprintf(entry, sizeof entry, "%.*s", (int)(length < 255 ? length : 255), line + begin);
    if (slots)
        snprintf(entry + strlen(entry), 24, ":%.*s", (int)strspn(slots + 6, "0123456789"), slots + 6);
    snprintf(where, sizeof where, "--hostfile %.120s", file);
    return add_host(plan, where, entry, strlen(entry));
}

static int parse_file(struct run_plan *plan, const char *path)
{
    char line[512];
    int status = -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return cli_usage_error(plan->usage, "--hostfile %.200s: %s", path, strerror(errno));
    while (status < 0 && fgets(line, sizeof line, file))
        status = parse_line(plan, path, line);
    fclose(file);
    if (status < 0 && plan->hosts == 0)
        return cli_usage_error(plan->usage, "--hostfile %.200s: names no host", path);
    return status;
}

/* ---- who gets how many ------------------------------------------------------------------------------------------- */

/* Hosts without a number share equally what the others leave; the first ones get one more. */
static int share_ranks(struct run_plan *plan)
{
    int64_t left = plan->ranks, open = 0;
    for (size_t i = 0; i < plan->hosts; i++) {
        open += plan->host[i].slots == 0;
        left -= plan->host[i].slots;
    }
    if (left > 0 && open == 0)
        return cli_usage_error(plan->usage, "the hosts have room for %" PRId64 " ranks, the job has %" PRId64,
                               plan->ranks - left, plan->ranks);
    for (size_t i = 0; i < plan->hosts; i++)
        if (plan->host[i].slots == 0 && left > 0) {
            plan->host[i].slots = (left + open - 1) / open;
            left -= plan->host[i].slots;
            open--;
        }
    return -1;
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

static const void *bytes_of(const struct sockaddr *address, size_t *size)
{
    *size = address->sa_family == AF_INET ? 4 : 16;
    return address->sa_family == AF_INET ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
                                         : (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr;
}

static unsigned prefix_of(const struct sockaddr *mask)
{
    size_t size;
    unsigned bits = 0;
    const uint8_t *bytes = bytes_of(mask, &size);
    for (size_t i = 0; i < size; i++)
        bits += (unsigned)__builtin_popcount(bytes[i]);
    return bits;
}

/* The interface that has the address, or the one of that name; IPv4 before IPv6. */
static const struct ifaddrs *find_interface(const struct ifaddrs *all, const char *name,
                                            const struct knell__address *own)
{
    const struct ifaddrs *found = NULL;
    for (; all; all = all->ifa_next) {
        int family = all->ifa_addr ? all->ifa_addr->sa_family : AF_UNSPEC;
        size_t size = 0, other;
        if (family != AF_INET && family != AF_INET6)
            continue;
        const void *bytes = bytes_of(all->ifa_addr, &size);
        if (name ? strcmp(all->ifa_name, name) == 0
                 : family == own->as.any.sa_family && memcmp(bytes, bytes_of(&own->as.any, &other), size) == 0)
            found = !found || family == AF_INET ? all : found;
    }
    return found;
}

static void keep_network(struct run_plan *plan, const struct ifaddrs *interface)
{
    size_t size;
    const void *bytes = bytes_of(interface->ifa_addr, &size);
    char network[INET6_ADDRSTRLEN];
    uint8_t masked[16];
    size_t other;
    const uint8_t *mask = bytes_of(interface->ifa_netmask, &other);
    for (size_t i = 0; i < size; i++)
        masked[i] = ((const uint8_t *)bytes)[i] & mask[i];
    inet_ntop(interface->ifa_addr->sa_family, bytes, plan->address, sizeof plan->address);
    inet_ntop(interface->ifa_addr->sa_family, masked, network, sizeof network);
    snprintf(plan->network, sizeof plan->network, "%s/%u", network, prefix_of(interface->ifa_netmask));
    snprintf(plan->device, sizeof plan->device, "%s", interface->ifa_name);
}

/* By --interface, else by the way to the first host that is not this one. */
static int find_network(struct run_plan *plan)
{
    struct knell__address own = {0};
    struct ifaddrs *all = NULL;
    bool known = plan->interface != NULL;
    for (size_t i = 0; i < plan->hosts && !known; i++) {
        if (!leader_own_address(plan->host[i].name, &own))
            return cli_usage_error(plan->usage, "the host %s is not known here, or there is no way to it",
                                   plan->host[i].name);
        known = !knell__address_is_loopback(&own);
    }
    if (!known)
        return -1; /* all are this host */
    if (getifaddrs(&all) != 0)
        return cli_failure(plan->usage, "the network interfaces cannot be listed: %s", strerror(errno));
    const struct ifaddrs *interface = find_interface(all, plan->interface, &own);
    if (interface && interface->ifa_netmask)
        keep_network(plan, interface);
    freeifaddrs(all);
    return interface ? -1
                     : cli_usage_error(plan->usage,
                                       "--interface %.80s: there is no such interface with an address here",
                                       plan->interface ? plan->interface : "is needed");
}

int run_hosts_check(struct run_plan *plan)
{
    int status = -1;
    if (plan->hosts_text && plan->hostfile)
        return cli_usage_error(plan->usage, "give --hosts or --hostfile, not both");
    if (run_slurm_may(plan)) {
        status = run_slurm_check(plan);
        return status < 0 ? find_network(plan) : status;
    }
    if (!plan->hosts_text && !plan->hostfile)
        return plan->interface || plan->rsh_given
                   ? cli_usage_error(plan->usage, "--%s: only with --hosts or --hostfile",
                                     plan->interface ? "interface" : "rsh")
                   : -1;
    status = plan->hosts_text ? parse_list(plan, plan->hosts_text) : parse_file(plan, plan->hostfile);
    if (status < 0)
        status = share_ranks(plan);
    return status < 0 ? find_network(plan) : status;
}

/* "a:2,b:2", as both launchers have it. */
void run_hosts_write(const struct run_plan *plan, FILE *out)
{
    const char *before = "";
    for (size_t i = 0; i < plan->hosts; i++)
        if (plan->host[i].slots > 0) {
            fprintf(out, "%s%s:%" PRId64, before, plan->host[i].name, plan->host[i].slots);
            before = ",";
        }
}

const char *run_host_of(const struct run_job *job, int rank)
{
    return job->plan->address[0] ? job->links.link[rank].host : "";
}
