/* hostile_wire: what members say to each other, overheard on the loopback as root may. */
#include "hostile.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void wire_take_apart(void)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int fd = unshare(CLONE_NEWNET) == 0 ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &loopback) != 0)
        perror("the loopback does not come up");
    if (fd >= 0)
        close(fd);
}

int wire_open(void)
{
    int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP)), room = 4 << 20;
    struct sockaddr_ll loopback = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = (int)if_nametoindex("lo")};
    if (fd >= 0 && bind(fd, (struct sockaddr *)&loopback, sizeof loopback) != 0) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    return fd;
}

static bool find_receiver(const struct job *job, in_port_t port, struct datagram *datagram)
{
    for (knell_rank rank = 0; rank < MEMBERS; rank++)
        for (uint8_t i = 0; i < SOCKETS; i++)
            if (port && job->port[rank][i] == port) {
                datagram->to = rank;
                datagram->socket = i;
                return true;
            }
    return false;
}

/* Of an IPv4 packet the datagram in it, if it is for a member. */
static bool unpack(const struct job *job, const uint8_t *packet, size_t size, struct datagram *datagram)
{
    struct iphdr ip;
    struct udphdr udp;
    if (size < sizeof ip)
        return false;
    memcpy(&ip, packet, sizeof ip);
    size_t head = (size_t)ip.ihl * 4;
    if (ip.protocol != IPPROTO_UDP || size < head + sizeof udp)
        return false;
    memcpy(&udp, packet + head, sizeof udp);
    size_t payload = size - head - sizeof udp;
    if (payload > sizeof datagram->bytes || !find_receiver(job, udp.dest, datagram))
        return false;
    datagram->size = (uint16_t)payload;
    memcpy(datagram->bytes, packet + head + sizeof udp, payload);
    return true;
}

void wire_take(int fd, const struct job *job, struct overheard *all)
{
    uint8_t packet[WIRE_BYTES + 64];
    struct sockaddr_ll from;
    socklen_t from_size = sizeof from;
    for (ssize_t size;
         (size = recvfrom(fd, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&from, &from_size)) >= 0;
         from_size = sizeof from)
        if (from.sll_pkttype != PACKET_OUTGOING && all->count < all->most && /* each is seen going out and coming in */
            unpack(job, packet, (size_t)size, &all->datagram[all->count]))
            all->count++;
}
