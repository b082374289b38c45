/* shell.c: see shell.h. */
#include "cli/common/shell.h"

#include <string.h>

/* A word that begins with # would be a comment. */
static void print_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%^#";
    if (*word && *word != '#' && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

void shell_print(char *const *words, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputc(' ', out);
        print_word(words[i], out);
    }
}
