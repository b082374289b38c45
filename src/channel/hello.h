/* hello.h: the handshake of the supervisor's channel. Both sides prove that they have the job's key before either believes anything.
 *
 *     knell run                     supervisor
 *     challenge              ->
 *                            <-     hello    with a tag over (challenge, hello)
 *     welcome                ->              a tag over (hello's nonce, challenge)
 *
 * A stranger without the key is not let in and cannot pretend to be `knell run`. Nothing is hidden from who can read the network. */
#ifndef KNELL_CHANNEL_HELLO_H
#define KNELL_CHANNEL_HELLO_H

#include "runtime/frame.h"

#include <stdbool.h>

enum {
    CHANNEL_NONCE = 16,
    CHANNEL_HOST_ID = 16,
    CHANNEL_HOST_NAME = 64,
    CHANNEL_KEY = 32,
    CHANNEL_KEY_TEXT = 2 * CHANNEL_KEY + 1
};

struct channel_challenge {
    char magic[8];
    uint8_t nonce[CHANNEL_NONCE];
};

struct channel_hello {
    char magic[8];
    int32_t rank;
    int32_t pid;                   /* of the supervisor, on its host */
    uint8_t host[CHANNEL_HOST_ID]; /* the same for all that share a clock */
    char name[CHANNEL_HOST_NAME];
    uint8_t nonce[CHANNEL_NONCE];
    uint8_t tag[KNELL__FRAME_TAG];
};

struct channel_welcome {
    uint8_t tag[KNELL__FRAME_TAG];
};

/* The key as text, for the environment; false: it is no key. */
bool channel_key_read(const char *text, struct knell__key *key);
bool channel_key_make(char text[CHANNEL_KEY_TEXT]);

bool channel_challenge_make(struct channel_challenge *challenge);
bool channel_hello_make(const struct knell__key *key, const struct channel_challenge *challenge, int rank,
                        struct channel_hello *hello);
bool channel_hello_check(const struct knell__key *key, const struct channel_challenge *challenge,
                         const struct channel_hello *hello);
void channel_welcome_make(const struct knell__key *key, const struct channel_challenge *challenge,
                          const struct channel_hello *hello, struct channel_welcome *welcome);
bool channel_welcome_check(const struct knell__key *key, const struct channel_challenge *challenge,
                           const struct channel_hello *hello, const struct channel_welcome *welcome);

/* Of this host. */
bool channel_host_id(uint8_t id[CHANNEL_HOST_ID]);

#endif
