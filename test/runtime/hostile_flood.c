/* hostile_flood: noise, forgeries, and what was overheard: changed, cut, lengthened, repeated, at the wrong door. */
#include "hostile.h"

#include "util/prng.h"

#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { RANDOM_MOST = 1500, BATCH = 64, SPOOFED_ONE_IN = 8, FORGED_HEAD = 28 };

struct sender {
    const struct job *job;
    const struct overheard *all;
    struct flood *flood;
    struct knell_prng prng;
    int plain, raw;
};

static uint64_t below(struct sender *sender, uint64_t most)
{
    return knell_prng_below(&sender->prng, most);
}

/* ---- one datagram ------------------------------------------------------------------------------------------------------ */

static void fill(struct sender *sender, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)knell_prng_next(&sender->prng);
}

static void aim(struct sender *sender, struct datagram *datagram)
{
    datagram->to = (knell_rank)below(sender, MEMBERS);
    do
        datagram->socket = (uint8_t)below(sender, SOCKETS);
    while (sender->job->port[datagram->to][datagram->socket] == 0);
}

/* The form is right (docs/design/runtime.md); only the key is missing. */
static void forge(struct sender *sender, struct datagram *datagram)
{
    uint8_t *bytes = datagram->bytes;
    datagram->size = (uint16_t)(FORGED_HEAD + 16 + below(sender, 200));
    fill(sender, bytes, datagram->size);
    memcpy(bytes, "Kn\1", 3);
    bytes[3] = (uint8_t)(1 + below(sender, 5));
    memset(bytes + 4, 0, 8);
    bytes[4] = (uint8_t)((datagram->to + 1 + below(sender, MEMBERS - 1)) % MEMBERS);
    bytes[8] = (uint8_t)datagram->to;
    memset(bytes + 13, 0, 3); /* a number that could be the next */
}

static void change(struct sender *sender, enum way way, struct datagram *datagram)
{
    size_t size = datagram->size;
    if (way == FLIPPED)
        for (uint64_t flips = 1 + below(sender, 4), at = below(sender, size * 8); flips > 0; flips--)
            datagram->bytes[(at / 8 + flips * 7) % size] ^= (uint8_t)(1u << (at + flips) % 8);
    if (way == TRUNCATED)
        datagram->size = (uint16_t)below(sender, size);
    if (way == LENGTHENED) {
        size_t more = 1 + below(sender, sizeof datagram->bytes - size < 300 ? sizeof datagram->bytes - size : 300);
        fill(sender, datagram->bytes + size, more);
        datagram->size = (uint16_t)(size + more);
    }
    if (way == MISDIRECTED)
        datagram->to = (datagram->to + 1 + (knell_rank)below(sender, MEMBERS - 1)) % MEMBERS;
}

static enum way make(struct sender *sender, struct datagram *datagram)
{
    enum way way = (enum way)below(sender, sender->all->count ? WAYS : FLIPPED);
    if (way > FORGED) {
        *datagram = sender->all->datagram[below(sender, sender->all->count)];
        change(sender, way, datagram);
        return way;
    }
    aim(sender, datagram);
    if (way == FORGED) {
        forge(sender, datagram);
    } else {
        datagram->size = (uint16_t)below(sender, RANDOM_MOST + 1);
        fill(sender, datagram->bytes, datagram->size);
    }
    return way;
}

/* ---- on its way -------------------------------------------------------------------------------------------------------- */

static struct sockaddr_in address_of(const struct sender *sender, knell_rank rank, unsigned socket)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = sender->job->port[rank][socket]};
}

/* As if it came from a member: its address, its port. The system adds length and checksum of the packet. */
static bool send_spoofed(struct sender *sender, const struct datagram *datagram, struct sockaddr_in *to)
{
    uint8_t packet[sizeof(struct iphdr) + sizeof(struct udphdr) + WIRE_BYTES];
    size_t size = sizeof(struct udphdr) + datagram->size;
    knell_rank from = (datagram->to + 1 + (knell_rank)below(sender, MEMBERS - 1)) % MEMBERS;
    struct iphdr ip = {.version = 4,
                       .ihl = 5,
                       .ttl = 64,
                       .protocol = IPPROTO_UDP,
                       .saddr = htonl(INADDR_LOOPBACK),
                       .daddr = htonl(INADDR_LOOPBACK)};
    struct udphdr udp = {.source = sender->job->port[from][0], .dest = to->sin_port, .len = htons((uint16_t)size)};
    memcpy(packet, &ip, sizeof ip);
    memcpy(packet + sizeof ip, &udp, sizeof udp);
    memcpy(packet + sizeof ip + sizeof udp, datagram->bytes, datagram->size);
    return sendto(sender->raw, packet, sizeof ip + size, 0, (struct sockaddr *)to, sizeof *to) >= 0;
}

static void send_one(struct sender *sender)
{
    struct datagram datagram;
    enum way way = make(sender, &datagram);
    struct sockaddr_in to = address_of(sender, datagram.to, datagram.socket);
    bool spoofed = sender->raw >= 0 && below(sender, SPOOFED_ONE_IN) == 0, sent;
    if (to.sin_port == 0) /* a member of an earlier job had one more socket */
        to.sin_port = sender->job->port[datagram.to][0];
    if (spoofed)
        sent = send_spoofed(sender, &datagram, &to);
    else
        sent = sendto(sender->plain, datagram.bytes, datagram.size, 0, (struct sockaddr *)&to, sizeof to) >= 0;
    sender->flood->sent[way]++;
    sender->flood->spoofed += spoofed;
    sender->flood->refused += !sent;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void flood_send(const struct job *job, const struct overheard *all, uint64_t total, uint64_t rate, struct flood *flood)
{
    struct sender sender = {.job = job, .all = all, .flood = flood};
    int64_t begin = now();
    *flood = (struct flood){.refused = 0};
    knell_prng_seed(&sender.prng, 1);
    sender.plain = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sender.raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    flood->may_spoof = sender.raw >= 0;
    for (uint64_t sent = 0; sent < total; sent++) {
        send_one(&sender);
        int64_t due = begin + (int64_t)((double)sent / (double)rate * 1e9);
        if (sent % BATCH == 0 && due > now())
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
                            &(struct timespec){.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}, NULL);
    }
    close(sender.plain);
    if (sender.raw >= 0)
        close(sender.raw);
}
