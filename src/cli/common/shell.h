/* shell.h: words of a command line as a shell reads them. */
#ifndef KNELL_CLI_COMMON_SHELL_H
#define KNELL_CLI_COMMON_SHELL_H

#include <stddef.h>
#include <stdio.h>

/* Divided by blanks, each quoted where a shell needs it; no newline. */
void shell_print(char *const *words, size_t count, FILE *out);

#endif
