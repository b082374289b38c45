/* pages.h: memory for tables that grow with the number of processes. Parts that are never written take no room, and what is
 * freed goes back to the system, not into the program's heap. */
#ifndef KNELL_OS_PAGES_H
#define KNELL_OS_PAGES_H

#include <stddef.h>

/* Zero at first; NULL when there is none. */
void *knell__pages_take(size_t size);
void knell__pages_give(void *pages, size_t size);

#endif
