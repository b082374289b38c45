/* hashset: which states were met before, by a 64-bit hash of their bytes. Two different states with one hash would cut a
 * branch off unseen: with ten million states the chance of any such pair is about 3 in a million. */
#ifndef KNELL_SIM_HASHSET_H
#define KNELL_SIM_HASHSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct knell_hashset {
    uint64_t *slot;
    uint64_t count, room;
};

/* Sets *added if the bytes were not there yet. False: no memory. `size` is a multiple of 8. */
bool knell_hashset_add(struct knell_hashset *set, const void *bytes, size_t size, bool *added);
void knell_hashset_free(struct knell_hashset *set);

#endif
