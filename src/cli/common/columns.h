/* columns.h: how many columns a picture may have. */
#ifndef KNELL_CLI_COMMON_COLUMNS_H
#define KNELL_CLI_COMMON_COLUMNS_H

#include <stdio.h>

/* The columns of the terminal that `out` is, or what the variable COLUMNS says, otherwise 80; at least 40, at most
 * COLUMNS_MAX. */
enum { COLUMNS_MAX = 240 };
int columns_of(FILE *out);

#endif
