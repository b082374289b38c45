/* hello.c: see hello.h. */
#include "channel/hello.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "KNELLEX1";

/* ---- the key ------------------------------------------------------------------------------------------------------- */

bool channel_key_make(char text[CHANNEL_KEY_TEXT])
{
    uint8_t bytes[CHANNEL_KEY];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool channel_key_read(const char *text, struct knell__key *key)
{
    uint8_t bytes[CHANNEL_KEY];
    if (strlen(text) != 2 * sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return knell__key_set(key, bytes, sizeof bytes) == 0;
}

/* ---- the host ------------------------------------------------------------------------------------------------------ */

/* A boot of a machine, and a time namespace in it: what makes two clocks the same. */
bool channel_host_id(uint8_t id[CHANNEL_HOST_ID])
{
    char text[128] = "";
    struct stat s = {0};
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, 64);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    if (stat("/proc/self/ns/time", &s) != 0)
        s.st_ino = 0;
    snprintf(text + size, sizeof text - (size_t)size, "%llu", (unsigned long long)s.st_ino);
    return crypto_generichash(id, CHANNEL_HOST_ID, (const uint8_t *)text, strlen(text), NULL, 0) == 0;
}

/* ---- the handshake ------------------------------------------------------------------------------------------------- */

bool channel_challenge_make(struct channel_challenge *challenge)
{
    memcpy(challenge->magic, magic, sizeof magic);
    return getrandom(challenge->nonce, sizeof challenge->nonce, 0) == sizeof challenge->nonce;
}

static void tag_of_hello(const struct knell__key *key, const struct channel_challenge *challenge,
                         const struct channel_hello *hello, uint8_t tag[KNELL__FRAME_TAG])
{
    struct {
        uint8_t challenge[CHANNEL_NONCE];
        struct channel_hello hello;
    } both;
    memset(&both, 0, sizeof both);
    memcpy(both.challenge, challenge->nonce, sizeof both.challenge);
    both.hello = *hello;
    memset(both.hello.tag, 0, sizeof both.hello.tag);
    knell__key_tag(key, &both, sizeof both, tag);
}

bool channel_hello_make(const struct knell__key *key, const struct channel_challenge *challenge, int rank,
                        struct channel_hello *hello)
{
    memset(hello, 0, sizeof *hello);
    memcpy(hello->magic, magic, sizeof magic);
    hello->rank = rank;
    hello->pid = getpid();
    gethostname(hello->name, sizeof hello->name - 1);
    if (memcmp(challenge->magic, magic, sizeof magic) != 0 || !channel_host_id(hello->host) ||
        getrandom(hello->nonce, sizeof hello->nonce, 0) != sizeof hello->nonce)
        return false;
    tag_of_hello(key, challenge, hello, hello->tag);
    return true;
}

bool channel_hello_check(const struct knell__key *key, const struct channel_challenge *challenge,
                         const struct channel_hello *hello)
{
    uint8_t tag[KNELL__FRAME_TAG];
    tag_of_hello(key, challenge, hello, tag);
    return memcmp(hello->magic, magic, sizeof magic) == 0 && hello->name[CHANNEL_HOST_NAME - 1] == '\0' &&
           sodium_memcmp(tag, hello->tag, sizeof tag) == 0;
}

void channel_welcome_make(const struct knell__key *key, const struct channel_challenge *challenge,
                          const struct channel_hello *hello, struct channel_welcome *welcome)
{
    uint8_t both[2 * CHANNEL_NONCE];
    memcpy(both, hello->nonce, CHANNEL_NONCE);
    memcpy(both + CHANNEL_NONCE, challenge->nonce, CHANNEL_NONCE);
    knell__key_tag(key, both, sizeof both, welcome->tag);
}

bool channel_welcome_check(const struct knell__key *key, const struct channel_challenge *challenge,
                           const struct channel_hello *hello, const struct channel_welcome *welcome)
{
    struct channel_welcome right;
    channel_welcome_make(key, challenge, hello, &right);
    return sodium_memcmp(right.tag, welcome->tag, sizeof right.tag) == 0;
}
