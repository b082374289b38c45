/* symbols.h: which line of which source an address in a program or library is. By elfutils' libdw: with debug information, in the file
 * or in its own below /usr/lib/debug; otherwise by symbol. It never asks a server. Not for several threads at once. */
#ifndef KNELL_SYMBOLS_SYMBOLS_H
#define KNELL_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols; /* files that have been looked at stay open in it */

/* NULL: out of memory. */
struct symbols *symbols_open(void);
/* Accepts NULL. */
void symbols_close(struct symbols *symbols);

/* In words, the best of: "jacobi.c:67", "exchange+0x1c", "libfoo.so+0x1234".
 *
 * offset: as the file counts, that is, the address in memory less the file's base (dlpi_addr).
 * is_return_address: the call before it is what is asked for.
 * build_id: that of the file when the address was taken. If it is another one by now, the place is "app+0x1234 (the file has changed)".
 * With size 0 this is not known, and the file is believed. */
void symbols_place(struct symbols *symbols, const char *path, const uint8_t *build_id, size_t build_id_size,
                   uint64_t offset, bool is_return_address, char *text, size_t size);

#endif
