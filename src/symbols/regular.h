/* regular.h: opens regular files only. A path may come from a record or a process; opening a pipe by that name would wait. */
#ifndef KNELL_SYMBOLS_REGULAR_H
#define KNELL_SYMBOLS_REGULAR_H

/* A descriptor for reading, or -1. */
int symbols_open_regular(const char *path);

#endif
