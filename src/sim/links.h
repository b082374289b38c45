/* links: which links between two nodes are cut. A set of pairs without order; whole nodes that are cut off from everyone
 * are not here but in outage.h. */
#ifndef KNELL_SIM_LINKS_H
#define KNELL_SIM_LINKS_H

#include <knell/types.h>
#include <stdbool.h>

/* All zero is empty. */
struct knell_links {
    uint64_t *slot; /* a pair, or 0: nothing */
    uint32_t room;  /* 0, or a power of two */
    uint32_t count;
};

/* True: it was not cut before and is now. False without a change; *no_memory is set when there was none. */
bool knell_links_cut(struct knell_links *links, knell_rank a, knell_rank b, bool *no_memory);

/* True: it was cut and is no more. */
bool knell_links_heal(struct knell_links *links, knell_rank a, knell_rank b);

bool knell_links_is_cut(const struct knell_links *links, knell_rank a, knell_rank b);
void knell_links_clear(struct knell_links *links);
void knell_links_free(struct knell_links *links);

#endif
