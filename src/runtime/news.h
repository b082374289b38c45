/* news.h: a message to all processes of a host at once: it is posted on the board, and a bell is rung.
 *
 * What is posted stays readable whatever becomes of the poster, and is there for all or for none: within a host a broadcast
 * needs no copies and no acknowledgements. Posting is a store and one system call, however many are woken.
 *
 * Slots are used in turn; who falls behind by more than there are slots misses some (docs/design/protocol.md, "Anti-entropy"). A
 * poster that dies within a post leaves a slot that is never whole; the readers pass over it. */
#ifndef KNELL_RUNTIME_NEWS_H
#define KNELL_RUNTIME_NEWS_H

#include "runtime/frame.h"

#include <stdatomic.h>
#include <stdbool.h>

struct knell__news_wall; /* in shared memory, zero at first */

/* All zero: none. One reader's view. */
struct knell__news {
    struct knell__news_wall *wall;
    uint32_t slots;
    uint32_t read; /* everything before this number has been read or given up */
};

struct knell__news_item {
    uint64_t label; /* of what it is a part */
    uint32_t part;
    knell_rank from; /* who posted it */
    size_t size;
    uint8_t bytes[KNELL__FRAME_ROOM];
};

size_t knell__news_size(uint32_t ranks);
void knell__news_open(struct knell__news *news, void *wall, uint32_t ranks);

/* False when the same part is there already. Does not ring. */
bool knell__news_post(struct knell__news *news, knell_rank from, uint64_t label, uint32_t part, const void *bytes,
                      size_t size);

/* The word to wait for: it changes with each ring. */
_Atomic uint32_t *knell__news_bell(const struct knell__news *news);
void knell__news_ring(struct knell__news *news);

/* Calls `take` for each that is new. It may see one twice, when an older one was not whole. */
typedef void knell__take_news(void *context, const struct knell__news_item *item);
void knell__news_read(struct knell__news *news, knell__take_news *take, void *context);

#endif
