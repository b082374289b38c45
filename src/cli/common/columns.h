/* columns.h: how wide a picture may be. */
#ifndef KNELL_CLI_COMMON_COLUMNS_H
#define KNELL_CLI_COMMON_COLUMNS_H

#include <stdio.h>

/* Those of the terminal `out` is, or as COLUMNS says; else 80. Never less than 40 nor more than COLUMNS_MAX. */
enum { COLUMNS_MAX = 240 };
int columns_of(FILE *out);

#endif
