/* rendezvous_door.h: who is at the rendezvous, and who is let in (rendezvous_serve.c). Strangers may come in any number, stay silent, or
 * come again and again: they hold few descriptors, none for long, and none that a process of the job needs. */
#ifndef KNELL_RUNTIME_RENDEZVOUS_DOOR_H
#define KNELL_RUNTIME_RENDEZVOUS_DOOR_H

#include "runtime/rendezvous.h"

#include <poll.h>

struct knell__visitor {
    int fd;          /* -1: nobody */
    uint32_t polled; /* where it is in the list for poll */
    knell_rank rank;
    bool known; /* it has the key */
    knell_time came;
    struct knell__address from; /* without the port */
    size_t got;
    uint8_t challenge[KNELL__NONCE];
    uint8_t bytes[sizeof(struct knell__hello) + KNELL__FRAME_TAG];
    struct knell__hello hello;
    bool ready, board;
};

struct knell__door {
    int listening;
    struct knell__visitor *visitor; /* one for each rank, and some for strangers */
    struct pollfd *poll;
    uint32_t slots;
};

/* KNELL_ESYSTEM: no memory. */
int knell__door_open(struct knell__door *door, uint32_t ranks, int listening);
void knell__door_close(struct knell__door *door);

/* Waits for somebody, until the deadline at the latest. True: knell__door_is_heard tells of whom there is news. */
bool knell__door_wait(struct knell__door *door, knell_time deadline);
bool knell__door_is_heard(const struct knell__door *door, const struct knell__visitor *visitor);

/* Lets in who waits outside, if anybody does. When all places are taken, a stranger of the address that has most of them goes.
 * KNELL_ESYSTEM: this process may not have as many descriptors as it needs. */
int knell__door_let_in(struct knell__door *door);

void knell__door_turn_away(struct knell__visitor *visitor);

#endif
