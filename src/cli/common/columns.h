/* columns.h: how wide a picture may be. */
#ifndef KNELL_CLI_COMMON_COLUMNS_H
#define KNELL_CLI_COMMON_COLUMNS_H

#include <stdio.h>

/* Those of the terminal `out` is, or as COLUMNS says; else 80. Never less than 40 nor more than KNELL__COLUMNS_MOST. */
enum { KNELL__COLUMNS_MOST = 240 };
int knell__columns(FILE *out);

#endif
