/* door.h: where supervisors and agents connect: listens at one address, and lets in who has the key. The other side is call.h.
 *
 * Who has not shown the key within a moment is dropped; so is one of them, by chance, when all places of such callers are taken: one of
 * ours tries again, a stranger never gets further. */
#ifndef KNELL_CHANNEL_DOOR_H
#define KNELL_CHANNEL_DOOR_H

#include "channel/hello.h"

/* Somebody who has not shown the key yet. */
struct channel_caller {
    int fd; /* -1: a free place */
    int64_t since;
    struct channel_challenge challenge;
    struct channel_hello hello;
    size_t got;
};

enum { CHANNEL_CALLERS = 64 };

struct channel_door {
    int events; /* an epoll descriptor: readable when somebody has called or said something; -1: closed */
    int listening;
    char address[80]; /* to call at */
    char key_text[CHANNEL_KEY_TEXT];
    struct knell__key key;
    uint8_t host[CHANNEL_HOST_ID]; /* of this one */
    struct channel_caller caller[CHANNEL_CALLERS];
    void *driver;
    /* Is somebody of this number expected, and not there yet? */
    bool (*expects)(void *driver, int number);
    /* It is in; the descriptor is the driver's now. */
    void (*opened)(void *driver, int fd, const struct channel_hello *hello);
};

/* Makes the key and listens at this address alone. The driver and its functions are set before. False: errno says why. */
bool channel_door_open(struct channel_door *door, const char *address);
void channel_door_serve(struct channel_door *door);
/* From here on nothing listens; address, key and host stay known. */
void channel_door_close(struct channel_door *door);

#endif
